// Writes the corpus parse_fuzz starts from: seeds DIRECTORY.
#include "tests/fuzz/seeds.h"

#include <cstdio>
#include <fstream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: seeds DIRECTORY\n");
    return 2;
  }
  int n = 0;
  for (const auto& frame : dp::test::seed_frames()) {
    std::ofstream out(std::string(argv[1]) + "/seed-" + std::to_string(n++), std::ios::binary);
    out.put(0);
    out.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
    if (!out.flush()) {
      std::fprintf(stderr, "seeds: cannot write to %s\n", argv[1]);
      return 1;
    }
  }
}

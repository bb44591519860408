#include "tools/bench/live.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include <unistd.h>

namespace bench {
namespace {

constexpr const char* kPython = "/usr/bin/python3";
constexpr const char* kProgram = RNCD_SOURCE_ROOT "/tools/bench/live/main.py";

}  // namespace

void add_live(CLI::App& app, const char* name, const char* what) {
  CLI::App* live = app.add_subcommand(name, what);
  live->prefix_command();
  live->set_help_flag();  // Python prints its own help
}

int run_live(const std::vector<std::string>& arguments, const std::string& name, const std::string& version) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  ::setenv("TESTED_BUILD", self.parent_path().c_str(), 1);
  ::setenv("RNCBENCH_VERSION", version.c_str(), 1);
  std::vector<std::string> words{kPython, "-B", kProgram, name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  if (std::filesystem::exists(kProgram)) ::execv(kPython, argv.data());
  std::cerr << "rncbench: cannot run " << kPython << " " << kProgram << ": " << std::strerror(errno)
            << "; it is a part of the sources from which rncbench was built\n";
  return 1;
}

}  // namespace bench

// Running another program to its end, and its output.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tools {

struct Ended {
  int status = 0;    // its exit code, or 128 and the signal that ended it
  std::string said;  // standard output and standard error, as they came
};

// `package`: Debian's package that has the program, for the error when it is not there. Throws. Requires:
// argv has the program.
Ended run_program(const std::vector<std::string>& argv, const std::string& package,
                  const std::filesystem::path& folder = ".");

// A folder of its own that is gone with its owner.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tools

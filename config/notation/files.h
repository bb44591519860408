// Reads configurations and the files that they name. Functions return the result or one problem.
// Tests: tests/unit/config/load_test.cc
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>

#include "config/notation/problem.h"

namespace config {

inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

// Reads at most one byte more than a document may have; waits for a pipe's writer without limit. On failure
// the problem's `os_error` is set. `what`: the kind of file for messages, with its article.
Checked<std::string> read_file(const std::string& path, std::string_view what = "a configuration");

// A regular file, open for reading. Opening never blocks: the descriptor is checked, so that a FIFO, a lease
// or a file replaced meanwhile is only a problem.
class RegularFile {
 public:
  struct Wanted {
    std::string name;       // path for the kernel
    std::string shown;      // path for messages
    std::string what;       // kind of file, with its article
    std::size_t most;       // bytes
    int folder = AT_FDCWD;  // descriptor of the directory that `name` is in
    bool follow_link = true;
  };
  static Checked<RegularFile> open(Wanted wanted);

  const struct stat& status() const { return status_; }
  // Positioned at the beginning before the first read. This object keeps ownership.
  int descriptor() const { return *fd_; }
  Checked<std::string> text() const;

 private:
  RegularFile(Wanted wanted, std::shared_ptr<const int> fd, const struct stat& status)
      : wanted_(std::move(wanted)), fd_(std::move(fd)), status_(status) {}

  Wanted wanted_;
  std::shared_ptr<const int> fd_;
  struct stat status_;
};

}  // namespace config

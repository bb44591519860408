// Reading the files that a configuration is, or names: each answers what it is asked for, or the one problem.
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

// At most one byte more than a document may have; waits for a pipe as long as its writer likes. The problem's
// `os_error` says why it could not be read. `what` was asked for, with its article.
Checked<std::string> read_file(const std::string& path, std::string_view what = "a configuration");

// A regular file, open for reading, which keeps nobody waiting: opened without blocking and judged by its
// descriptor, so that a FIFO, a lease or whatever is put in its place meanwhile is a problem and no more.
class RegularFile {
 public:
  struct Wanted {
    std::string name;       // for the kernel
    std::string shown;      // for messages
    std::string what;       // was asked for, with its article
    std::size_t most;       // bytes
    int folder = AT_FDCWD;  // descriptor of the directory that `name` is in
    bool follow_link = true;
  };
  static Checked<RegularFile> open(Wanted wanted);

  const struct stat& status() const { return status_; }
  // At its beginning, while nobody has read. It stays this object's.
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

#include "config/notation/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

namespace config {
namespace {

// Shared ownership of a descriptor; null if opening failed.
std::shared_ptr<const int> owned(int fd) {
  if (fd < 0) return nullptr;
  return {new int(fd), [](const int* open) {
            close(*open);
            delete open;
          }};
}

Problem cannot_be_read(const std::string& shown, int error, std::string_view what) {
  const std::string hint = error == ENOENT        ? "; give the path of " + std::string(what)
                           : error == EACCES      ? "; let this user read it"
                           : error == EWOULDBLOCK ? "; another process holds it, by a lease or by a pipe"
                                                  : "";
  return {shown, 0, 0, {}, "cannot be read: " + std::string(std::strerror(error)) + hint, error};
}

// Reads at most `most` bytes; returns 0 or an errno.
int read_all(int fd, std::size_t most, std::string& out) {
  std::string chunk(std::min(most, std::size_t{1} << 16), '\0');
  while (out.size() < most) {
    const ssize_t got = read(fd, chunk.data(), std::min(chunk.size(), most - out.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    out.append(chunk, 0, static_cast<std::size_t>(got));
  }
  return 0;
}

Checked<std::string> too_long(const RegularFile::Wanted& wanted) {
  return {std::nullopt,
          {{wanted.shown,
            0,
            0,
            {},
            fmt::format("found more than {} MiB, expected a shorter file", wanted.most >> 20)}}};
}

}  // namespace

Checked<std::string> read_file(const std::string& path, std::string_view what) {
  const auto fd = owned(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  const int error = fd == nullptr ? errno : read_all(*fd, kMaxFileBytes + 1, text);
  if (error != 0) return {std::nullopt, {cannot_be_read(path, error, what)}};
  return {std::move(text), {}};
}

Checked<RegularFile> RegularFile::open(Wanted wanted) {
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (wanted.follow_link ? 0 : O_NOFOLLOW);
  auto fd = owned(openat(wanted.folder, wanted.name.c_str(), flags));
  struct stat status {};
  const int error = fd == nullptr || fstat(*fd, &status) != 0 ? errno : 0;
  if (error == ELOOP && !wanted.follow_link) {
    return {std::nullopt, {{wanted.shown, 0, 0, {}, "is a symbolic link, expected the file itself", error}}};
  }
  if (error != 0) return {std::nullopt, {cannot_be_read(wanted.shown, error, wanted.what)}};
  if (!S_ISREG(status.st_mode)) {
    return {std::nullopt,
            {{wanted.shown, 0, 0, {}, "is no regular file; give the path of " + std::string(wanted.what)}}};
  }
  return {RegularFile(std::move(wanted), std::move(fd), status), {}};
}

Checked<std::string> RegularFile::text() const {
  if (status_.st_size > static_cast<off_t>(wanted_.most)) return too_long(wanted_);
  std::string text;
  const int error = read_all(*fd_, wanted_.most + 1, text);
  if (error != 0) return {std::nullopt, {cannot_be_read(wanted_.shown, error, wanted_.what)}};
  if (text.size() > wanted_.most) return too_long(wanted_);
  return {std::move(text), {}};
}

}  // namespace config

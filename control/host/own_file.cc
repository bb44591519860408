#include "control/host/own_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "control/host/exit_code.h"

namespace control {
namespace {

constexpr std::size_t kBeginning = 64;  // octets by which a kind is known again
// Nothing here waits for whoever has the other end of a pipe, and no link leads elsewhere.
constexpr int kCareful = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

bool is_permission(int error) { return error == EACCES || error == EPERM || error == EROFS; }

dp::Error misplaced(const OwnFile& file, const std::string& found) {
  return {fmt::format("{}: found {}, expected {} that rncd has written, or nothing; it is left alone, name "
                      "another path",
                      file.key, found, file.kind.what),
          kExitConfig};
}

dp::Error failed(const OwnFile& file, const std::string& path, const char* step) {
  const int error = errno;
  return {fmt::format("{}: {}: {}: {}; give {} a path that rncd may write, with room for it", file.key, path,
                      step, std::strerror(error), file.key),
          is_permission(error) ? kExitPermission : kExitRuntime};
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// So that the name survives a crash of the host, too.
void sync_folder(const std::string& folder) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) ::fsync(fd.get());
}

// A new file. What a process that was killed has left there goes first.
dp::Result<Fd> create(const OwnFile& file) {
  if (auto free = nothing_else_there(file); !free) return free.error();
  ::unlink(file.path.c_str());
  Fd fd(::open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | kCareful, 0600));
  if (!fd) return failed(file, file.path, "open");
  return fd;
}

// An error leaves no file.
dp::Status write_new(const OwnFile& file, std::string_view text) {
  const auto fd = create(file);
  if (!fd) return fd.error();
  if (write_all(fd->get(), text) && ::fsync(fd->get()) == 0) return dp::ok();
  const dp::Error error = failed(file, file.path, "write");
  ::unlink(file.path.c_str());
  return error;
}

// True if a file that begins with `magic` begins like `text`, which may be cut short.
bool begins_with(std::string_view text, std::string_view magic) {
  return text.substr(0, magic.size()) == magic.substr(0, text.size());
}

// Before the magic came first, the fingerprint of the configuration file did.
bool begins_state(std::string_view text) {
  return begins_with(text, kStateMagic) || begins_with(text, R"({"disk":")");
}

bool begins_lock(std::string_view text) {
  return text.find_first_not_of("0123456789\n") == std::string_view::npos;
}

bool begins_mark(std::string_view text) {
  return text.find_first_not_of("0123456789:- \nabcdef") == std::string_view::npos;
}

// pcap with microseconds or nanoseconds, in either order of bytes.
bool begins_capture(std::string_view text) {
  using namespace std::string_view_literals;
  for (const auto magic :
       {"\xd4\xc3\xb2\xa1"sv, "\xa1\xb2\xc3\xd4"sv, "\x4d\x3c\xb2\xa1"sv, "\xa1\xb2\x3c\x4d"sv}) {
    if (begins_with(text, magic)) return true;
  }
  return false;
}

}  // namespace

const OwnKind kStateKind{"a saved state", begins_state};
const OwnKind kLockKind{"a lock", begins_lock};
const OwnKind kMarkKind{"the mark of an interface", begins_mark};
const OwnKind kCaptureKind{"a capture", begins_capture};

std::string_view type_of(const struct stat& status) {
  switch (status.st_mode & S_IFMT) {
    case S_IFLNK:
      return "a symbolic link";
    case S_IFDIR:
      return "a directory";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    case S_IFREG:
      return "a file";
    default:
      return "a device node";
  }
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool is_file(const std::string& path, const std::string& other) {
  struct stat a {
  }, b{};
  return ::stat(path.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 && same_file(a, b);
}

std::string_view others_who_may_write(const struct stat& status) {
  if ((status.st_mode & S_IWOTH) != 0) return "everybody";
  const bool ours = status.st_gid == 0 || status.st_gid == ::getegid();
  return !ours && (status.st_mode & S_IWGRP) != 0 ? "another group" : "";
}

dp::Status nothing_else_there(const OwnFile& file) {
  struct stat found {};
  if (::lstat(file.path.c_str(), &found) != 0) {
    if (errno == ENOENT) return dp::ok();
    return errno == ENOTDIR ? misplaced(file, file.path + " below a file") : failed(file, file.path, "stat");
  }
  if (!S_ISREG(found.st_mode)) return misplaced(file, fmt::format("{}, {}", file.path, type_of(found)));
  const Fd fd(::open(file.path.c_str(), O_RDONLY | kCareful));
  if (!fd) return failed(file, file.path, "open");
  std::array<char, kBeginning> octets;
  const ssize_t got = ::pread(fd.get(), octets.data(), octets.size(), 0);
  if (got < 0) return failed(file, file.path, "read");
  if (file.kind.begins({octets.data(), static_cast<std::size_t>(got)})) return dp::ok();
  return misplaced(file, fmt::format("{}, which is something else", file.path));
}

dp::Status folder_is_safe(const OwnFile& file) {
  const std::string folder = folder_of(file.path);
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0) {
    return errno == EACCES ? failed(file, folder, "stat") : dp::ok();
  }
  if (!S_ISDIR(found.st_mode)) return misplaced(file, fmt::format("{}, which is no directory,", folder));
  const std::string_view others = others_who_may_write(found);
  if (others.empty() || (found.st_mode & S_ISVTX) != 0) return dp::ok();
  return dp::Error{
      fmt::format(
          "{}: found the directory {}, which {} may write (mode {:04o}), expected one in which nobody "
          "else can replace what rncd writes; run: chmod go-w {}, or name another path",
          file.key, folder, others, found.st_mode & 07777, folder),
      kExitConfig};
}

dp::Status folder_is_writable(const OwnFile& file) {
  std::string folder = folder_of(file.path);
  struct stat found {};
  while (::stat(folder.c_str(), &found) != 0 && errno == ENOENT && folder.size() > 1)
    folder = folder_of(folder);
  errno = 0;
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return dp::ok();
  return failed(file, folder, "write");
}

dp::Result<Fd> open_own(const OwnFile& file) {
  if (auto safe = folder_is_safe(file); !safe) return safe.error();
  if (auto ours = nothing_else_there(file); !ours) return ours.error();
  Fd fd(::open(file.path.c_str(), O_RDWR | O_CREAT | kCareful, 0600));
  if (!fd) return failed(file, file.path, "open");
  return fd;
}

dp::Status replace_file(const OwnFile& file, std::string_view text) {
  const std::string folder = folder_of(file.path);
  const OwnFile beside{file.kind, file.path + ".new", file.key};
  std::error_code ignored;
  std::filesystem::create_directories(folder_of(folder), ignored);
  ::mkdir(folder.c_str(), 0750);
  if (auto safe = folder_is_safe(file); !safe) return safe;
  if (auto ours = nothing_else_there(file); !ours) return ours;
  if (auto written = write_new(beside, text); !written) return written;
  if (::rename(beside.path.c_str(), file.path.c_str()) != 0) {
    const dp::Error error = failed(file, file.path, "rename");
    ::unlink(beside.path.c_str());
    return error;
  }
  sync_folder(folder);
  return dp::ok();
}

}  // namespace control

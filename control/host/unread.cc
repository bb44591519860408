#include "control/host/unread.h"

#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

namespace control {
namespace {

bool begins_damaged(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  char first = 0;
  const ssize_t got = ::read(fd.get(), &first, 1);
  return got == 0 || (got == 1 && (first == '{' || first == '[' || first == '\0'));
}

}  // namespace

bool may_be_damaged(const OwnFile& file) {
  struct stat found {};
  if (::lstat(file.path.c_str(), &found) != 0) return false;
  if (S_ISFIFO(found.st_mode)) return true;
  if (!S_ISREG(found.st_mode)) return false;
  const bool owners_alone = (found.st_mode & 0777) == 0600;
  return owners_alone || begins_damaged(file.path);
}

std::string put_aside(const OwnFile& file) {
  if (!may_be_damaged(file)) return file.path;
  const OwnFile aside{file.kind, file.path + ".unread", file.key};
  struct stat taken {};
  if (::lstat(aside.path.c_str(), &taken) == 0 && !may_be_damaged(aside)) return file.path;
  return std::rename(file.path.c_str(), aside.path.c_str()) == 0 ? aside.path : file.path;
}

}  // namespace control

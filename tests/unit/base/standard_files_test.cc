#include "dataplane/base/standard_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

namespace dp {
namespace {

bool is_null(int fd) {
  struct stat found {};
  return ::fstat(fd, &found) == 0 && S_ISCHR(found.st_mode) && found.st_rdev == makedev(1, 3);
}

// Runs in a process of its own: descriptor `kept` of the first three stays, the others are closed.
int exit_code_of_child(int kept) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (int fd = 0; fd < 64; ++fd) {
      if (fd != kept) ::close(fd);
    }
    if (kept >= 0) ::dup2(::open("/", O_PATH), kept);
    for (int fd = 0; fd < 64; ++fd) {
      if (fd != kept) ::close(fd);
    }
    open_standard_files();
    bool well = true;
    for (int fd = 0; fd < 3; ++fd) well = well && (fd == kept ? !is_null(fd) : is_null(fd));
    ::_exit(well && ::dup(0) == 3 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StandardFiles, ThoseThatAreClosedLeadNowhereAndTheOthersStay) {
  for (const int kept : {-1, 0, 1, 2}) EXPECT_EQ(exit_code_of_child(kept), 0) << kept;
}

}  // namespace
}  // namespace dp

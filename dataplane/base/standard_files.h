// For the first line of a program's main(): opens descriptors 0, 1 and 2, so that no file, socket or device
// that it opens later gets one of these numbers and receives printed text.
#pragma once
#include <fcntl.h>
#include <unistd.h>

namespace dp {

inline void open_standard_files() noexcept {
  int fd = 0;
  while (fd >= 0 && fd <= 2) {
    fd = ::open("/dev/null", O_RDWR);
    if (fd < 0) fd = ::open("/", O_PATH | O_DIRECTORY);  // takes the number as well; writing to it fails
  }
  if (fd > 2) ::close(fd);
}

}  // namespace dp

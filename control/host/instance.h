// Ensures that only one rncd serves a socket path: the socket's directory, a lock beside it that ends with
// the process, and a check for a listener. Owns the lock.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include <sys/stat.h>

#include "control/loop/fd.h"
#include "dataplane/base/result.h"

namespace control {

class Instance {
 public:
  // Creates the socket's directory if need be. Waits so long for another process to go, and longer for one
  // that was killed just now. `key`: of the configuration, for the errors. Exit codes in these: 3 a path that
  // is something else, 5 permission, 6 already running.
  static dp::Result<Instance> claim(const std::string& socket, std::chrono::milliseconds patience = {},
                                    const std::string& key = "control.socket");

  // The reason why claim() would fail, other than another process. Changes nothing.
  static dp::Status judge(const std::string& socket, const std::string& key);
  // An error with exit code 6 where a process listens on it.
  static dp::Status nobody_listens(const std::string& socket, const std::string& key);

  Instance(Instance&&) = default;
  Instance& operator=(Instance&&) = default;
  // The socket is there now, made by this process: it is the one that leave() removes.
  void bound();
  // After somebody may have removed files: takes the lock anew if it is gone, and answers whether the socket
  // is. An error where another process has put something in the place of either. Requires: bound().
  dp::Result<bool> take_again(const std::string& key);
  // Removes socket and lock file, as far as they are those of this process.
  void leave();

  const std::string& socket() const { return socket_; }

 private:
  static dp::Result<Instance> claim_now(const std::string& socket, const std::string& key);
  Instance(std::string socket, Fd lock) : socket_(std::move(socket)), lock_(std::move(lock)) {}

  std::string socket_;
  Fd lock_;
  struct stat made_ {};  // the socket; all zero until there is one
};

}  // namespace control

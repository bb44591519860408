// Another program as a process of its own: how it is started, for who waits for its end.
#pragma once
#include <string>
#include <vector>

#include <sys/types.h>

#include "control/loop/fd.h"
#include "dataplane/base/result.h"

namespace control {

// A copy of words that the kernel's calls may take.
class Words {
 public:
  explicit Words(std::vector<std::string> words);
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

struct Program {
  std::string path;
  std::vector<std::string> arguments{};    // without its own name
  std::vector<std::string> environment{};  // "NAME=VALUE", beside what rncd has
  bool heard = true;                       // what it writes to standard output, too; else nobody reads that
};

struct Process {
  pid_t pid = 0;  // leads a process group of its own, so that its children can be ended with it
  Fd said;        // standard error, and standard output where that is heard
};

// It gets no descriptor but the first three and hears all signals, whatever rncd has blocked. Who starts it
// has to wait for its end (waitpid). An error says why it cannot be run, without its path.
dp::Result<Process> start_program(const Program& program);

}  // namespace control

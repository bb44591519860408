// Input from the operator: files and standard input, bounded, and refused in one place if they are of another
// kind than the command needs.
#pragma once
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>

namespace ctl {

// All throw CLI::ValidationError, which names what was found and what was expected. `what` is the expected
// kind of file, with its article; the path `-` is standard input.

// A regular file's text, or what is read until the end of standard input. Refused: anything else, such as a
// directory or a FIFO, more than 64 MiB, nothing at all, and what is no UTF-8.
std::string text_of_file(const std::string& path, const std::string& what);

// The lines of a script. A file is read first; standard input is read line by line on demand, since it may be
// a person.
class Lines {
 public:
  Lines(const std::string& path, const std::string& what);
  // Nothing is left: std::nullopt.
  std::optional<std::string> next();
  // The number of the line that came last, from 1.
  std::size_t number() const { return number_; }

 private:
  std::optional<std::string> next_typed();

  std::string path_;
  std::string what_;
  std::istringstream text_;
  std::size_t number_ = 0;
};

}  // namespace ctl

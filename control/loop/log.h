// The log: one event a line on stderr, `key=value` or JSON. During a Session a separate thread writes it
// (control/loop/log_writer.h) and no caller waits; otherwise the caller writes. Any thread may log.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "config/model.h"

namespace control::log {

enum class Level { debug, info, warning, error };

// A name and its value; numbers are distinguished from text for JSON.
class Field {
 public:
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Field(std::string_view key, T value) : key_(key), value_(std::to_string(value)), text_(false) {}
  Field(std::string_view key, std::string_view value) : key_(key), value_(value), text_(true) {}

  void append_to(std::string& line, config::LogFormat format) const;

 private:
  std::string key_;
  std::string value_;
  bool text_;
};
using Fields = std::vector<Field>;

// The line of one event, without time stamp.
std::string format_event(config::LogFormat format, Level level, std::string_view event, const Fields& fields);

void configure(const config::Log& settings);
void write(Level level, std::string_view event, const Fields& fields);

inline void debug(std::string_view event, const Fields& fields = {}) { write(Level::debug, event, fields); }
inline void info(std::string_view event, const Fields& fields = {}) { write(Level::info, event, fields); }
inline void warning(std::string_view event, const Fields& fields = {}) {
  write(Level::warning, event, fields);
}
inline void error(std::string_view event, const Fields& fields = {}) { write(Level::error, event, fields); }

// Writes a line for people, "rncd: TEXT", in order with the events.
void say(std::string_view text);

// Number of lines dropped because earlier ones were not read.
std::uint64_t dropped();

// The program's log session, in main(); at most one. Its destructor waits a bounded time until the last lines
// are written.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

// Gives the log's thread, if there is one, the caller's CPU affinity.
void share_cpus_of_caller();

}  // namespace control::log

// The log: one event (control/loop/event.h) a line on stderr, `key=value` or JSON. During a Session a
// separate thread writes it (control/loop/log_writer.h) and no caller waits; otherwise the caller writes. Any
// thread may log.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "config/model.h"
#include "control/loop/event.h"

namespace control::log {

enum class Level : std::uint8_t { debug, info, warning, error };
inline constexpr std::array<std::string_view, 4> kLevelNames{"debug", "info", "warning", "error"};
constexpr std::string_view name(Level level) { return kLevelNames[static_cast<std::size_t>(level)]; }

// A name and its value; numbers are distinguished from text for JSON.
class Field {
 public:
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Field(std::string_view key, T value) : key_(key), value_(std::to_string(value)), text_(false) {}
  Field(std::string_view key, std::string_view value) : key_(key), value_(value), text_(true) {}

  void append_to(std::string& line, config::LogFormat format) const;
  const std::string& key() const { return key_; }
  const std::string& value() const { return value_; }
  bool is_text() const { return text_; }  // false: a number

 private:
  std::string key_;
  std::string value_;
  bool text_;
};
using Fields = std::vector<Field>;

// The line of one event, without time stamp.
std::string format_event(config::LogFormat format, Level level, std::string_view event, const Fields& fields);

void configure(const config::Log& settings);
// Logs an event and keeps it for those who ask later (control/loop/event_log.h), whatever the log's level.
void write(Level level, Event event, const Fields& fields);

inline void debug(Event event, const Fields& fields = {}) { write(Level::debug, event, fields); }
inline void info(Event event, const Fields& fields = {}) { write(Level::info, event, fields); }
inline void warning(Event event, const Fields& fields = {}) { write(Level::warning, event, fields); }
inline void error(Event event, const Fields& fields = {}) { write(Level::error, event, fields); }

// The event of a request. Requires: `method` is the name of a method of the control socket.
void request(Level level, std::string_view method, const Fields& fields);

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

namespace control {
using log::Event;
}

// The log: one event a line on stderr, `key=value` or JSON. Only the control thread writes it, synchronously.
#pragma once
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "config/model.h"

namespace control::log {

enum class Level { debug, info, warning, error };

// A name and its value, numbers kept apart from text for JSON.
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

// The line without time stamp, for one event.
std::string format_event(config::LogFormat format, Level level, std::string_view event, const Fields& fields);

void configure(const config::Log& settings);
void write(Level level, std::string_view event, const Fields& fields);

inline void debug(std::string_view event, const Fields& fields = {}) { write(Level::debug, event, fields); }
inline void info(std::string_view event, const Fields& fields = {}) { write(Level::info, event, fields); }
inline void warning(std::string_view event, const Fields& fields = {}) {
  write(Level::warning, event, fields);
}
inline void error(std::string_view event, const Fields& fields = {}) { write(Level::error, event, fields); }

}  // namespace control::log

#include "control/log.h"

#include <memory>

#include <nlohmann/json.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace control::log {
namespace {

using Json = nlohmann::json;

std::string as_json(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_plain(std::string_view text) {
  constexpr std::string_view kQuoted = " =\"\\";
  if (text.empty()) return false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || kQuoted.find(c) != std::string_view::npos) return false;
  }
  return true;
}

std::string_view level_name(Level level) {
  constexpr std::string_view kNames[] = {"debug", "info", "warning", "error"};
  return kNames[static_cast<int>(level)];
}

spdlog::level::level_enum to_spdlog(Level level) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn, spdlog::level::err};
  return kLevels[static_cast<int>(level)];
}

struct Sink {
  std::shared_ptr<spdlog::logger> logger;
  config::LogFormat format = config::LogFormat::text;
};

Sink& sink() {
  static Sink instance = [] {
    Sink made;
    made.logger = std::make_shared<spdlog::logger>("rncd", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %v");
    return made;
  }();
  return instance;
}

}  // namespace

void Field::append_to(std::string& line, config::LogFormat format) const {
  if (format == config::LogFormat::json) {
    line.append(",").append(as_json(key_)).append(":").append(text_ ? as_json(value_) : value_);
  } else {
    line.append(" ").append(key_).append("=").append(!text_ || is_plain(value_) ? value_ : as_json(value_));
  }
}

std::string format_event(config::LogFormat format, Level level, std::string_view event,
                         const Fields& fields) {
  std::string line;
  if (format == config::LogFormat::json) {
    line.append("\"level\":").append(as_json(level_name(level))).append(",\"event\":").append(as_json(event));
  } else {
    line.append("level=").append(level_name(level)).append(" event=").append(event);
  }
  for (const Field& field : fields) field.append_to(line, format);
  return line;
}

void configure(const config::Log& settings) {
  Sink& out = sink();
  out.format = settings.format;
  out.logger->set_pattern(settings.format == config::LogFormat::json
                              ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z",%v})"
                              : "%Y-%m-%dT%H:%M:%S.%e%z %v");
  out.logger->set_level(spdlog::level::from_str(settings.level));
  out.logger->flush_on(spdlog::level::debug);
}

void write(Level level, std::string_view event, const Fields& fields) {
  const Sink& out = sink();
  if (!out.logger->should_log(to_spdlog(level))) return;
  out.logger->log(to_spdlog(level), format_event(out.format, level, event, fields));
}

}  // namespace control::log

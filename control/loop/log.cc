#include "control/loop/log.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "config/notation/words.h"
#include "control/loop/event_log.h"
#include "control/loop/log_writer.h"

namespace control::log {
namespace {

using Json = nlohmann::json;

std::string as_json(std::string_view text) {
  return config::escaped(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

bool is_plain(std::string_view text) {
  constexpr std::string_view kQuoted = " =\"\\";
  if (text.empty()) return false;
  for (const char c : text) {
    if (kQuoted.find(c) != std::string_view::npos) return false;
  }
  return config::utf8_prefix(text) == text.size() && config::escaped(text) == text &&
         text.find_first_of("\n\t") == std::string_view::npos;
}

spdlog::level::level_enum to_spdlog(Level level) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn, spdlog::level::err};
  return kLevels[static_cast<int>(level)];
}

// Exceeds any burst that an active reader would not have taken.
constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
constexpr std::chrono::milliseconds kFlushPatience{1000};

std::atomic<LogWriter*>& writer() {
  static std::atomic<LogWriter*> instance{nullptr};
  return instance;
}

void emit(std::string_view line) {
  if (LogWriter* const thread = writer()) return thread->put(line);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

class LineSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::string format(spdlog::level::level_enum level, std::string_view text) {
    spdlog::memory_buf_t line;
    const std::lock_guard lock(mutex_);
    formatter_->format(
        spdlog::details::log_msg("rncd", level, spdlog::string_view_t(text.data(), text.size())), line);
    return {line.data(), line.size()};
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    emit({line.data(), line.size()});
  }
  void flush_() override {}
};

struct Sink {
  std::shared_ptr<LineSink> lines = std::make_shared<LineSink>();
  std::shared_ptr<spdlog::logger> logger = std::make_shared<spdlog::logger>("rncd", lines);
  std::atomic<config::LogFormat> format = config::LogFormat::text;
};

// Never destroyed: the log's thread may outlast main().
Sink& sink() {
  static Sink& instance = []() -> Sink& {
    auto* made = new Sink;
    made->logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %v");
    return *made;
  }();
  return instance;
}

std::string dropped_line(std::uint64_t lines) {
  try {
    return sink().lines->format(
        spdlog::level::warn,
        format_event(sink().format, Level::warning, name(Event::log_dropped), {{"lines", lines}}));
  } catch (const std::exception&) {
    return {};  // no memory; the metric still counts it
  }
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
    line.append("\"level\":").append(as_json(name(level))).append(",\"event\":").append(as_json(event));
  } else {
    line.append("level=").append(name(level)).append(" event=").append(event);
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
}

namespace {

void write_line(Level level, std::string_view event, const Fields& fields) {
  events().add(level, event, fields);
  const Sink& out = sink();
  if (!out.logger->should_log(to_spdlog(level))) return;
  out.logger->log(to_spdlog(level), format_event(out.format, level, event, fields));
}

}  // namespace

void write(Level level, Event event, const Fields& fields) { write_line(level, name(event), fields); }

void request(Level level, std::string_view method, const Fields& fields) {
  write_line(level, method, fields);
}

void say(std::string_view text) {
  fmt::memory_buffer line;  // short lines need no allocation
  const bool plain = std::ranges::all_of(text, [](char c) { return (c >= ' ' && c <= '~') || c == '\n'; });
  fmt::format_to(std::back_inserter(line), "rncd: {}\n",
                 plain ? text : std::string_view(config::escaped(text)));
  emit({line.data(), line.size()});
}

std::uint64_t dropped() {
  const LogWriter* const thread = writer();
  return thread == nullptr ? 0 : thread->dropped();
}

Session::Session() {
  try {
    writer() = new LogWriter(STDERR_FILENO, kBufferBytes, dropped_line);
  } catch (const std::exception& e) {
    warning(Event::log_waits, {{"error", e.what()}, {"effect", "rncd waits for who reads its log"}});
  }
}

Session::~Session() {
  if (LogWriter* const thread = writer()) thread->flush(kFlushPatience);
}

void share_cpus_of_caller() {
  if (LogWriter* const thread = writer()) thread->share_cpus_of_caller();
}

}  // namespace control::log

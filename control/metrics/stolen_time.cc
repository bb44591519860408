#include "control/metrics/stolen_time.h"

#include <charconv>
#include <fstream>
#include <string>

namespace control {

std::optional<std::uint64_t> run_delay_of(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(space + 1);
  std::uint64_t delay = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), delay);
  if (error != std::errc{} || end == rest.data() + rest.size() || *end != ' ') return std::nullopt;
  return delay;
}

std::optional<std::uint64_t> stolen_ns(int thread_id) {
  if (thread_id <= 0) return std::nullopt;
  std::ifstream file("/proc/self/task/" + std::to_string(thread_id) + "/schedstat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return run_delay_of(line);
}

}  // namespace control

#include "tools/ctl/units.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <span>

namespace ctl {
namespace {

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

// Three digits or so, without zeroes that say nothing: 8, 1.25, 12.5, 384.
std::string short_number(double value) {
  auto text = fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string scaled(double value, double step, std::span<const char* const> units) {
  std::size_t unit = 0;
  // 999.6 would be printed as 1000 of the smaller unit
  while (unit + 1 < units.size() && value >= step - (unit == 0 ? 0.0 : 0.5)) {
    value /= step;
    ++unit;
  }
  return (unit == 0 ? fixed(value, 0) : short_number(value)) + units[unit];
}

}  // namespace

std::string rate_text(std::uint64_t bits_per_second) {
  constexpr std::array kUnits{" bit/s", " kbit/s", " Mbit/s", " Gbit/s"};
  return bits_per_second == 0 ? "-" : scaled(static_cast<double>(bits_per_second), 1000, kUnits);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  return scaled(static_cast<double>(bytes), 1024, kUnits);
}

std::string count_text(std::uint64_t count) {
  auto text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string percent_text(double ratio) { return fixed(ratio * 100, 1) + " %"; }

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  char text[64];
  std::snprintf(text, sizeof(text), "%02u:%02u:%02u", static_cast<unsigned>(whole / 3600 % 24),
                static_cast<unsigned>(whole / 60 % 60), static_cast<unsigned>(whole % 60));
  return whole < 86400 ? text : std::to_string(whole / 86400) + " d " + text;
}

std::string brief_rate(std::uint64_t bits_per_second) {
  constexpr std::array kUnits{"", "k", "M", "G", "T", "P", "E"};
  return bits_per_second == 0 ? "-" : scaled(static_cast<double>(bits_per_second), 1000, kUnits);
}

std::string brief_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return scaled(static_cast<double>(bytes), 1024, kUnits);
}

std::string brief_count(std::uint64_t count) {
  constexpr std::array kUnits{"", "k", "M", "G", "T", "P", "E"};
  constexpr std::uint64_t kShort = 100'000;
  return count < kShort ? count_text(count) : scaled(static_cast<double>(count), 1000, kUnits);
}

std::string brief_duration(double seconds) {
  const auto hours = static_cast<std::uint64_t>(seconds) / 3600;
  if (hours < 24) return duration_text(seconds);
  char text[64];
  std::snprintf(text, sizeof(text), "%02u", static_cast<unsigned>(hours % 24));
  return hours < 24'000 ? std::to_string(hours / 24) + "d" + text + "h" : count_text(hours / 24) + "d";
}

std::string milliseconds_text(double milliseconds) {
  if (milliseconds >= 10 || milliseconds == 0)
    return count_text(static_cast<std::uint64_t>(std::llround(milliseconds)));
  char text[24];
  std::snprintf(text, sizeof(text), "%.2g", milliseconds);
  return text;
}

}  // namespace ctl

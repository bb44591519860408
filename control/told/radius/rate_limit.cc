#include "control/told/radius/rate_limit.h"

#include <charconv>

namespace control::told::radius {
namespace {

std::optional<std::uint64_t> factor_of(std::string_view suffix) {
  if (suffix.empty()) return 1;
  if (suffix == "k" || suffix == "K") return 1'000;
  if (suffix == "M" || suffix == "m") return 1'000'000;
  if (suffix == "G" || suffix == "g") return 1'000'000'000;
  return std::nullopt;
}

std::optional<std::uint64_t> parse_rate(std::string_view text) {
  constexpr std::uint64_t kMost = 1'000'000'000'000'000;  // bit/s
  std::uint64_t digits = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, digits);
  if (code != std::errc{} || digits > kMost) return std::nullopt;
  const auto factor = factor_of({rest, static_cast<std::size_t>(end - rest)});
  if (!factor || digits > kMost / *factor) return std::nullopt;
  return digits * *factor;
}

}  // namespace

std::optional<RateLimit> parse_rate_limit(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find_first_of(std::string_view(" \0", 2)));
  const auto slash = text.find('/');
  const auto rx = parse_rate(text.substr(0, slash));
  const auto tx = slash == std::string_view::npos ? rx : parse_rate(text.substr(slash + 1));
  if (!rx || !tx) return std::nullopt;
  return RateLimit{*rx, *tx};
}

}  // namespace control::told::radius

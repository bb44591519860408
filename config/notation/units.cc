#include "config/notation/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include <fmt/core.h>

#include "config/notation/words.h"

namespace config {
namespace {

struct Suffix {
  std::string_view text;
  std::uint64_t factor;
};

constexpr std::uint64_t kKilo = 1'000, kMega = 1'000'000, kGiga = 1'000'000'000;
constexpr std::array kRates{Suffix{"", 1}, Suffix{"k", kKilo}, Suffix{"M", kMega}, Suffix{"G", kGiga}};
constexpr std::array kSizes{Suffix{"B", 1},
                            Suffix{"kB", kKilo},
                            Suffix{"MB", kMega},
                            Suffix{"GB", kGiga},
                            Suffix{"KiB", std::uint64_t{1} << 10},
                            Suffix{"MiB", std::uint64_t{1} << 20},
                            Suffix{"GiB", std::uint64_t{1} << 30}};
constexpr std::array kSdus{Suffix{"sdu", 1}};
constexpr std::array kDurations{Suffix{"ns", 1},    Suffix{"us", kKilo},       Suffix{"ms", kMega},
                                Suffix{"s", kGiga}, Suffix{"min", 60 * kGiga}, Suffix{"h", 3600 * kGiga}};
constexpr std::array kCounts{Suffix{"", 1}};
constexpr std::array kRatios{Suffix{"%", 1}};
constexpr std::array<Suffix, 0> kNumbers{};

struct UnitWords {
  std::string_view name;
  std::span<const Suffix> suffixes;
  bool plain;  // a number without unit is in the base unit
  std::string_view spellings;
};

const UnitWords& words(dp::Unit unit) {
  static constexpr std::array<UnitWords, 7> kWords{{
      {"rate", kRates, true, "384k, 1.5M or 1G, with bit or bit/s behind if wanted; a number alone is bit/s"},
      {"size", kSizes, true,
       "1500B, 64KiB (1024 bytes each), 64kB (1000), MiB, MB, GiB or GB; a number alone is bytes"},
      {"number of SDUs", kSdus, true, "50 or 50sdu"},
      {"duration", kDurations, false, "500ns, 10us, 200ms, 1.5s, 2min or 1h"},
      {"ratio", kRatios, true, "10% or 0.1"},
      {"number", kNumbers, true, "0.01, 1 or 2.5"},
      {"whole number", kCounts, true, "8"},
  }};
  return kWords[static_cast<std::size_t>(unit)];
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A decimal number: digits / 10^decimals, and the text after it.
struct Decimal {
  std::string digits;
  std::size_t decimals = 0;
  std::string_view written;  // the number itself
  std::string_view rest;
};

std::optional<Decimal> split_decimal(std::string_view text) {
  Decimal out;
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) out.digits += text[at++];
  if (out.digits.empty()) return std::nullopt;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    for (++at; at < text.size() && is_digit(text[at]); ++out.decimals) out.digits += text[at++];
  }
  while (out.decimals > 0 && out.digits.back() == '0') {
    out.digits.pop_back();
    --out.decimals;
  }
  out.written = text.substr(0, at);
  while (at < text.size() && text[at] == ' ') ++at;
  out.rest = text.substr(at);
  return out;
}

dp::Error expected(const UnitWords& unit, std::string_view reason = {}) {
  return {fmt::format("a {} such as {}{}", unit.name, unit.spellings, reason)};
}

// The prefix of a rate as other tools write it, such as `Mbps`, in any case except for `b`, whose capital
// means byte; empty for other suffixes.
std::string_view rate_prefix(std::string_view suffix) {
  static constexpr std::array<std::string_view, 9> kTails{"bps", "bit",     "bits",     "bit/s", "bits/s",
                                                          "b/s", "bit/sec", "bits/sec", ""};
  static constexpr std::string_view kPrefixes = "kKmMgG";
  const auto at = suffix.empty() ? std::string_view::npos : kPrefixes.find(suffix.front());
  if (at == std::string_view::npos) return {};
  if (std::ranges::find(kTails, suffix.substr(1)) == kTails.end()) return {};
  return kRates[1 + at / 2].text;
}

// `number`: the text before the unit.
dp::Error unknown_unit(dp::Unit unit, std::string_view number, std::string_view found) {
  const UnitWords& w = words(unit);
  std::vector<std::string_view> names;
  for (const auto& suffix : w.suffixes) names.push_back(suffix.text);
  std::string_view meant = unit == dp::Unit::rate ? rate_prefix(found) : std::string_view{};
  if (meant.empty()) meant = nearest(found, names);
  const std::string whole = std::string(number) + std::string(meant);
  return expected(w, fmt::format("; '{}' is no unit of it{}", shorten(found),
                                 (meant.empty() ? "" : "; did you mean `" + whole + "`?")));
}

std::optional<std::uint64_t> factor_of(dp::Unit unit, std::string_view suffix) {
  const auto& w = words(unit);
  if (suffix.empty() && w.plain) return 1;
  if (unit == dp::Unit::rate) {
    for (std::string_view tail : {"bit/s", "bit"}) {
      if (suffix.ends_with(tail)) {
        suffix.remove_suffix(tail.size());
        break;
      }
    }
  }
  const auto at = std::ranges::find(w.suffixes, suffix, &Suffix::text);
  return at == w.suffixes.end() ? std::nullopt : std::optional{at->factor};
}

// digits / 10^decimals * factor, if it is a whole number of 64 bits.
dp::Result<std::uint64_t> scale(const Decimal& number, std::uint64_t factor, const UnitWords& unit) {
  std::size_t decimals = number.decimals;
  for (; decimals > 0 && factor % 10 == 0; --decimals) factor /= 10;
  std::uint64_t value = 0;
  const auto* end = number.digits.data() + number.digits.size();
  if (std::from_chars(number.digits.data(), end, value).ec != std::errc{} ||
      __builtin_mul_overflow(value, factor, &value)) {
    return expected(unit, "; it has too many digits");
  }
  for (; decimals > 0; --decimals) {
    if (value % 10 != 0) return expected(unit, "; it is no whole number of the smallest unit");
    value /= 10;
  }
  return value;
}

// value / factor, if it has few decimals.
std::optional<std::string> quotient(std::uint64_t value, std::uint64_t factor) {
  std::string text = std::to_string(value / factor);
  std::uint64_t rest = value % factor;
  if (rest != 0) text += '.';
  for (int digits = 0; rest != 0; ++digits) {
    if (digits == 9) return std::nullopt;
    rest *= 10;
    text += static_cast<char>('0' + rest / factor);
    rest %= factor;
  }
  return text;
}

}  // namespace

dp::Result<std::uint64_t> parse_quantity(dp::Unit unit, std::string_view text) {
  const auto number = split_decimal(text);
  if (!number) return expected(words(unit));
  const auto factor = factor_of(unit, number->rest);
  if (!factor && number->rest.empty() && number->digits.find_first_not_of('0') == std::string::npos) return 0;
  if (!factor && number->rest.empty()) return expected(words(unit), "; it needs a unit");
  if (!factor) return unknown_unit(unit, number->written, number->rest);
  return scale(*number, *factor, words(unit));
}

std::string format_quantity(dp::Unit unit, std::uint64_t value) {
  std::string best;
  for (const auto& suffix : words(unit).suffixes) {
    const auto number = quotient(value, suffix.factor);
    if (!number) continue;
    const bool fraction = number->find('.') != std::string::npos;
    if (unit == dp::Unit::duration && suffix.factor > kGiga && fraction) continue;  // no 0.5h
    const std::string text = *number + std::string(suffix.text);
    if (best.empty() || text.size() < best.size()) best = text;
  }
  return best;
}

dp::Result<double> parse_real(dp::Unit unit, std::string_view text) {
  const auto& w = words(unit);
  const auto number = split_decimal(text);
  if (!number) return expected(w);
  const bool percent = unit == dp::Unit::ratio && number->rest == "%";
  if (!percent && !number->rest.empty()) return unknown_unit(unit, number->written, number->rest);
  // Moves the decimal point in the text, so that 10% is exactly 0.1.
  const std::size_t decimals = number->decimals + (percent ? 2 : 0);
  const std::string plain = fmt::format("{}e-{}", number->digits, decimals);
  double value = 0;
  if (std::from_chars(plain.data(), plain.data() + plain.size(), value).ec != std::errc{}) return expected(w);
  return value;
}

std::string format_real(dp::Unit unit, double value) {
  std::array<char, 400> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed).ptr;
  std::string plain(buffer.data(), end);
  const auto number = split_decimal(plain);
  if (!number || unit != dp::Unit::ratio) return plain;
  std::string digits = number->digits;
  std::size_t decimals = number->decimals;
  for (int i = 0; i < 2; ++i) decimals > 0 ? void(--decimals) : void(digits += '0');
  if (decimals > 0) digits.insert(digits.size() - decimals, ".");
  const auto first = digits.find_first_not_of('0');
  digits.erase(0, first == std::string::npos ? digits.size() - 1 : digits[first] == '.' ? first - 1 : first);
  return digits.size() + 1 <= plain.size() ? digits + "%" : plain;
}

std::string_view unit_name(dp::Unit unit) { return words(unit).name; }
std::string unit_spellings(dp::Unit unit) { return std::string(words(unit).spellings); }

std::string unit_help() {
  std::string out;
  for (auto unit : {dp::Unit::rate, dp::Unit::bytes, dp::Unit::sdus, dp::Unit::duration, dp::Unit::ratio,
                    dp::Unit::number, dp::Unit::count}) {
    out += fmt::format("{}: {}\n", unit_name(unit), unit_spellings(unit));
  }
  return out;
}

}  // namespace config

#include "config/notation/words.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "dataplane/base/expect.h"

namespace config {
namespace {

constexpr std::size_t kShown = 60;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Levenshtein distance with an exchange of two neighbours as one edit; ignores case.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

bool begins_alike(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return false;
  if (lower(a[0]) == lower(b[0])) return true;
  return a.size() > 2 && b.size() > 2 && lower(a[0]) == lower(b[1]) && lower(a[1]) == lower(b[0]);
}

// Length of the character at the start of `text`; 0 if it is invalid.
std::size_t character(std::string_view text) {
  DP_EXPECT(!text.empty());
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Excludes overlong forms, surrogates, and characters beyond U+10FFFF.
  const unsigned second = byte(1);
  const bool bad = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                   (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return bad ? 0 : size;
}

// Requires: `text` begins with a valid character of `size` bytes.
char32_t decoded(std::string_view text, std::size_t size) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  char32_t c = size == 1 ? byte(0) : byte(0) & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) c = c << 6 | (byte(i) & 0x3fu);
  return c;
}

// Cc, Cf, Zl and Zp of Unicode 15 (UnicodeData.txt).
constexpr std::pair<char32_t, char32_t> kHidden[]{
    {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},       {0x600, 0x605},     {0x61c, 0x61c},
    {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},     {0x180e, 0x180e},
    {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x2064},   {0x2066, 0x206f},   {0xfeff, 0xfeff},
    {0xfff9, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0001, 0xe0001}, {0xe0020, 0xe007f}};

bool is_visible(char32_t character) {
  return std::ranges::none_of(
      kHidden, [=](const auto& range) { return character >= range.first && character <= range.second; });
}

// A JSON escape, which is in UTF-16.
std::string in_escapes(char32_t character) {
  const auto c = static_cast<unsigned>(character);
  if (c <= 0xffff) return fmt::format("\\u{:04x}", c);
  const unsigned above = c - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (above >> 10), 0xdc00 + (above & 0x3ff));
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = character(text);
    if (size == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (const char32_t c = decoded(text, size); c == '\n' || c == '\t' || is_visible(c)) {
      out += text.substr(0, size);
    } else {
      out += in_escapes(c);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

std::size_t utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t size = character(text.substr(at));
    if (size == 0) break;
    at += size;
  }
  return at;
}

std::string shorten(std::string_view text) {
  text = text.substr(0, utf8_prefix(text));
  std::size_t end = std::min(text.size(), kShown);
  while (end > 0 && end < text.size() && (text[end] & 0xc0) == 0x80) --end;  // not inside a character
  std::string out;
  for (std::string_view rest = text.substr(0, end); !rest.empty();) {
    const std::size_t size = character(rest);
    out += is_visible(decoded(rest, size)) ? rest.substr(0, size) : "?";
    rest.remove_prefix(size);
  }
  return text.size() > kShown ? out + "..." : out;
}

std::string_view nearest(std::string_view text, std::span<const std::string_view> names) {
  if (text.empty() || text.size() > kShown) return {};
  std::string_view best;
  std::size_t least = text.size() < 2 ? 1 : std::max<std::size_t>((text.size() + 1) / 4, 1) + 1;
  for (const auto name : names) {
    if (!begins_alike(text, name)) continue;
    const std::size_t d = distance(text, name);
    if (d > least || d >= name.size()) continue;
    best = d < least ? name : std::string_view{};
    least = d;
  }
  return best;
}

std::string did_you_mean(std::string_view text, std::span<const std::string_view> names) {
  const auto name = nearest(text, names);
  return name.empty() ? "" : "; did you mean `" + std::string(name) + "`?";
}

std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string one_of(std::span<const std::string_view> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

}  // namespace config

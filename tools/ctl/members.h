// Members of an answer as text, by their paths. One that is not there is "-".
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "tools/ctl/client.h"
#include "tools/ctl/units.h"

namespace ctl::views {

inline constexpr std::array kLegs{"downlink", "uplink"};

// The member at a path such as "/downlink/rate"; null if it is not there. The path is walked in place, since
// a long list asks for many. Requires: `in` outlives the result.
inline const Json& look(const Json& in, std::string_view path) {
  static const Json kNone;
  const Json* at = &in;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    if (!at->is_object()) return kNone;
    const auto member = at->find(path.substr(1, end - 1));
    if (member == at->end()) return kNone;
    at = &*member;
    path.remove_prefix(end);
  }
  return *at;
}

inline std::string plain(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

template <class Format>
std::string number(const Json& value, Format format) {
  return value.is_number() && value >= 0 ? format(value.get<double>()) : plain(value);
}

inline std::string count(const Json& in, const char* pointer) {
  const auto value = look(in, pointer);
  return value.is_number_unsigned() ? count_text(value.get<std::uint64_t>()) : plain(value);
}

inline std::string bytes(const Json& in, const char* pointer) {
  return number(look(in, pointer), [](double b) { return bytes_text(static_cast<std::uint64_t>(b)); });
}

inline std::string rate(const Json& in, const char* pointer) {
  return number(look(in, pointer), [](double r) { return rate_text(static_cast<std::uint64_t>(r)); });
}

inline std::string percent(const Json& in, const char* pointer) {
  return number(look(in, pointer), [](double r) { return percent_text(r); });
}

inline std::string duration(const Json& in, const char* pointer) {
  return number(look(in, pointer), [](double s) { return duration_text(s); });
}

inline std::string rounded(const Json& in, const char* pointer) {
  return number(look(in, pointer),
                [](double v) { return count_text(static_cast<std::uint64_t>(std::llround(v))); });
}

inline std::string text_at(const Json& in, const char* pointer) { return plain(look(in, pointer)); }

// In the form in which the log and tshark write TEIDs.
inline std::string teid_text(std::uint32_t teid) {
  std::array<char, 11> text{};
  std::snprintf(text.data(), text.size(), "0x%08x", static_cast<unsigned>(teid));
  return text.data();
}

inline std::string teid_at(const Json& in, const char* pointer) {
  return number(look(in, pointer), [](double teid) { return teid_text(static_cast<std::uint32_t>(teid)); });
}

// "10.45.0.2", of a dedicated bearer "10.45.0.2 qfi 1": the name that rncd takes. `selector`: the object with
// its QFI or TEID.
inline std::string name_of(const Json& ue, const Json& selector) {
  std::string text = plain(ue);
  if (const Json qfi = look(selector, "/qfi"); !qfi.is_null()) text += " qfi " + plain(qfi);
  if (const Json teid = look(selector, "/teid"); teid.is_number_integer()) {
    std::array<char, 11> digits{};
    std::snprintf(digits.data(), digits.size(), "0x%x", teid.get<unsigned>());
    text += std::string(" teid ") + digits.data();
  }
  return text;
}

inline std::string milliseconds(const Json& in, const char* pointer) {
  return number(look(in, pointer), [](double s) { return milliseconds_text(s * 1e3); });
}

}  // namespace ctl::views

// Members of an answer as text, by their JSON pointers. One that is not there is "-".
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "tools/ctl/client.h"
#include "tools/ctl/units.h"

namespace ctl::views {

inline constexpr std::array kLegs{"downlink", "uplink"};

inline Json look(const Json& in, const char* pointer) {
  return in.is_object() ? in.value(Json::json_pointer(pointer), Json()) : Json();
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

// TEIDs in the form in which the log and tshark write them.
inline std::string teid_at(const Json& in, const char* pointer) {
  return number(look(in, pointer), [](double teid) {
    std::array<char, 11> text{};
    std::snprintf(text.data(), text.size(), "0x%08x", static_cast<unsigned>(teid));
    return std::string(text.data());
  });
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
  return number(look(in, pointer), [](double s) {
    if (s >= 0.01 || s == 0) return count_text(static_cast<std::uint64_t>(std::llround(s * 1e3)));
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%.2g", s * 1e3);
    return std::string(text.data());
  });
}

}  // namespace ctl::views

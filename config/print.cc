#include "config/print.h"

#include <algorithm>

#include "config/aqm.h"
#include "config/leg.h"
#include "config/schema.h"

namespace config {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_./:%+-").find(c) != std::string_view::npos;
}

// Text that every YAML reader takes for the same text stands bare.
std::string quote(const std::string& text) {
  static constexpr std::string_view kOther[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  std::string lower = text;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool bare = !text.empty() && is_word(text[0]) &&
                    std::string_view(":%+-.").find(text[0]) == std::string_view::npos &&
                    std::ranges::all_of(text, is_word) && text.find(':') == std::string::npos &&
                    std::ranges::find(kOther, lower) == std::end(kOther) &&
                    (text[0] != '0' || text.find_first_not_of("01234567") != std::string::npos);
  return bare ? text : Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string in_line(const Json& value) {
  if (value.is_string()) return quote(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value.dump();
  std::string out;
  for (const auto& item : value.items()) {
    if (!out.empty()) out += ", ";
    out += (value.is_object() ? quote(item.key()) + ": " : "") + in_line(item.value());
  }
  return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

bool is_deep(const Json& value) {
  return value.is_structured() && std::ranges::any_of(value, [](const Json& v) { return v.is_structured(); });
}

void block(std::string& out, const Json& map, std::size_t indent) {
  const std::string space(indent, ' ');
  for (const auto& item : map.items()) {
    out += space + quote(item.key()) + ":";
    const Json& value = item.value();
    if (value.is_object() && (is_deep(value) || (indent == 0 && !value.empty()))) {
      out += '\n';
      block(out, value, indent + 2);
    } else if (is_deep(value)) {
      out += '\n';
      for (const auto& entry : value) out += space + "  - " + in_line(entry) + "\n";
    } else {
      out += ' ' + in_line(value) + '\n';
    }
  }
}

}  // namespace

std::string to_yaml(const Config& config) {
  std::string out;
  block(out, print_config(config), 0);
  return out;
}

nlohmann::json to_json(const Config& config) { return nlohmann::json(print_config(config)); }
nlohmann::json to_json(const dp::AqmConfig& aqm) { return nlohmann::json(print_aqm_values(aqm)); }
nlohmann::json to_json(const dp::LegSettings& leg) { return nlohmann::json(print_leg(leg)); }

}  // namespace config

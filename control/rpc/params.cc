#include "control/rpc/params.h"

#include <algorithm>

#include "config/notation/words.h"
#include "dataplane/base/expect.h"

namespace control::rpc {
namespace {

[[noreturn]] void wrong_type(const std::string& path, const Json& found, const char* expected) {
  throw Fault(kInvalidParams, path + ": expected " + expected + ", found " + found.type_name());
}

}  // namespace

Params::Params(const Json& json, std::initializer_list<std::string_view> known, std::string where)
    : json_(json), where_(std::move(where)) {
  if (!json.is_object()) {
    throw Fault(kInvalidParams, (where_.empty() ? "params" : where_) +
                                    ": expected an object with named members, found " + json.type_name());
  }
  for (const auto& [key, value] : json.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw Fault(kInvalidParams, "unknown parameter \"" + path(config::shorten(key)) + "\"" +
                                      config::did_you_mean(key, {known.begin(), known.size()}));
    }
  }
}

std::string Params::path(std::string_view name) const {
  return where_.empty() ? std::string(name) : where_ + "." + std::string(name);
}

void Params::refuse(std::string_view name, const std::string& why) const {
  throw Fault(kInvalidParams, path(name) + ": " + why);
}

const Json* Params::find(std::string_view name) const {
  const auto at = json_.find(name);
  return at == json_.end() ? nullptr : &*at;
}

const Json& Params::need(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) throw Fault(kInvalidParams, "parameter \"" + path(name) + "\" is missing");
  return *value;
}

const Json* Params::typed(std::string_view name, Json::value_t type, const char* expected) const {
  const Json* value = find(name);
  if (value != nullptr && value->type() != type) wrong_type(path(name), *value, expected);
  return value;
}

std::optional<std::string> Params::text(std::string_view name) const {
  const Json* value = typed(name, Json::value_t::string, "a string");
  return value == nullptr ? std::nullopt : std::optional(value->get<std::string>());
}

std::string Params::need_text(std::string_view name) const {
  need(name);
  return *text(name);
}

std::optional<std::uint64_t> Params::number(std::string_view name, std::uint64_t min,
                                            std::uint64_t max) const {
  DP_EXPECT(min <= max);
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const std::string range = "an integer from " + std::to_string(min) + " to " + std::to_string(max);
  if (!value->is_number_integer()) wrong_type(path(name), *value, range.c_str());
  const bool in_range =
      value->is_number_unsigned() && value->get<std::uint64_t>() >= min && value->get<std::uint64_t>() <= max;
  if (!in_range) refuse(name, "expected " + range + ", found " + value->dump());
  return value->get<std::uint64_t>();
}

const Json* Params::array(std::string_view name) const {
  return typed(name, Json::value_t::array, "an array");
}

const Json* Params::object(std::string_view name) const {
  return typed(name, Json::value_t::object, "an object");
}

dp::UeAddress Params::need_ue(std::string_view name) const { return to_ue(need(name), path(name)); }

dp::UeAddress to_ue(const Json& value, const std::string& path) {
  if (!value.is_string()) wrong_type(path, value, "a string, e.g. \"10.45.0.2\" or \"2001:db8:1:2::/64\"");
  const auto ue = dp::parse_ue(value.get_ref<const std::string&>());
  if (!ue) throw Fault(kInvalidParams, path + ": " + ue.error().message);
  return *ue;
}

}  // namespace control::rpc

#include "control/rpc/params.h"

#include <algorithm>

#include <fmt/core.h>

#include "config/dedicated.h"
#include "config/notation/words.h"
#include "dataplane/base/expect.h"

namespace control::rpc {
namespace {

[[noreturn]] void wrong_type(const std::string& path, const Json& found, const char* expected) {
  throw Fault(kInvalidParams, fmt::format("{}: expected {}, found {}", path, expected, found.type_name()));
}

}  // namespace

Params::Params(const Json& json, Rows rows, std::string where)
    : json_(json), rows_(rows), where_(std::move(where)) {
  if (!json.is_object()) {
    throw Fault(kInvalidParams, (where_.empty() ? "params" : where_) +
                                    ": expected an object with named members, found " + json.type_name());
  }
  for (const auto& [key, value] : json.items()) {
    if (row(key) != nullptr) continue;
    std::vector<std::string_view> names;
    for (const Row& known : rows_) names.push_back(known.name);
    throw Fault(kInvalidParams, fmt::format("unknown parameter \"{}\"{}", path(config::shorten(key)),
                                            config::did_you_mean(key, names)));
  }
  for (const Row& known : rows_) {
    if (known.need == Need::must) need(known.name);
  }
}

const Row* Params::row(std::string_view name) const {
  const auto at = std::ranges::find(rows_, name, &Row::name);
  return at == rows_.end() ? nullptr : &*at;
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

std::uint64_t Params::number(std::string_view name) const {
  const Row* const known = row(name);
  DP_EXPECT(known != nullptr && known->integers && known->integers->min <= known->integers->max);
  const auto [min, max, usual] = *known->integers;
  const Json* const value = known->need == Need::must ? &need(name) : find(name);
  if (value == nullptr) return usual.value_or(0);
  const std::string range = fmt::format("an integer from {} to {}", min, max);
  if (!value->is_number_integer()) wrong_type(path(name), *value, range.c_str());
  const bool in_range =
      value->is_number_unsigned() && value->get<std::uint64_t>() >= min && value->get<std::uint64_t>() <= max;
  if (!in_range) refuse(name, fmt::format("expected {}, found {}", range, value->dump()));
  return value->get<std::uint64_t>();
}

bool Params::flag(std::string_view name) const {
  const Json* value = typed(name, Json::value_t::boolean, "true or false");
  return value != nullptr && value->get<bool>();
}

const Json* Params::array(std::string_view name) const {
  return typed(name, Json::value_t::array, "an array");
}

const Json* Params::object(std::string_view name) const {
  return typed(name, Json::value_t::object, "an object");
}

dp::UeAddress Params::need_ue(std::string_view name, const config::Networks& networks) const {
  const dp::UeAddress ue = to_ue(need(name), path(name), networks);
  const Json* const qfi = find(kQfi.name);
  const auto teid = this->teid(kTeid.name);
  if (qfi == nullptr && !teid) return ue;
  if (qfi != nullptr && teid) refuse(kTeid.name, "given beside \"qfi\"; one of the two names a bearer");
  if (ue.dedicated != dp::Dedicated::no) {
    refuse(teid ? kTeid.name : kQfi.name,
           fmt::format("given, and \"{}\" names a dedicated bearer already, {}; give one of the two", name,
                       config::selector_text(ue)));
  }
  if (teid) return dp::dedicated_by_teid(ue, *teid);
  const bool fits = qfi->is_number_unsigned() && qfi->get<std::uint64_t>() <= dp::kMaxQfi;
  if (!fits) {
    refuse(kQfi.name, fmt::format("expected an integer from 0 to {}, found {}", dp::kMaxQfi,
                                  config::shorten(qfi->dump())));
  }
  return dp::dedicated_by_qfi(ue, qfi->get<std::uint32_t>());
}

std::optional<std::uint32_t> Params::teid(std::string_view name) const {
  const Json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  const bool number =
      value->is_number_unsigned() && *value != 0 && value->get<std::uint64_t>() <= 0xffff'ffff;
  if (number) return value->get<std::uint32_t>();
  const auto read =
      value->is_string() ? config::parse_teid(value->get_ref<const std::string&>()) : std::nullopt;
  if (read) return read;
  refuse(name, fmt::format("expected {}, found {}", config::kTeidForm, config::shorten(value->dump())));
}

dp::UeAddress to_ue(const Json& value, const std::string& path, const config::Networks& networks) {
  if (!value.is_string()) wrong_type(path, value, "a string, e.g. \"10.45.0.2\" or \"2001:db8:1:2::/64\"");
  const auto ue = config::parse_bearer(value.get_ref<const std::string&>(), networks);
  if (!ue) throw Fault(kInvalidParams, path + ": " + ue.error().message);
  return *ue;
}

dp::UeAddress listed_ue(const Json& value, const std::string& path, const config::Networks& networks) {
  return value.is_object() ? Params(value, kOneUe, path).need_ue("ue", networks)
                           : to_ue(value, path, networks);
}

void add_name(Json& json, const char* key, const dp::UeAddress& bearer, const config::Networks& networks) {
  json[key] = config::text_of(dp::default_bearer_of(bearer), networks);
  if (bearer.dedicated == dp::Dedicated::by_qfi) json[kQfi.name] = bearer.id;
  if (bearer.dedicated == dp::Dedicated::by_teid) json[kTeid.name] = bearer.id;
}

}  // namespace control::rpc

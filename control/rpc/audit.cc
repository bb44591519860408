#include "control/rpc/audit.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "config/notation/words.h"
#include "config/print.h"

namespace control::rpc {
namespace {

std::string plain(const Json& value) { return value.is_string() ? value.get<std::string>() : to_text(value); }

// Prints lists and objects, which commas part within, in one piece.
std::string describe(const Json& change) {
  return (change["was"].is_null() ? "none" : plain(change["was"])) + " to " +
         (change["now"].is_null() ? "none" : plain(change["now"]));
}

std::string more(std::size_t count) { return fmt::format(" and {} more", count); }

std::string describe(const Change& change, const config::Config& config) {
  const std::vector<config::Class>& classes = config.classes;
  const std::string ue = config::text_of(change.ue, config.networks) + " ";
  if (!change.now) return ue + "removed";
  if (!change.was) {
    return ue + "new in class " + classes[change.now->cls].name +
           (change.now_in.empty() ? "" : ", cell " + change.now_in);
  }
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (!change.tunnel.empty()) add(change.tunnel);
  if (change.was->cls != change.now->cls) {
    add(fmt::format("class {} to {}", classes[change.was->cls].name, classes[change.now->cls].name));
  }
  if (change.was_in != change.now_in) {
    const auto named = [](const std::string& cell) { return cell.empty() ? std::string("none") : cell; };
    add(fmt::format("cell {} to {}", named(change.was_in), named(change.now_in)));
  }
  const Json legs = difference(*change.was, *change.now);
  for (const auto& [leg, keys] : legs.items()) {
    for (const auto& [key, values] : keys.items()) add(fmt::format("{}.{} {}", leg, key, describe(values)));
  }
  return ue + text;
}

}  // namespace

void append_result(log::Fields& fields, const Json& result) {
  for (const auto& [key, value] : result.items()) {
    if (value.is_number_integer()) {
      fields.emplace_back(key, value.get<std::int64_t>());
    } else if (!value.is_structured() && !value.is_null()) {
      fields.emplace_back(key, plain(value));
    }
  }
}

namespace {

// The program that keeps what it sets; empty for an operator.
std::string program_in(const Json& params) {
  const bool named = params.is_object() && params.contains("owner") && params["owner"].is_string();
  return named ? config::shorten(params["owner"].get<std::string>()) : "";
}

}  // namespace

Done logged(const Request& request, std::string_view event, std::string_view what, Changes changes) {
  return [done = request.done, peer = request.peer, event = std::string(event), what = std::string(what),
          owner = program_in(request.params), changes = std::move(changes)](Outcome outcome) {
    log::Fields fields{{"pid", peer.pid}, {"uid", peer.uid}, {"for", what}};
    if (!owner.empty()) fields.emplace_back("owner", owner);
    if (const Fault* fault = std::get_if<Fault>(&outcome)) {
      fields.emplace_back("refused", fault->message);
      const Json& data = fault->data;
      if (data.is_object() && data.contains("sha256"))
        fields.emplace_back("sha256", data["sha256"].get<std::string>());
      log::request(log::Level::warning, event, fields);
    } else {
      if (changes != nullptr && !changes->empty()) fields.emplace_back("changes", *changes);
      append_result(fields, std::get<Json>(outcome));
      // A program sets its bearers again and again.
      const bool refreshed = !owner.empty() && changes != nullptr && changes->empty();
      log::request(refreshed ? log::Level::debug : log::Level::info, event, fields);
    }
    done(std::move(outcome));
  };
}

namespace {

// " qfi 1" of an object that names a dedicated bearer so.
std::string selector_in(const Json& value) {
  std::string text;
  for (const std::string_view name : {kQfi.name, kTeid.name}) {
    if (!value.is_object() || !value.contains(name)) continue;
    text.append(" ").append(name).append(" ").append(config::shorten(plain(value[name])));
  }
  return text;
}

}  // namespace

std::string named_in(const Json& params, const char* one, const char* many, const char* member) {
  if (!params.is_object()) return "";
  const auto ue_of = [member](const Json& value) {
    const Json* const ue = value.is_object() && value.contains(member) ? &value[member] : &value;
    return (ue->is_string() ? config::shorten(ue->get<std::string>()) : std::string("?")) +
           selector_in(value);
  };
  if (!params.contains(many)) return params.contains(one) ? ue_of(params[one]) + selector_in(params) : "";
  const Json& list = params[many];
  if (!list.is_array()) return "";
  std::string text;
  const std::size_t named = std::min(list.size(), kMostNamed);
  for (std::size_t i = 0; i < named; ++i) text += (i == 0 ? "" : ", ") + ue_of(list[i]);
  return list.size() > named ? text + more(list.size() - named) : text;
}

namespace {

// Compares by key if there was a proxy before and is one now, else as a whole.
void compare_proxies(Json& into, const std::optional<dp::SplitConfig>& was,
                     const std::optional<dp::SplitConfig>& now) {
  if (was == now) return;
  const Json before = config::to_json(was), after = config::to_json(now);
  if (!was || !now) {
    into["proxy"]["split"] = {{"was", was ? before["split"] : Json()},
                              {"now", now ? after["split"] : Json()}};
    return;
  }
  for (const auto& [key, value] : before["split"].items()) {
    const Json& other = after["split"][key];
    if (value != other) into["proxy"][key] = {{"was", value}, {"now", other}};
  }
}

}  // namespace

Json difference(const dp::BearerSettings& was, const dp::BearerSettings& now) {
  Json legs = Json::object();
  const auto compare = [&](const char* leg, const dp::LegSettings& a, const dp::LegSettings& b) {
    if (a == b) return;
    const Json before = config::to_json(a), after = config::to_json(b);
    Json all = before;
    all.update(after);
    for (const auto& [key, value] : all.items()) {
      const Json x = before.value(key, Json()), y = after.value(key, Json());
      if (x != y) legs[leg][key] = {{"was", x}, {"now", y}};
    }
  };
  compare("downlink", was.downlink, now.downlink);
  compare("uplink", was.uplink, now.uplink);
  compare_proxies(legs, was.proxy, now.proxy);
  return legs;
}

std::string describe(const Applied& applied, const config::Config& config) {
  std::string text;
  for (const Change& change : applied.named) text += (text.empty() ? "" : "; ") + describe(change, config);
  std::size_t all = applied.created + applied.changed + applied.removed;
  for (std::size_t told = 0; told < applied.tunnels.size(); ++told) {
    if (told != static_cast<std::size_t>(dp::TunnelTold::unchanged)) all += applied.tunnels[told];
  }
  return all > applied.named.size() ? text + more(all - applied.named.size()) : text;
}

}  // namespace control::rpc

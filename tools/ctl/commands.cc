#include "tools/ctl/commands.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "dataplane/base/ids.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

// What the options of one command were; shared by the option that fills it and the callback that reads it.
struct Options {
  std::string ue, cls, rate, uplink_rate, aqm, uplink_aqm, sdus, bytes, direction, mode, file, method, json;
  std::vector<std::string> ues;
  std::size_t limit = 100;
  bool all = false;
};
using View = std::string (*)(const Json&);

auto ask(std::string method, Json params, std::string pointer = "") {
  return [=](Caller& caller) {
    const auto result = caller.call(method, params);
    const Json::json_pointer part(pointer);
    if (!result.contains(part)) throw Refused("the answer to " + method + " lacks " + pointer, result);
    return result[part];
  };
}

// Numbers go as numbers, "64k" and the like as they stand: rncd knows the units.
Json quantity(const std::string& text) {
  const bool digits = !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == text.npos;
  return digits ? Json(std::stoull(text)) : Json(text);
}

// Pages through bearer.list until there are enough.
Json list_bearers(Caller& caller, const Options& options) {
  constexpr std::size_t kPage = 500;
  Json all = Json::array();
  Json cursor;
  do {
    const auto wanted = options.all ? kPage : std::min(kPage, options.limit - all.size());
    Json params{{"limit", wanted}};
    if (!options.cls.empty()) params["class"] = options.cls;
    if (!cursor.is_null()) params["cursor"] = cursor;
    auto page = caller.call("bearer.list", params);
    for (auto& one : page["bearers"]) all.push_back(std::move(one));
    cursor = page.value("next", Json());
  } while (!cursor.is_null() && (options.all || all.size() < options.limit));
  if (!cursor.is_null()) std::cerr << "rncctl: there are more bearers (--limit N, --all)\n";
  return all;
}

// The ports' members that tell of loss, as they stand in stats.get.
Json losses(Caller& caller) {
  Json ports = caller.call("stats.get", nullptr).at("ports");
  for (auto& port : ports) {
    Json kept = Json::object();
    for (const char* member : {"dropped", "losses"}) {
      if (port.contains(member)) kept[member] = port[member];
    }
    port = kept;
  }
  return ports;
}

Json mode_of(Caller& caller) {
  const auto stats = caller.call("stats.get", nullptr);
  return {{"mode", stats.value("mode", Json())}, {"unknown", stats.value("unknown", Json())}};
}

Json bearer_params(const Options& o) {
  Json params{{"ue", o.ue}};
  if (!o.cls.empty()) params["class"] = o.cls;
  if (!o.rate.empty()) params["downlink"]["rate"] = quantity(o.rate);
  if (!o.sdus.empty()) params["downlink"]["buffer"]["sdus"] = quantity(o.sdus);
  if (!o.bytes.empty()) params["downlink"]["buffer"]["bytes"] = quantity(o.bytes);
  if (!o.uplink_rate.empty()) params["uplink"]["rate"] = quantity(o.uplink_rate);
  return params;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  if (path != "-" && !file) throw CLI::ValidationError(path, "cannot be read");
  auto& input = path == "-" ? std::cin : file;
  return {std::istreambuf_iterator<char>(input), {}};
}

Json parsed(const std::string& text) {
  if (text.empty()) return nullptr;
  auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw CLI::ValidationError("JSON", "this is not JSON: " + text);
  return json;
}

void add_show_part(CLI::App& show, Command& chosen, const char* name, const char* doc, const char* method,
                   const char* pointer, View view) {
  show.add_subcommand(name, doc)->callback([=, &chosen] { chosen = {ask(method, nullptr, pointer), view}; });
}

void add_show_bearers(CLI::App& show, Command& chosen) {
  auto o = std::make_shared<Options>();
  auto* list = show.add_subcommand("bearers", "bearers, a row each");
  list->add_option("--class", o->cls, "only those of this class");
  auto* limit = list->add_option("--limit", o->limit, "at most so many")
                    ->capture_default_str()
                    ->check(CLI::PositiveNumber);
  list->add_flag("--all", o->all, "all of them")->excludes(limit);
  list->callback([=, &chosen] {
    chosen = {[o](Caller& caller) { return list_bearers(caller, *o); }, views::bearers};
  });
  auto* one = show.add_subcommand("bearer", "one bearer");
  one->add_option("UE", o->ue, "IPv4 address, IPv6 /64 or address")->required();
  one->callback([=, &chosen] { chosen = {ask("bearer.get", {{"ue", o->ue}}), views::bearer}; });
}

void add_bearer_set(CLI::App& bearer, Command& chosen) {
  auto o = std::make_shared<Options>();
  auto* set = bearer.add_subcommand("set", "make a bearer, or change it in place");
  set->add_option("UE", o->ue, "IPv4 address, IPv6 /64 or address")->required();
  set->add_option("--class", o->cls, "its class");
  set->add_option("--rate", o->rate, "downlink rate, as in 384k, 8M");
  set->add_option("--uplink-rate", o->uplink_rate, "uplink rate");
  set->add_option("--sdus", o->sdus, "downlink buffer limit in SDUs");
  set->add_option("--bytes", o->bytes, "downlink buffer limit in bytes");
  set->callback([=, &chosen] { chosen = {ask("bearer.set", bearer_params(*o)), views::changed}; });
}

void add_bearer(CLI::App& app, Command& chosen) {
  auto* bearer = app.add_subcommand("bearer", "make, change and remove bearers")->require_subcommand(1);
  add_bearer_set(*bearer, chosen);
  auto o = std::make_shared<Options>();
  auto* remove = bearer->add_subcommand("remove", "remove bearers; what they hold is sent");
  remove->add_option("UE", o->ues, "one or more")->required();
  remove->callback([=, &chosen] { chosen = {ask("bearer.remove", {{"ues", o->ues}}), views::fields}; });
}

// A policy, POLICY:PROFILE, or the map of JSON that the socket takes.
Json aqm_of(const std::string& text) {
  if (text.starts_with('{')) return parsed(text);
  const auto colon = text.find(':');
  if (colon == std::string::npos) return text;
  return {{text.substr(0, colon), {{"profile", text.substr(colon + 1)}}}};
}

// A line each: UE [RATE [UPLINK_RATE]], # comments.
Json bearers_of_file(const std::string& path) {
  Json list = Json::array();
  std::istringstream lines(text_of_file(path));
  for (std::string line; std::getline(lines, line);) {
    const auto words = split_words(line);
    if (words.empty()) continue;
    if (words.size() > 3) {
      throw CLI::ValidationError(path, "found '" + line + "', expected UE [RATE [UPLINK_RATE]]");
    }
    Json one{{"bearer", words[0]}};
    if (words.size() > 1) one["rate"] = quantity(words[1]);
    if (words.size() > 2) one["uplink_rate"] = quantity(words[2]);
    list.push_back(std::move(one));
  }
  return list;
}

Json rrc_params(const Options& o) {
  Json params = Json::object();
  if (!o.ue.empty()) params["bearer"] = o.ue;
  if (!o.cls.empty()) params["class"] = o.cls;
  if (!o.file.empty()) params["bearers"] = bearers_of_file(o.file);
  if (!o.rate.empty()) params["rate"] = quantity(o.rate);
  if (!o.uplink_rate.empty()) params["uplink_rate"] = quantity(o.uplink_rate);
  if (!o.direction.empty()) params["direction"] = o.direction;
  if (!o.aqm.empty()) params["aqm"] = aqm_of(o.aqm);
  if (!o.uplink_aqm.empty()) params["uplink_aqm"] = aqm_of(o.uplink_aqm);
  return params;
}

void add_rrc(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  auto* rrc = app.add_subcommand("rrc", "change rate or AQM of running bearers now; their queues stay");
  auto* who = rrc->add_option_group("WHO")->require_option(1);
  who->add_option("UE", o->ue, "the bearer");
  who->add_option("--class", o->cls, "all bearers of a class");
  who->add_option("--from", o->file, "a file of lines UE [RATE [UPLINK_RATE]]; - is standard input");
  rrc->add_option("--rate", o->rate, "the new rate, as in 384k, 8M");
  rrc->add_option("--uplink-rate", o->uplink_rate, "the uplink's, if it is another");
  rrc->add_option("--aqm", o->aqm, "policy, POLICY:PROFILE as in sbd:by-rate, or JSON");
  rrc->add_option("--uplink-aqm", o->uplink_aqm, "the uplink's");
  rrc->add_option("--direction", o->direction,
                  "downlink, uplink or both; by default downlink, with the link am both")
      ->check(CLI::IsMember({"downlink", "uplink", "both"}));
  rrc->callback([=, &chosen] { chosen = {ask("rrc.reconfigure", rrc_params(*o)), views::reconfigured}; });
}

void add_show_profile(CLI::App& show, Command& chosen) {
  auto o = std::make_shared<Options>();
  auto* profile = show.add_subcommand("profile", "AQM parameters by rate");
  profile->add_option("NAME", o->cls, "those of this name");
  profile->add_option("--policy", o->mode, "those of this policy");
  profile->add_option("--rate", o->rate, "also what they give at this rate");
  profile->callback([=, &chosen] {
    Json params = Json::object();
    if (!o->cls.empty()) params["name"] = o->cls;
    if (!o->mode.empty()) params["policy"] = o->mode;
    if (!o->rate.empty()) params["rate"] = quantity(o->rate);
    chosen = {ask("profile.get", params), views::profiles};
  });
}

void add_show(CLI::App& app, Command& chosen) {
  auto* show = app.add_subcommand("show", "what is there and what happened")->require_subcommand(1);
  add_show_bearers(*show, chosen);
  add_show_profile(*show, chosen);
  add_show_part(*show, chosen, "workers", "the workers' load", "stats.get", "/workers", views::workers);
  show->add_subcommand("drops", "lost frames by port and reason")->callback([&chosen] {
    chosen = {losses, views::drops};
  });
  add_show_part(*show, chosen, "ports", "the two ports", "stats.get", "/ports", views::ports);
  add_show_part(*show, chosen, "classes", "sums by class", "stats.get", "/classes", views::classes);
  show->add_subcommand("mode", "inline, tap, bypass or block")->callback([&chosen] {
    chosen = {mode_of, views::mode};
  });
  add_show_part(*show, chosen, "stats", "everything counted", "stats.get", "", views::stats);
  add_show_part(*show, chosen, "config", "the running configuration", "config.get", "", views::document);
  add_show_part(*show, chosen, "methods", "what the socket understands", "rpc.methods", "", views::methods);
  add_show_part(*show, chosen, "version", "rncd's version", "version", "", views::fields);
}

void add_mode(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  auto* mode = app.add_subcommand("mode", "switch what the box does with frames");
  mode->add_option("MODE", o->mode, "inline, tap, bypass or block")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(dp::kModeNames.begin(), dp::kModeNames.end())));
  mode->callback([=, &chosen] { chosen = {ask("mode.set", {{"mode", o->mode}}), views::mode_changed}; });
}

void add_config(CLI::App& app, Command& chosen) {
  auto* config = app.add_subcommand("config", "configurations")->require_subcommand(1);
  auto o = std::make_shared<Options>();
  auto* check = config->add_subcommand("check", "have a file checked by the running rncd");
  check->add_option("FILE", o->file, "the file; - is standard input")->required();
  check->callback([=, &chosen] {
    chosen = {ask("config.check", {{"config", text_of_file(o->file)}}), views::checked,
              [](const Json& result) { return result.value("ok", false); }};
  });
}

void add_call(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  auto* call = app.add_subcommand("call", "call any method (show methods)");
  call->add_option("METHOD", o->method)->required();
  call->add_option("JSON", o->json, "its parameters");
  call->callback([=, &chosen] { chosen = {ask(o->method, parsed(o->json)), views::document}; });
}

}  // namespace

void add_commands(CLI::App& app, Command& chosen) {
  add_show(app, chosen);
  add_bearer(app, chosen);
  add_rrc(app, chosen);
  add_mode(app, chosen);
  add_config(app, chosen);
  add_call(app, chosen);
}

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words;
  bool open = false;  // a word has begun, be it empty
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool space = c == ' ' || c == '\t' || c == '\r';
    if (quote == 0 && !open && c == '#') break;
    if (quote == 0 && space) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw std::invalid_argument(std::string("a quote is left open: ") + quote);
  return words;
}

}  // namespace ctl

// The commands that make, change and remove bearers.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/notation/units.h"
#include "dataplane/base/gate.h"
#include "dataplane/base/gtp_u_settings.h"
#include "tools/ctl/arguments.h"
#include "tools/ctl/ask.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/selector.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

// The values of one command's options; shared by the option that fills them and the callback that reads them.
struct BearerOptions {
  std::string ue, file, cls, cell;
  std::string rate, uplink_rate, direction, aqm, uplink_aqm, queue, ack, proxy;  // words of both set and rrc
  std::string gate, uplink_gate;                                                 // and these
  std::string sdus, bytes, for_time, tunnel, uplink_tunnel, handover, downlink_teid;
  std::vector<std::string> ues;
  unsigned worker = 0;
  Selector selector{};
};

// The bound of the configuration.
constexpr std::uint64_t kMostWorkers = 64;
constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr const char* kUeForm = "IPv4 address, IPv6 /64 or address; in a network UE@NAME";
constexpr const char* kFileForm = "a file of lines UE [RATE [UPLINK_RATE]]; - is standard input";

// The words for settings, which `bearer set` and `rrc` share.
void add_settings(CLI::App& command, BearerOptions& o) {
  command.add_option("--rate", o.rate, "the rate, as in 384k, 8M");
  command.add_option("--uplink-rate", o.uplink_rate, "the uplink's, if it is another");
  command
      .add_option(
          "--direction", o.direction,
          "the legs that --rate is for: downlink, uplink or both; by default downlink, in rrc with the "
          "link am both")
      ->check(CLI::IsMember({"downlink", "uplink", "both"}));
  command.add_option("--aqm", o.aqm, "the downlink's policy, POLICY:PROFILE as in sbd:by-rate, or JSON");
  command.add_option("--uplink-aqm", o.uplink_aqm, "the uplink's");
  const std::vector<std::string> gates(dp::kGateNames.begin(), dp::kGateNames.end());
  command
      .add_option("--gate", o.gate, "the downlink's: open, hold (packets wait) or closed (they are dropped)")
      ->check(CLI::IsMember(gates));
  command.add_option("--uplink-gate", o.uplink_gate, "the uplink's")->check(CLI::IsMember(gates));
  command.add_option("--queue", o.queue, "how the downlink's SDUs wait: fifo, sfp, or JSON");
  command.add_option("--ack", o.ack,
                     "the uplink's ACK stages: names with commas between them, none, or JSON");
  command.add_option("--proxy", o.proxy, "what splits its TCP connections: none, split, or JSON");
}

// The rates of one bearer, in the form of a class.
void add_rates(Json& bearer, const Json& rate, const Json& uplink_rate, const std::string& direction) {
  const bool up = direction == "uplink" || direction == "both";
  if (!rate.is_null() && direction != "uplink") bearer["downlink"]["rate"] = rate;
  if (!rate.is_null() && up) bearer["uplink"]["rate"] = rate;
  if (uplink_rate.is_null()) return;
  if (!rate.is_null() && up)
    throw CLI::ValidationError("--uplink-rate",
                               "found beside a --rate of the uplink (--direction); give one of the two");
  bearer["uplink"]["rate"] = uplink_rate;
}

Json rate_or_none(const std::string& text) { return text.empty() ? Json() : quantity(text); }

Json tunnel_params(const BearerOptions& o) {
  Json tunnel = Json::object();
  if (!o.tunnel.empty()) tunnel["downlink"] = tunnel_of(o.tunnel);
  if (!o.uplink_tunnel.empty()) tunnel["uplink"] = tunnel_of(o.uplink_tunnel);
  if (!o.handover.empty()) tunnel["handover"] = o.handover;
  return tunnel;
}

// The parameters of bearer.set, without the UE and its rates.
Json set_params(const BearerOptions& o) {
  Json params = Json::object();
  o.selector.add_to(params);
  if (!o.downlink_teid.empty()) params["downlink_teid"] = teid_of(o.downlink_teid);
  if (!o.cls.empty()) params["class"] = o.cls;
  if (!o.cell.empty()) params["cell"] = o.cell;
  if (!o.aqm.empty()) params["downlink"]["aqm"] = aqm_of(o.aqm);
  if (!o.queue.empty()) params["downlink"]["queue"] = queue_of(o.queue);
  if (!o.sdus.empty()) params["downlink"]["buffer"]["sdus"] = quantity(o.sdus);
  if (!o.bytes.empty()) params["downlink"]["buffer"]["bytes"] = quantity(o.bytes);
  if (!o.gate.empty()) params["downlink"]["gate"] = o.gate;
  if (!o.uplink_gate.empty()) params["uplink"]["gate"] = o.uplink_gate;
  if (!o.uplink_aqm.empty()) params["uplink"]["aqm"] = aqm_of(o.uplink_aqm);
  if (!o.ack.empty()) params["uplink"]["ack"] = acks_of(o.ack);
  if (!o.proxy.empty()) params["proxy"] = proxy_of(o.proxy);
  if (Json tunnel = tunnel_params(o); !tunnel.empty()) params["tunnel"] = std::move(tunnel);
  return params;
}

// The time of --for.
std::uint64_t seconds_of(const std::string& text) {
  const auto ns = config::parse_quantity(dp::Unit::duration, text);
  if (ns && *ns >= kNsPerSecond) return *ns / kNsPerSecond;
  throw CLI::ValidationError("--for",
                             "found '" + text + "', expected a time of a second or more, such as 90s or 2h");
}

// The bearers of the list, each with the settings of the command line and its own rates before those.
Json listed_bearers(const ListedBearers& listed, const BearerOptions& o) {
  Json all = Json::array();
  for (const Json& line : listed.bearers) {
    Json one = set_params(o);
    one["ue"] = line["bearer"];
    const Json uplink = line.value("uplink_rate", rate_or_none(o.uplink_rate));
    add_rates(one, line.value("rate", rate_or_none(o.rate)), uplink, o.direction);
    all.push_back(std::move(one));
  }
  return all;
}

// Calls a method with the bearers of a file; a refusal of one names its line.
auto ask_listed(const std::shared_ptr<const ListedBearers>& listed, const std::string& method,
                const Json& params) {
  return [listed, asked = ask(method, params)](Caller& caller) {
    return listed->naming_lines([&] { return asked(caller); });
  };
}

void add_tunnel_words(CLI::App& set, BearerOptions& o, CLI::Option* file) {
  set.add_option("--downlink-teid", o.downlink_teid, "with --teid: the TEID of its downlink, if it is known")
      ->needs(set.get_option("--teid"))
      ->excludes(file);
  auto* tunnel =
      set.add_option("--tunnel", o.tunnel,
                     "the GTP-U tunnel by which its downlink comes from now on: ENDPOINT,TEID[,QFI]")
          ->excludes(file);
  set.add_option("--uplink-tunnel", o.uplink_tunnel, "the uplink's")->excludes(file);
  set.add_option("--handover", o.handover,
                 "what becomes of packets that wait: keep, rewrite or send; by default rewrite")
      ->needs(tunnel)
      ->check(
          CLI::IsMember(std::vector<std::string>(dp::kOnHandoverNames.begin(), dp::kOnHandoverNames.end())));
}

void add_bearer_set(CLI::App& bearer, Command& chosen) {
  auto o = std::make_shared<BearerOptions>();
  auto* set = bearer.add_subcommand(
      "set", "make bearers, or change them in place, as their configuration would; what is not given stays");
  auto* who = set->add_option_group("WHO")->require_option(1);
  who->add_option("UE", o->ue, kUeForm);
  auto* file = who->add_option("--from", o->file, kFileForm);
  add_selector(*set, o->selector);
  set->add_option("--class", o->cls, "the class that the bearer is to have");
  set->add_option("--cell", o->cell, "the cell whose slots it shares, with the link cell");
  add_settings(*set, *o);
  set->add_option("--sdus", o->sdus, "downlink buffer limit in SDUs");
  set->add_option("--bytes", o->bytes, "downlink buffer limit in bytes");
  set->add_option("--for", o->for_time, "give it back after this time, as in 2h: see bearer release");
  add_tunnel_words(*set, *o, file);
  set->callback([=, &chosen] {
    if (o->file.empty()) {
      Json params = set_params(*o);
      params["ue"] = o->ue;
      add_rates(params, rate_or_none(o->rate), rate_or_none(o->uplink_rate), o->direction);
      if (!o->for_time.empty()) params["ttl"] = seconds_of(o->for_time);
      chosen = {ask("bearer.set", params), views::changed};
    } else {
      const auto listed = std::make_shared<const ListedBearers>(bearers_of_file(o->file));
      Json params{{"bearers", listed_bearers(*listed, *o)}};
      if (!o->for_time.empty()) params["ttl"] = seconds_of(o->for_time);
      chosen = {ask_listed(listed, "bearer.set", params), views::changed};
    }
  });
}

// Those that are named alone, or with --qfi or --teid.
Json removal_params(const BearerOptions& o) {
  if (!o.selector.given()) return {{"ues", o.ues}};
  Json params{{"ues", Json::array()}};
  for (const std::string& ue : o.ues) {
    Json one{{"ue", ue}};
    o.selector.add_to(one);
    params["ues"].push_back(std::move(one));
  }
  return params;
}

void add_bearer(CLI::App& app, Command& chosen) {
  auto* bearer = app.add_subcommand("bearer", "make, change and remove bearers")->require_subcommand(1);
  add_bearer_set(*bearer, chosen);
  auto o = std::make_shared<BearerOptions>();
  auto* remove = bearer->add_subcommand(
      "remove", "remove bearers; what they hold is sent; a UE's dedicated ones go with its default one");
  remove->add_option("UE", o->ues, "one or more")->required();
  add_selector(*remove, o->selector);
  remove->callback([=, &chosen] { chosen = {ask("bearer.remove", removal_params(*o)), views::fields}; });
  auto* release = bearer->add_subcommand(
      "release",
      "give back what an operator has set, to the class or to a program that was told what it is to be");
  release->add_option("UE", o->ues, "one or more")->required();
  add_selector(*release, o->selector);
  release->callback([=, &chosen] { chosen = {ask("bearer.release", removal_params(*o)), views::fields}; });
  auto* move = bearer->add_subcommand("move", "hand a bearer to another worker, with everything it holds");
  move->add_option("UE", o->ue, kUeForm)->required();
  add_selector(*move, o->selector);
  move->add_option("--worker", o->worker, "the worker that shall have it, 0 for the first")
      ->required()
      ->check(whole_number(0, kMostWorkers - 1));
  move->callback([=, &chosen] {
    Json params{{"ue", o->ue}, {"worker", o->worker}};
    o->selector.add_to(params);
    chosen = {ask("bearer.move", params), views::fields};
  });
}

Json rrc_params(const BearerOptions& o) {
  Json params = Json::object();
  if (!o.ue.empty()) params["bearer"] = o.ue;
  o.selector.add_to(params);
  if (!o.cls.empty()) params["class"] = o.cls;
  if (!o.rate.empty()) params["rate"] = quantity(o.rate);
  if (!o.uplink_rate.empty()) params["uplink_rate"] = quantity(o.uplink_rate);
  if (!o.direction.empty()) params["direction"] = o.direction;
  if (!o.aqm.empty()) params["aqm"] = aqm_of(o.aqm);
  if (!o.uplink_aqm.empty()) params["uplink_aqm"] = aqm_of(o.uplink_aqm);
  if (!o.gate.empty()) params["gate"] = o.gate;
  if (!o.uplink_gate.empty()) params["uplink_gate"] = o.uplink_gate;
  if (!o.queue.empty()) params["queue"] = queue_of(o.queue);
  if (!o.ack.empty()) params["ack"] = acks_of(o.ack);
  if (!o.proxy.empty()) params["proxy"] = proxy_of(o.proxy);
  return params;
}

void add_rrc(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<BearerOptions>();
  auto* rrc =
      app.add_subcommand("rrc",
                         "change rate, AQM, gate, queue, ACK stages or proxy of running bearers now, as an "
                         "RRC reconfiguration does; queues stay");
  auto* who = rrc->add_option_group("WHO")->require_option(1);
  who->add_option("UE", o->ue, kUeForm);
  who->add_option("--class", o->cls, "all bearers of a class");
  who->add_option("--from", o->file, kFileForm);
  add_selector(*rrc, o->selector);
  add_settings(*rrc, *o);
  rrc->callback([=, &chosen] {
    Json params = rrc_params(*o);
    if (o->file.empty()) {
      chosen = {ask("rrc.reconfigure", params), views::reconfigured};
    } else {
      const auto listed = std::make_shared<const ListedBearers>(bearers_of_file(o->file));
      params["bearers"] = listed->bearers;
      chosen = {ask_listed(listed, "rrc.reconfigure", params), views::reconfigured};
    }
  });
}

}  // namespace

void add_bearer_commands(CLI::App& app, Command& chosen) {
  add_bearer(app, chosen);
  add_rrc(app, chosen);
}

}  // namespace ctl

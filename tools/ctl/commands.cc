#include "tools/ctl/commands.h"

#include <cstdint>
#include <memory>
#include <ostream>

#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/ids.h"
#include "tools/ctl/arguments.h"
#include "tools/ctl/ask.h"
#include "tools/ctl/selector.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

// The values of one command's options; shared by the option that fills them and the callback that reads them.
struct Options {
  std::string ue, cls, cell, rate, uplink_rate, aqm, uplink_aqm, queue, ack, sdus, bytes, direction, mode,
      file, method, json;
  std::vector<std::string> ues;
  unsigned worker = 0;
  bool now = false;
  std::string proxy, tunnel, uplink_tunnel, handover, downlink_teid;
  Selector selector;
};
using View = std::string (*)(const Json&);
// The bound of the configuration.
constexpr std::uint64_t kMostWorkers = 64;
constexpr const char* kProxyForm = "what splits its TCP connections: none, split, or JSON";
constexpr const char* kTunnelForm =
    "the GTP-U tunnel by which its downlink comes from now on: ENDPOINT,TEID[,QFI]";
constexpr const char* kAckForm = "ACK stages: names with commas between them, none, or JSON";

Json mode_of(Caller& caller) {
  const auto stats = caller.call("stats.get", nullptr);
  return {{"mode", stats.value("mode", Json())}, {"unknown", stats.value("unknown", Json())}};
}

void show_stats(Caller& caller, const Output& output) {
  const Json stats = caller.call("stats.get", nullptr);
  if (output.json) {
    output.out << stats.dump() << std::endl;
  } else {
    std::ostream& out = output.painted != nullptr ? *output.painted : output.out;
    out << views::stats(stats, {.width = tools::kTerminal, .color = output.color}) << std::flush;
  }
}

Json bearer_params(const Options& o) {
  Json params{{"ue", o.ue}};
  o.selector.add_to(params);
  if (!o.downlink_teid.empty()) params["downlink_teid"] = teid_of(o.downlink_teid);
  if (!o.cls.empty()) params["class"] = o.cls;
  if (!o.cell.empty()) params["cell"] = o.cell;
  if (!o.rate.empty()) params["downlink"]["rate"] = quantity(o.rate);
  if (!o.sdus.empty()) params["downlink"]["buffer"]["sdus"] = quantity(o.sdus);
  if (!o.bytes.empty()) params["downlink"]["buffer"]["bytes"] = quantity(o.bytes);
  if (!o.uplink_rate.empty()) params["uplink"]["rate"] = quantity(o.uplink_rate);
  if (!o.ack.empty()) params["uplink"]["ack"] = acks_of(o.ack);
  if (!o.proxy.empty()) params["proxy"] = proxy_of(o.proxy);
  if (!o.tunnel.empty()) params["tunnel"]["downlink"] = tunnel_of(o.tunnel);
  if (!o.uplink_tunnel.empty()) params["tunnel"]["uplink"] = tunnel_of(o.uplink_tunnel);
  if (!o.handover.empty()) params["tunnel"]["handover"] = o.handover;
  return params;
}

void add_show_part(CLI::App& show, Command& chosen, const char* name, const char* doc, const char* method,
                   const char* pointer, View view) {
  show.add_subcommand(name, doc)->callback([=, &chosen] { chosen = {ask(method, nullptr, pointer), view}; });
}

void add_bearer_set(CLI::App& bearer, Command& chosen) {
  auto o = std::make_shared<Options>();
  auto* set = bearer.add_subcommand("set", "make a bearer, or change it in place");
  set->add_option("UE", o->ue, "IPv4 address, IPv6 /64 or address; in a network UE@NAME")->required();
  add_selector(*set, o->selector);
  set->add_option("--downlink-teid", o->downlink_teid,
                  "with --teid: the TEID of its downlink, if it is known")
      ->needs(set->get_option("--teid"));
  set->add_option("--class", o->cls, "its class");
  set->add_option("--cell", o->cell, "the cell whose slots it shares, with the link cell");
  set->add_option("--rate", o->rate, "downlink rate, as in 384k, 8M");
  set->add_option("--uplink-rate", o->uplink_rate, "uplink rate");
  set->add_option("--ack", o->ack, kAckForm);
  set->add_option("--proxy", o->proxy, kProxyForm);
  set->add_option("--sdus", o->sdus, "downlink buffer limit in SDUs");
  set->add_option("--bytes", o->bytes, "downlink buffer limit in bytes");
  auto* tunnel = set->add_option("--tunnel", o->tunnel, kTunnelForm);
  set->add_option("--uplink-tunnel", o->uplink_tunnel, "the uplink's");
  set->add_option("--handover", o->handover,
                  "what becomes of packets that wait: keep, rewrite or send; by default rewrite")
      ->needs(tunnel)
      ->check(
          CLI::IsMember(std::vector<std::string>(dp::kOnHandoverNames.begin(), dp::kOnHandoverNames.end())));
  set->callback([=, &chosen] { chosen = {ask("bearer.set", bearer_params(*o)), views::changed}; });
}

// One that is named alone, or with --qfi or --teid.
Json removal_params(const Options& o) {
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
  auto o = std::make_shared<Options>();
  auto* remove = bearer->add_subcommand(
      "remove", "remove bearers; what they hold is sent; a UE's dedicated ones go with its default one");
  remove->add_option("UE", o->ues, "one or more")->required();
  add_selector(*remove, o->selector);
  remove->callback([=, &chosen] { chosen = {ask("bearer.remove", removal_params(*o)), views::fields}; });
  auto* move = bearer->add_subcommand("move", "hand a bearer to another worker, with everything it holds");
  move->add_option("UE", o->ue, "IPv4 address, IPv6 /64 or address; in a network UE@NAME")->required();
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

Json rrc_params(const Options& o) {
  Json params = Json::object();
  if (!o.ue.empty()) params["bearer"] = o.ue;
  o.selector.add_to(params);
  if (!o.cls.empty()) params["class"] = o.cls;
  if (!o.rate.empty()) params["rate"] = quantity(o.rate);
  if (!o.uplink_rate.empty()) params["uplink_rate"] = quantity(o.uplink_rate);
  if (!o.direction.empty()) params["direction"] = o.direction;
  if (!o.aqm.empty()) params["aqm"] = aqm_of(o.aqm);
  if (!o.uplink_aqm.empty()) params["uplink_aqm"] = aqm_of(o.uplink_aqm);
  if (!o.queue.empty()) params["queue"] = queue_of(o.queue);
  if (!o.ack.empty()) params["ack"] = acks_of(o.ack);
  if (!o.proxy.empty()) params["proxy"] = proxy_of(o.proxy);
  return params;
}

void add_rrc(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  auto* rrc = app.add_subcommand(
      "rrc", "change rate, AQM, queue, ACK stages or proxy of running bearers now; queues stay");
  auto* who = rrc->add_option_group("WHO")->require_option(1);
  who->add_option("UE", o->ue, "the bearer");
  who->add_option("--class", o->cls, "all bearers of a class");
  who->add_option("--from", o->file, "a file of lines UE [RATE [UPLINK_RATE]]; - is standard input");
  add_selector(*rrc, o->selector);
  rrc->add_option("--rate", o->rate, "the new rate, as in 384k, 8M");
  rrc->add_option("--uplink-rate", o->uplink_rate, "the uplink's, if it is another");
  rrc->add_option("--aqm", o->aqm, "policy, POLICY:PROFILE as in sbd:by-rate, or JSON");
  rrc->add_option("--uplink-aqm", o->uplink_aqm, "the uplink's");
  rrc->add_option("--queue", o->queue, "how the downlink's SDUs wait: fifo, sfp, or JSON");
  rrc->add_option("--ack", o->ack, kAckForm);
  rrc->add_option("--proxy", o->proxy, kProxyForm);
  rrc->add_option("--direction", o->direction,
                  "downlink, uplink or both; by default downlink, with the link am both")
      ->check(CLI::IsMember({"downlink", "uplink", "both"}));
  rrc->callback([=, &chosen] {
    Json params = rrc_params(*o);
    if (o->file.empty()) {
      chosen = {ask("rrc.reconfigure", params), views::reconfigured};
    } else {
      const auto listed = std::make_shared<const ListedBearers>(bearers_of_file(o->file));
      params["bearers"] = listed->bearers;
      chosen = {[listed, asked = ask("rrc.reconfigure", params)](Caller& caller) {
                  return listed->naming_lines([&] { return asked(caller); });
                },
                views::reconfigured};
    }
  });
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
  add_show_lists(*show, chosen);
  add_show_cells(*show, chosen);
  add_show_profile(*show, chosen);
  show->add_subcommand("mode", "inline, tap, bypass or block")->callback([&chosen] {
    chosen = {mode_of, views::mode};
  });
  show->add_subcommand("stats", "everything counted")->callback([&chosen] {
    chosen.show = [](Caller& caller, const Output& output) { show_stats(caller, output); };
  });
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
  mode->add_flag("--now", o->now, "do not wait for split proxies; what they have at risk is reset");
  mode->callback([=, &chosen] {
    Json params{{"mode", o->mode}};
    if (o->now) params["now"] = true;
    chosen = {ask("mode.set", params), views::mode_changed};
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
  add_cell_commands(app, chosen);
  add_mode(app, chosen);
  add_proxy_commands(app, chosen);
  add_event_commands(app, chosen);
  add_watch_command(app, chosen);
  add_top_command(app, chosen);
  add_why_command(app, chosen);
  add_capture_command(app, chosen);
  add_wire_commands(app, chosen);
  add_state_commands(app, chosen);
  add_config_commands(app, chosen);
  add_call(app, chosen);
}

}  // namespace ctl

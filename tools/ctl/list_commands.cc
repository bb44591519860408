// The commands that show lists, a row each.
#include <memory>
#include <string>
#include <utility>

#include "tools/ctl/ask.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/lists.h"
#include "tools/ctl/selector.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

// The words that name a bearer.
struct Bearer {
  std::string ue{};
  Selector selector{};
};

void add_bearer_words(CLI::App& command, Bearer& bearer) {
  command.add_option("UE", bearer.ue, "IPv4 address, IPv6 /64 or address; in a network UE@NAME")->required();
  add_selector(command, bearer.selector);
}

Json params_of(const Bearer& bearer) {
  Json params = Json::object();
  if (!bearer.ue.empty()) params["ue"] = bearer.ue;
  bearer.selector.add_to(params);
  return params;
}

void add_show_flows(CLI::App& show, Command& chosen) {
  auto o = std::make_shared<ListOptions>();
  auto whose = std::make_shared<Bearer>();
  auto* list =
      show.add_subcommand("flows", "TCP connections of a bearer with ACK stages or a proxy, a row each");
  add_bearer_words(*list, *whose);
  add_page_options(*list, *o);
  add_list(*list, chosen, views::kFlows, o, [whose] {
    return ListSource{.method = "flow.list", .params = params_of(*whose), .numbered = true};
  });
}

void add_show_bearers(CLI::App& show, Command& chosen) {
  auto o = std::make_shared<ListOptions>();
  auto cls = std::make_shared<std::string>();
  auto* list = show.add_subcommand("bearers", "bearers, a row each");
  list->add_option("--class", *cls, "only those of this class");
  add_page_options(*list, *o);
  add_list(*list, chosen, views::kBearers, o, [cls] {
    Json params = Json::object();
    if (!cls->empty()) params["class"] = *cls;
    return ListSource{.method = "bearer.list", .params = std::move(params), .members = true};
  });
  auto whose = std::make_shared<Bearer>();
  auto* one = show.add_subcommand("bearer", "one bearer");
  add_bearer_words(*one, *whose);
  one->callback([=, &chosen] { chosen = {ask("bearer.get", params_of(*whose)), views::bearer}; });
}

void add_show_tunnels(CLI::App& show, Command& chosen) {
  auto o = std::make_shared<ListOptions>();
  auto whose = std::make_shared<Bearer>();
  auto peer = std::make_shared<std::string>();
  auto* list = show.add_subcommand("tunnels", "GTP-U tunnels of bearers, a row each");
  auto* ue = list->add_option("UE", whose->ue, "only those of this UE");
  add_selector(*list, whose->selector);
  for (const char* selector : {"--qfi", "--teid"}) list->get_option(selector)->needs(ue);
  list->add_option("--peer", *peer, "only those that lead to this address or prefix");
  add_page_options(*list, *o);
  add_list(*list, chosen, views::kTunnels, o, [=] {
    Json params = params_of(*whose);
    if (!peer->empty()) params["peer"] = *peer;
    return ListSource{"tunnel.list", std::move(params)};
  });
}

// A list of what stats.get has, such as the one at a member of that name.
void add_show_counted(CLI::App& show, Command& chosen, const char* name, const char* doc,
                      const ListView& view, Json (*rows)(const Json& stats)) {
  auto* list = show.add_subcommand(name, doc);
  add_list(*list, chosen, view, std::make_shared<ListOptions>(),
           [rows] { return ListSource{.method = "stats.get", .paged = false, .items = rows}; });
}

template <const char* kMember>
Json member_of(const Json& stats) {
  if (!stats.contains(kMember)) throw Refused(std::string("the answer to stats.get lacks ") + kMember, stats);
  return stats[kMember];
}
constexpr char kWorkersMember[] = "workers", kClassesMember[] = "classes";

}  // namespace

void add_show_lists(CLI::App& show, Command& chosen) {
  add_show_bearers(show, chosen);
  add_show_flows(show, chosen);
  add_show_tunnels(show, chosen);
  add_show_counted(show, chosen, "workers", "the workers' load", views::kWorkers, member_of<kWorkersMember>);
  add_show_counted(show, chosen, "drops", "lost frames by port and reason", views::kDrops, views::drops_in);
  add_show_counted(show, chosen, "ports", "the two ports", views::kPorts, views::ports_in);
  add_show_counted(show, chosen, "classes", "sums by class", views::kClasses, member_of<kClassesMember>);
}

}  // namespace ctl

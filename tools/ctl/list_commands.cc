// The commands that show lists, a row each.
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "tools/ctl/arguments.h"
#include "tools/ctl/ask.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/lists.h"
#include "tools/ctl/selector.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

// The values of one command's options; shared by the option that fills them and the callback that reads them.
struct ListOptions {
  std::string ue, cls, peer;
  std::optional<std::size_t> limit;
  bool all = false;
  Selector selector{};
};
// The bound of the configuration: bearers at a time.
constexpr std::uint64_t kMostListed = 1'000'000;

// A listing of --limit entries; without it of kReadable for people, and of all for machines.
ListQuery listing(const char* method, const char* list, Json params, const ListOptions& options, bool json) {
  constexpr std::size_t kReadable = 100;
  ListQuery query{method, list, std::move(params), options.limit};
  if (!options.limit && !options.all && !json) query.most = kReadable;
  return query;
}

void list_bearers(Caller& caller, const ListOptions& options, const Output& output) {
  Json params = Json::object();
  if (!options.cls.empty()) params["class"] = options.cls;
  show_rows(caller, listing("bearer.list", "bearers", std::move(params), options, output.json),
            views::bearers, output);
}

void list_tunnels(Caller& caller, const ListOptions& options, const Output& output) {
  Json params = Json::object();
  if (!options.ue.empty()) params["ue"] = options.ue;
  options.selector.add_to(params);
  if (!options.peer.empty()) params["peer"] = options.peer;
  show_rows(caller, listing("tunnel.list", "tunnels", std::move(params), options, output.json),
            views::tunnels, output);
}

void list_flows(Caller& caller, const ListOptions& options, const Output& output) {
  Json params{{"ue", options.ue}};
  options.selector.add_to(params);
  const Json flows =
      whole_list(caller, listing("flow.list", "flows", std::move(params), options, output.json), output);
  output.out << (output.json ? flows.dump() + "\n" : views::flows(flows));
}

void add_limit(CLI::App& list, ListOptions& o) {
  auto* limit = list.add_option("--limit", o.limit, "at most so many; unless given 100, with --json all")
                    ->check(whole_number(1, kMostListed));
  list.add_flag("--all", o.all, "all of them")->excludes(limit);
}

void add_show_flows(CLI::App& show, Command& chosen) {
  auto o = std::make_shared<ListOptions>();
  auto* list =
      show.add_subcommand("flows", "TCP connections of a bearer with ACK stages or a proxy, a row each");
  list->add_option("UE", o->ue, "IPv4 address, IPv6 /64 or address; in a network UE@NAME")->required();
  add_selector(*list, o->selector);
  add_limit(*list, *o);
  list->callback([=, &chosen] {
    chosen.show = [o](Caller& caller, const Output& output) { list_flows(caller, *o, output); };
  });
}

void add_show_bearers(CLI::App& show, Command& chosen) {
  auto o = std::make_shared<ListOptions>();
  auto* list = show.add_subcommand("bearers", "bearers, a row each");
  list->add_option("--class", o->cls, "only those of this class");
  add_limit(*list, *o);
  list->callback([=, &chosen] {
    chosen.show = [o](Caller& caller, const Output& output) { list_bearers(caller, *o, output); };
  });
  auto* one = show.add_subcommand("bearer", "one bearer");
  one->add_option("UE", o->ue, "IPv4 address, IPv6 /64 or address; in a network UE@NAME")->required();
  add_selector(*one, o->selector);
  one->callback([=, &chosen] {
    Json params{{"ue", o->ue}};
    o->selector.add_to(params);
    chosen = {ask("bearer.get", params), views::bearer};
  });
}

void add_show_tunnels(CLI::App& show, Command& chosen) {
  auto o = std::make_shared<ListOptions>();
  auto* list = show.add_subcommand("tunnels", "GTP-U tunnels of bearers, a row each");
  auto* ue = list->add_option("UE", o->ue, "only those of this UE");
  add_selector(*list, o->selector);
  for (const char* selector : {"--qfi", "--teid"}) list->get_option(selector)->needs(ue);
  list->add_option("--peer", o->peer, "only those that lead to this address or prefix");
  add_limit(*list, *o);
  list->callback([=, &chosen] {
    chosen.show = [o](Caller& caller, const Output& output) { list_tunnels(caller, *o, output); };
  });
}

}  // namespace

void add_show_lists(CLI::App& show, Command& chosen) {
  add_show_bearers(show, chosen);
  add_show_flows(show, chosen);
  add_show_tunnels(show, chosen);
}

}  // namespace ctl

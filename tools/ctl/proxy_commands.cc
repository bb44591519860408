// The commands about split proxies.
#include <algorithm>
#include <memory>

#include "tools/ctl/ask.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/lists.h"
#include "tools/ctl/selector.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

struct ProxyOptions {
  std::string whom;
  bool off = false;
  Selector selector{};
};

// Names of classes have no colon, and no class is called like an IPv4 address.
// With or without the network behind it.
bool is_address(const std::string& whom) {
  const std::string address = whom.substr(0, whom.find('@'));
  return address.find(':') != std::string::npos ||
         (std::ranges::count(address, '.') == 3 &&
          address.find_first_not_of("0123456789./") == std::string::npos);
}

Json drain_params(const ProxyOptions& o) {
  Json params = Json::object();
  if (o.whom == "all") {
    params["all"] = true;
  } else {
    params[is_address(o.whom) ? "ue" : "class"] = o.whom;
  }
  o.selector.add_to(params);
  if (o.off) params["off"] = true;
  return params;
}

}  // namespace

void add_proxy_commands(CLI::App& app, Command& chosen) {
  auto* proxy = app.add_subcommand("proxy", "split proxies of TCP connections")->require_subcommand(1);
  add_list(*proxy->add_subcommand("show", "what they do, by class"), chosen, views::kProxies,
           std::make_shared<ListOptions>(), [] {
             return ListSource{"proxy.show", nullptr, false};
           });
  auto o = std::make_shared<ProxyOptions>();
  auto* drain = proxy->add_subcommand(
      "drain", "have them let their connections go, unnoticed by both ends, and split no others");
  drain->add_option("WHO", o->whom, "a class, a UE, or all")->required();
  add_selector(*drain, o->selector);
  drain->add_flag("--off", o->off, "they split again");
  drain->callback([=, &chosen] { chosen = {ask("proxy.drain", drain_params(*o)), views::draining}; });
}

}  // namespace ctl

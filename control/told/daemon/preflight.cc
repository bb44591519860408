#include "control/told/daemon/preflight.h"

#include <exception>
#include <optional>

#include <fmt/core.h>

#include "control/host/group.h"
#include "control/loop/event_loop.h"
#include "control/loop/http_server.h"
#include "control/told/after.h"
#include "control/told/daemon/udp_socket.h"
#include "control/told/mirror/live_capture.h"
#include "control/told/pfcp/numbers.h"
#include "control/told/sink/rncd_client.h"

namespace control::told {
namespace {

// Calls open(), which closes again what it has opened. A failure is a complaint about `key`.
template <class Open>
void try_to_open(const std::string& key, ToldJudgement& out, Open&& open) {
  try {
    open();
  } catch (const std::exception& error) {
    out.complaints.push_back(key + ": " + error.what());
  }
}

void judge_sources(const ToldSettings& settings, ToldJudgement& out) {
  if (!settings.pfcp.interface.empty()) {
    const auto capture = LiveCapture::open(settings.pfcp.interface, pfcp::kPort);
    if (!capture) out.complaints.push_back("told.pfcp.interface: " + capture.error().message);
  }
  if (!settings.radius.clients.empty()) {
    const RadiusListen& radius = settings.radius;
    try_to_open("told.radius.listen: " + to_string(radius.listen), out,
                [&] { const UdpSocket opened(radius.listen); });
    if (radius.coa) {
      try_to_open("told.radius.coa: " + to_string(*radius.coa), out,
                  [&] { const UdpSocket opened(*radius.coa); });
    }
  }
}

void judge_own_sockets(const ToldSettings& settings, ToldJudgement& out) {
  if (!settings.control.group.empty()) {
    const auto group = find_group(settings.control.group);
    if (!group) out.complaints.push_back("told.control.group: " + group.error().message);
  }
  if (settings.metrics.empty()) return;
  try_to_open("told.metrics.listen: " + settings.metrics, out, [&] { listen_tcp(settings.metrics); });
}

// The configuration of the rncd that runs, or why it is not known.
struct Inquiry {
  std::optional<Json> config;
  std::string problem;
};

Inquiry ask_rncd(const std::string& socket, std::chrono::milliseconds patience) {
  Inquiry found;
  bool ended = false;
  EventLoop loop;
  RncdClient* asks = nullptr;
  RncdClient client(
      loop, socket,
      {[&] {
         asks->send({"config.get", Json::object()}, steady_now());
       },
       [&](const std::string& why) { found.problem = why, ended = true; },
       [&](const Json& result) { found.config = result, ended = true; },
       [&](const RncdRefusal& refusal) { found.problem = socket + ": " + refusal.message, ended = true; }});
  asks = &client;
  for (const dp::Time until = after(steady_now(), patience); !ended && steady_now() < until;) {
    client.tick(steady_now());
    if (!client.is_connected()) break;
    loop.run_once(std::chrono::milliseconds(10));
  }
  if (!found.config && found.problem.empty())
    found.problem = client.is_connected() ? socket + ": it does not answer" : client.problem();
  return found;
}

void judge_class(const Json& classes, const std::string& key, const std::string& name, ToldJudgement& out) {
  if (classes.contains(name)) return;
  std::string all;
  for (const auto& [known, _] : classes.items()) all += (all.empty() ? "" : ", ") + known;
  out.hints.push_back(fmt::format("{}: rncd has no class \"{}\", so that it refuses the bearers; it has {}",
                                  key, name, all.empty() ? "none" : all));
}

void judge_rncd(const ToldSettings& settings, std::chrono::milliseconds patience, ToldJudgement& out) {
  const Inquiry rncd = ask_rncd(settings.rncd, patience);
  if (!rncd.config) {
    out.hints.push_back("told.rncd: " + rncd.problem +
                        "; bearers are set as soon as rncd is there and answers");
    return;
  }
  const Json none = Json::object();
  const Json& classes = rncd.config->contains("classes") ? rncd.config->at("classes") : none;
  if (!settings.default_class.empty())
    judge_class(classes, "told.default_class", settings.default_class, out);
  for (std::size_t i = 0; i < settings.classes.size(); ++i)
    judge_class(classes, fmt::format("told.classes[{}].class", i), settings.classes[i].class_name, out);
  const Json dataplane = rncd.config->value("dataplane", none);
  if (settings.tunnels && !settings.pfcp.interface.empty() && !dataplane.contains("gtp_u")) {
    out.hints.push_back(
        "told.tunnels: rncd does not look into tunnels, so that it refuses them; set its `dataplane.gtp_u`, "
        "or write `tunnels: no`");
  }
}

}  // namespace

ToldJudgement judge_host(const ToldConfig& config, std::chrono::milliseconds patience) {
  ToldJudgement out;
  judge_sources(config.told, out);
  judge_own_sockets(config.told, out);
  judge_rncd(config.told, patience, out);
  return out;
}

}  // namespace control::told

// The command that tells why a bearer is as fast as it is.
#include <array>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

#include "tools/common/table.h"
#include "tools/ctl/ask.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/members.h"
#include "tools/ctl/selector.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

using tools::Table;
using views::look;
using views::text_at;

constexpr std::size_t kPeerWidth = 18;

void add_leg_rows(Table& table, const Json& why, const char* label, auto format, const char* member) {
  table.add({label, format(why, (std::string("/downlink") + member).c_str()),
             format(why, (std::string("/uplink") + member).c_str())});
}

std::string legs(const Json& why) {
  using namespace views;
  Table table({"", ">DOWNLINK", ">UPLINK"});
  const auto row = [&](const char* label, auto format, const char* member) {
    add_leg_rows(table, why, label, format, member);
  };
  row("limited by", text_at, "/limit");
  row("rate set", rate, "/rate");
  row("rate of its class", rate, "/class_rate");
  row("delivered, last second", rate, "/delivered_rate/1s");
  row("delivered, last 10 s", rate, "/delivered_rate/10s");
  row("delivered, last 60 s", rate, "/delivered_rate/60s");
  row("used", percent, "/used_ratio");
  row("queue, SDUs", count, "/queued_sdus");
  row("queue, ms", milliseconds, "/queue_seconds");
  row("time in the buffer, mean ms", milliseconds, "/mean_sojourn_seconds");
  row("wait, p99 ms", milliseconds, "/p99_queue_seconds");
  row("AQM", text_at, "/aqm");
  row("dropped by it, last 60 s", count, "/last_minute/dropped_by_aqm_sdus");
  row("marked by it, last 60 s", count, "/last_minute/marked_sdus");
  row("buffer, SDUs", count, "/buffer/sdus");
  row("dropped as full, last 60 s", count, "/last_minute/dropped_full_sdus");
  if (!look(why, "/downlink/tunnel").is_null() || !look(why, "/uplink/tunnel").is_null()) {
    row("tunnel to", text_at, "/tunnel/endpoint");
    row("TEID", teid_at, "/tunnel/teid");
  }
  return table.text();
}

std::string connections(const Json& why) {
  if (look(why, "/connections").is_null()) return "connections: not followed (no ACK stages, no proxy)\n";
  std::string text =
      tools::wrapped("connections: " + views::count(why, "/connections") + ", shortest round trips " +
                     views::milliseconds(why, "/rtt_seconds/radio") + " ms on the UE's side, " +
                     views::milliseconds(why, "/rtt_seconds/core") + " ms on the core's, ACKs held " +
                     views::count(why, "/acks_held")) +
      "\n";
  Table table({"PEER", ">PORT", ">RADIO MS", ">CORE", ">WINDOW", ">TOLD", ">HELD", ">RESENT"});
  const Json flows = look(why, "/flows");
  for (const Json& flow : flows) {
    std::string peer = text_at(flow, "/peer");
    if (peer.size() > kPeerWidth) peer = peer.substr(0, kPeerWidth - 1) + "~";
    table.add({peer, text_at(flow, "/peer_port"), views::milliseconds(flow, "/rtt_seconds/radio"),
               views::milliseconds(flow, "/rtt_seconds/core"), views::bytes(flow, "/window_bytes/ue"),
               views::bytes(flow, "/window_bytes/told"), views::count(flow, "/held_acks"),
               views::count(flow, "/local_retransmissions")});
  }
  return table.empty() ? text : text + table.text();
}

std::string changes(const Json& why) {
  const Json events = look(why, "/events");
  if (!events.is_array() || events.empty()) return {};
  std::string text = "lately:\n";
  for (const Json& event : events) {
    const auto whole = static_cast<std::time_t>(event.value("time", 0.0));
    std::tm local{};
    localtime_r(&whole, &local);
    std::array<char, 24> time{};
    std::strftime(time.data(), time.size(), "%m-%d %H:%M:%S", &local);
    std::string line = std::string(time.data()) + " " + event.value("event", "");
    const Json fields = event.value("fields", Json::object());
    for (const auto& [key, value] : fields.items()) line += " " + key + "=" + views::plain(value);
    text += line.size() + 2 <= tools::kTerminal ? "  " + line + "\n"
                                                : "  " + line.substr(0, tools::kTerminal - 5) + "...\n";
  }
  return text;
}

std::string why_text(const Json& why) {
  std::string text = views::name_of(look(why, "/ue"), why) + ": " + text_at(why, "/direction") +
                     " limited by " + text_at(why, "/limit") + "\n";
  const Json advice = look(why, "/advice");
  for (const Json& sentence : advice)
    text += tools::wrapped("- " + views::plain(sentence), tools::kTerminal, 2) + "\n";
  const std::string given = text_at(why, "/configured_class"), cls = text_at(why, "/class");
  text += tools::wrapped("class " + cls +
                         (given != cls && given != "-" ? " (the configuration gives it " + given + ")" : "") +
                         ", made by " + text_at(why, "/origin") +
                         (look(why, "/owner").is_null() ? "" : ", kept by " + text_at(why, "/owner")) +
                         ", worker " + text_at(why, "/worker") +
                         (look(why, "/cell").is_null() ? "" : ", cell " + text_at(why, "/cell"))) +
          "\n";
  return text + legs(why) + connections(why) + changes(why);
}

struct WhyOptions {
  std::string ue;
  Selector selector{};
};

}  // namespace

void add_why_command(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<WhyOptions>();
  auto* command =
      app.add_subcommand("why", "why a bearer is as fast as it is: what limits it, and what to do");
  command->add_option("UE", o->ue, "IPv4 address, IPv6 /64 or address; in a network UE@NAME")->required();
  add_selector(*command, o->selector);
  command->callback([=, &chosen] {
    Json params{{"ue", o->ue}};
    o->selector.add_to(params);
    chosen = {ask("bearer.why", params), why_text};
  });
}

}  // namespace ctl

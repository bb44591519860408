// The view of one bearer.
#include <sstream>
#include <string>

#include "tools/common/table.h"
#include "tools/ctl/members.h"
#include "tools/ctl/views.h"

namespace ctl::views {
namespace {

using tools::Table;

void add_leg(Table& table, const Json& bearer, const char* label, auto format, const char* member) {
  Table::Row row{label};
  for (const std::string leg : kLegs) row.push_back(format(bearer, ("/" + leg + member).c_str()));
  table.add(row);
}

// Rows of bearers with the link `am` only: traffic over their air, and the air's settings.
void add_am(Table& table, const Json& bearer) {
  if (look(bearer, "/downlink/air").is_null()) return;
  add_leg(table, bearer, "in transmission, SDUs", count, "/air/sdus_in_transmission");
  add_leg(table, bearer, "PDUs new", count, "/air/pdus/new");
  add_leg(table, bearer, "PDUs retransmitted", count, "/air/pdus/retransmitted");
  add_leg(table, bearer, "PDUs retransmitted, share", percent, "/air/retransmission_ratio");
  add_leg(table, bearer, "PDUs status", count, "/air/pdus/status");
  add_leg(table, bearer, "frames sent", count, "/air/frames/sent");
  add_leg(table, bearer, "frames lost", count, "/air/frames/lost");
  add_leg(table, bearer, "frames lost, share", percent, "/air/frame_error_ratio");
  add_leg(table, bearer, "discards (MRW)", count, "/air/discards");
  add_leg(table, bearer, "resets", count, "/air/resets");
  const Json settings = look(bearer, "/downlink/air/settings");
  for (const auto& [key, value] : settings.items()) {
    add_leg(table, bearer, ("am " + key).c_str(), text_at, ("/air/settings/" + key).c_str());
  }
}

// Rows of legs with the link `um` only: traffic over their radio, and its settings.
void add_um(Table& table, const Json& bearer) {
  if (look(bearer, "/downlink/um").is_null() && look(bearer, "/uplink/um").is_null()) return;
  add_leg(table, bearer, "on the way, SDUs", count, "/um/sdus_on_the_way");
  add_leg(table, bearer, "sent, SDUs", count, "/um/sdus_sent");
  add_leg(table, bearer, "lost on the radio, SDUs", count, "/um/sdus_lost");
  add_leg(table, bearer, "lost on the radio, share", percent, "/um/loss_ratio");
  Json settings = look(bearer, "/downlink/um/settings");
  if (settings.is_null()) settings = look(bearer, "/uplink/um/settings");
  for (const auto& [key, value] : settings.items()) {
    add_leg(table, bearer, ("um " + key).c_str(), text_at, ("/um/settings/" + key).c_str());
  }
}

// Rows of bearers whose packets come in tunnels only.
void add_tunnel(Table& table, const Json& bearer) {
  if (look(bearer, "/downlink/tunnel").is_null() && look(bearer, "/uplink/tunnel").is_null()) return;
  add_leg(table, bearer, "tunnel, to", text_at, "/tunnel/endpoint");
  add_leg(table, bearer, "tunnel, TEID", text_at, "/tunnel/teid");
  add_leg(table, bearer, "tunnel, QFI", text_at, "/tunnel/qfi");
  add_leg(table, bearer, "tunnel, for", duration, "/tunnel/since_seconds");
  add_leg(table, bearer, "tunnel, changes", count, "/tunnel/changes");
}

// Rows of bearers in a cell only.
void add_cell(Table& table, const Json& bearer) {
  if (look(bearer, "/cell").is_null()) return;
  table.add({"cell, mean rate", rate(bearer, "/cell/mean_rate"), ""});
  table.add({"cell, slots", count(bearer, "/cell/slots"), ""});
  table.add({"cell, last report, ago", duration(bearer, "/cell/report_seconds"), ""});
}

// The profile if there is one, and every setting in force; the legs may have different policies.
void add_aqm(Table& table, const Json& bearer) {
  const bool by_profile =
      !look(bearer, "/downlink/aqm_profile").is_null() || !look(bearer, "/uplink/aqm_profile").is_null();
  if (by_profile) add_leg(table, bearer, "aqm profile", text_at, "/aqm_profile");
  Json keys = look(bearer, "/downlink/aqm_settings");
  if (!keys.is_object()) keys = Json::object();
  if (const Json up = look(bearer, "/uplink/aqm_settings"); up.is_object()) keys.update(up);
  for (const auto& [key, value] : keys.items()) {
    add_leg(table, bearer, ("aqm " + key).c_str(), text_at, ("/aqm_settings/" + key).c_str());
  }
}

// Rows of the downlink's queue.
void add_queue(Table& table, const Json& bearer) {
  add_leg(table, bearer, "queue", text_at, "/queue");
  const Json settings = look(bearer, "/downlink/queue_settings");
  if (!settings.is_object()) return;
  for (const auto& [key, value] : settings.items()) {
    add_leg(table, bearer, ("queue " + key).c_str(), text_at, ("/queue_settings/" + key).c_str());
  }
}

// "maxd 0.5s, alpha 1"
std::string in_words(const Json& settings) {
  std::string text;
  for (const auto& [key, value] : settings.items())
    text += (text.empty() ? "" : ", ") + key + " " + plain(value);
  return text.empty() ? "-" : text;
}

constexpr std::size_t kSettingsWidth = 56;  // beside a stage's name and its ACKs

// The table of bearers with ACK stages only.
std::string ack_stages(const Json& bearer) {
  const Json stages = look(bearer, "/uplink/ack");
  if (!stages.is_array() || stages.empty()) return "";
  Table table({"ACK STAGE", ">HELD", "SETTINGS"});
  for (const auto& one : stages) {
    const std::string settings = tools::wrapped(in_words(look(one, "/settings")), kSettingsWidth);
    std::istringstream lines(settings);
    std::string line;
    std::getline(lines, line);
    table.add({text_at(one, "/stage"), count(one, "/held"), line});
    while (std::getline(lines, line)) table.add({"", "", line});
  }
  return "\n" + table.text({.width = tools::kTerminal}) +
         tools::wrapped("flows: " + in_words(look(bearer, "/uplink/flows"))) + "\n";
}

// The line of bearers with a proxy only.
std::string proxy(const Json& bearer) {
  const Json settings = look(bearer, "/proxy_settings");
  if (look(bearer, "/proxy").is_null()) return "";
  return "\n" + tools::wrapped("proxy " + text_at(bearer, "/proxy") + ": " + in_words(settings)) + "\n";
}

}  // namespace

namespace {

// ", kept by radius for 87 s"; nothing if nobody keeps it.
std::string keeper(const Json& one) {
  if (!look(one, "/owner").is_string()) return "";
  const std::string time =
      look(one, "/kept_seconds").is_number() ? " for " + duration(one, "/kept_seconds") : "";
  return ", kept by " + text_at(one, "/owner") + time;
}

}  // namespace

std::string bearer(const Json& one) {
  Table table({"", ">DOWNLINK", ">UPLINK"});
  add_leg(table, one, "rate", rate, "/rate");
  add_leg(table, one, "link", text_at, "/link");
  add_leg(table, one, "gate", text_at, "/gate");
  add_leg(table, one, "aqm", text_at, "/aqm");
  add_aqm(table, one);
  add_queue(table, one);
  add_leg(table, one, "limit, SDUs", count, "/buffer/sdus");
  add_leg(table, one, "limit, bytes", bytes, "/buffer/bytes");
  add_leg(table, one, "queued, SDUs", count, "/queued_sdus");
  add_leg(table, one, "queued, bytes", bytes, "/queued_bytes");
  add_leg(table, one, "delivered, SDUs", count, "/delivered_sdus");
  add_leg(table, one, "delivered, bytes", bytes, "/delivered_bytes");
  add_leg(table, one, "dropped, SDUs", count, "/dropped_sdus");
  add_leg(table, one, "last packet, ago", duration, "/idle_seconds");
  add_tunnel(table, one);
  add_cell(table, one);
  add_am(table, one);
  add_um(table, one);
  table.narrow_all();
  const std::string head = tools::wrapped(
      "UE " + name_of(look(one, "/ue"), one) + ", class " + text_at(one, "/class") +
      (look(one, "/learnt") == true ? ", learnt" : "") + keeper(one) +
      (look(one, "/cell").is_null() ? "" : ", cell " + text_at(one, "/cell/name")) +
      (look(one, "/downlink_teid").is_null() ? "" : ", downlink TEID " + teid_at(one, "/downlink_teid")) +
      "\n");
  return head + table.text({.width = tools::kTerminal}) + ack_stages(one) + proxy(one);
}

}  // namespace ctl::views

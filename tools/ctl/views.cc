#include "tools/ctl/views.h"

#include <array>
#include <string_view>

#include "tools/common/table.h"
#include "tools/ctl/units.h"

namespace ctl::views {
namespace {

using tools::Table;

constexpr std::array kLegs{"downlink", "uplink"};

Json look(const Json& in, const char* pointer) { return in.value(Json::json_pointer(pointer), Json()); }

std::string plain(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

template <class Format>
std::string number(const Json& value, Format format) {
  return value.is_number() && value >= 0 ? format(value.get<double>()) : plain(value);
}

std::string count(const Json& in, const char* pointer) {
  const auto value = look(in, pointer);
  return value.is_number_unsigned() ? count_text(value.get<std::uint64_t>()) : plain(value);
}

std::string bytes(const Json& in, const char* pointer) {
  return number(look(in, pointer), [](double b) { return bytes_text(static_cast<std::uint64_t>(b)); });
}

std::string rate(const Json& in, const char* pointer) {
  return number(look(in, pointer), [](double r) { return rate_text(static_cast<std::uint64_t>(r)); });
}

std::string percent(const Json& in, const char* pointer) {
  return number(look(in, pointer), [](double r) { return percent_text(r); });
}

std::string rounded(const Json& in, const char* pointer) {
  return number(look(in, pointer), [](double v) { return count_text(static_cast<std::uint64_t>(v + 0.5)); });
}

void add_reasons(Table& table, const std::string& port, const Json& reasons) {
  for (const auto& [reason, lost] : reasons.items()) {
    if (look(lost, "/frames") == 0) continue;
    table.add({port, reason, count(lost, "/frames"), bytes(lost, "/bytes")});
  }
}

// What the driver lost has frames only.
void add_losses(Table& table, const std::string& port, const Json& losses) {
  for (const auto& [what, frames] : losses.items()) {
    if (frames != 0) table.add({port, "driver: " + what, count(losses, ("/" + what).c_str()), "-"});
  }
}

void add_leg(Table& table, const Json& bearer, const char* label, auto format, const char* member) {
  Table::Row row{label};
  for (const std::string leg : kLegs) row.push_back(format(bearer, ("/" + leg + member).c_str()));
  table.add(row);
}

std::string text_at(const Json& in, const char* pointer) { return plain(look(in, pointer)); }

// What only bearers with the link `am` have: what crossed their air, and the air's settings.
void add_air(Table& table, const Json& bearer) {
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

// A row for each point, and one for the rate asked about.
std::string profile(const Json& one) {
  const Json points = look(one, "/points");
  if (!points.is_array() || points.empty()) return "";
  Table::Row head;
  for (const auto& [key, value] : points.front().items()) head.push_back(">" + key);
  Table table(head);
  const auto add = [&](const Json& values, const std::string& at) {
    Table::Row row;
    for (const auto& [key, value] : points.front().items()) {
      row.push_back(key == "rate" && !at.empty() ? at : text_at(values, ("/" + key).c_str()));
    }
    table.add(row);
  };
  for (const auto& point : points) add(point, "");
  if (one.contains("values")) add(one["values"], "at " + rate(one, "/rate"));
  return text_at(one, "/policy") + " " + text_at(one, "/name") + " (" + text_at(one, "/source") + "; rtt " +
         text_at(one, "/rtt") + ")\n" + table.text() + "\n";
}

}  // namespace

std::string profiles(const Json& result) {
  std::string text;
  const Json list = look(result, "/profiles");
  for (const auto& one : list) text += profile(one);
  return (text.empty() ? "no profiles\n" : text) + text_at(result, "/rule") + "\n";
}

std::string bearers(const Json& list) {
  Table table({"UE", "CLASS", ">DOWN RATE", ">QUEUED", ">DELIVERED", ">DROPPED", ">UP RATE", ">QUEUED",
               ">DELIVERED", ">DROPPED"});
  for (const auto& one : list) {
    const auto learnt = look(one, "/learnt") == true ? " (learnt)" : "";
    Table::Row row{text_at(one, "/ue"), text_at(one, "/class") + learnt};
    for (const std::string leg : kLegs) {
      const auto at = "/" + leg;
      row.push_back(rate(one, (at + "/rate").c_str()));
      row.push_back(bytes(one, (at + "/queued_bytes").c_str()));
      row.push_back(bytes(one, (at + "/delivered_bytes").c_str()));
      row.push_back(count(one, (at + "/dropped_sdus").c_str()));
    }
    table.add(row);
  }
  return table.empty() ? "no bearers\n" : table.text();
}

std::string bearer(const Json& one) {
  Table table({"", ">DOWNLINK", ">UPLINK"});
  add_leg(table, one, "rate", rate, "/rate");
  add_leg(table, one, "link", text_at, "/link");
  add_leg(table, one, "aqm", text_at, "/aqm");
  add_aqm(table, one);
  add_leg(table, one, "limit, SDUs", count, "/buffer/sdus");
  add_leg(table, one, "limit, bytes", bytes, "/buffer/bytes");
  add_leg(table, one, "queued, SDUs", count, "/queued_sdus");
  add_leg(table, one, "queued, bytes", bytes, "/queued_bytes");
  add_leg(table, one, "delivered, SDUs", count, "/delivered_sdus");
  add_leg(table, one, "delivered, bytes", bytes, "/delivered_bytes");
  add_leg(table, one, "dropped, SDUs", count, "/dropped_sdus");
  add_air(table, one);
  return "UE " + text_at(one, "/ue") + ", class " + text_at(one, "/class") +
         (look(one, "/learnt") == true ? ", learnt" : "") + "\n" + table.text();
}

std::string workers(const Json& list) {
  Table table({">WORKER", ">BUSY", ">CYCLES/PACKET", ">POLLS", ">TIMERS", ">BEARERS", ">BUFFERED",
               ">RETAINED", ">EGRESS", ">RESIDUE"});
  for (const auto& one : list) {
    table.add({text_at(one, "/id"), percent(one, "/busy_ratio"), rounded(one, "/cycles_per_packet"),
               count(one, "/polls"), count(one, "/timers"), count(one, "/bearers"), count(one, "/buffered"),
               count(one, "/retained"), count(one, "/egress"), count(one, "/residue")});
  }
  return table.text();
}

std::string drops(const Json& ports) {
  Table table({"PORT", "REASON", ">FRAMES", ">BYTES"});
  for (const auto& [name, port] : ports.items()) {
    add_reasons(table, name, look(port, "/dropped"));
    add_losses(table, name, look(port, "/losses"));
  }
  return table.empty() ? "nothing was dropped\n" : table.text();
}

std::string ports(const Json& ports) {
  Table table({"PORT", "DEVICE", "DRIVER", "LINK", ">RECEIVED", ">BYTES", ">SENT", ">BYTES"});
  Table passed({"PORT", "PASSED UNSHAPED", ">FRAMES", ">BYTES"});
  for (const auto& [name, port] : ports.items()) {
    const auto link = look(port, "/link_up");
    table.add({name, text_at(port, "/device"), text_at(port, "/driver"),
               link.is_boolean() ? (link.get<bool>() ? "up" : "down") : "-", count(port, "/received/frames"),
               bytes(port, "/received/bytes"), count(port, "/sent/frames"), bytes(port, "/sent/bytes")});
    add_reasons(passed, name, look(port, "/passed"));
  }
  return table.text() + (passed.empty() ? "" : "\n" + passed.text());
}

std::string classes(const Json& list) {
  Table rlc({"CLASS", "LEG", ">PDUS NEW", ">RETRANSMITTED", ">SHARE", ">STATUS", ">FRAMES", ">LOST", ">MRW",
             ">RESETS"});
  Table table({"CLASS", ">BEARERS", "LEG", ">BUFFERED", ">BYTES", ">DELIVERED", ">BYTES", ">DROPPED"});
  for (const auto& one : list) {
    for (const std::string leg : kLegs) {
      const auto of = look(one, ("/" + leg).c_str());
      table.add({text_at(one, "/name"), count(one, "/bearers"), leg, count(of, "/buffer_sdus"),
                 bytes(of, "/buffer_bytes"), count(of, "/delivered_sdus"), bytes(of, "/delivered_bytes"),
                 count(of, "/dropped_sdus")});
      if (look(of, "/rlc/frames/sent") == 0 || look(of, "/rlc").is_null()) continue;
      rlc.add({text_at(one, "/name"), leg, count(of, "/rlc/pdus/new"), count(of, "/rlc/pdus/retransmitted"),
               percent(of, "/rlc/retransmission_ratio"), count(of, "/rlc/pdus/status"),
               count(of, "/rlc/frames/sent"), percent(of, "/rlc/frame_error_ratio"),
               count(of, "/rlc/discards"), count(of, "/rlc/resets")});
    }
  }
  if (table.empty()) return "no classes\n";
  return table.text() + (rlc.empty() ? "" : "\n" + rlc.text());
}

std::string mode(const Json& mode) {
  return "mode " + text_at(mode, "/mode") + ", frames of no bearer: " + text_at(mode, "/unknown") + "\n";
}

std::string stats(const Json& all) {
  const auto up = number(look(all, "/uptime_seconds"), [](double s) { return duration_text(s); });
  return mode(all) + "up " + up + "\n" + "bearers " + count(all, "/bearers/count") + " of " +
         count(all, "/bearers/capacity") + ", " + count(all, "/bearers/learnt") + " learnt, " +
         count(all, "/bearers/stocked") + " in stock\n" + "mbufs " + count(all, "/pool/in_use") + " of " +
         count(all, "/pool/mbufs") + " in use, buffers may hold " + count(all, "/pool/buffer_cap") + "\n" +
         "unaccounted frames " + text_at(all, "/residue") + "\n\n" + ports(look(all, "/ports")) + "\n" +
         workers(look(all, "/workers")) + "\n" + classes(look(all, "/classes")) + "\n" +
         drops(look(all, "/ports"));
}

std::string methods(const Json& list) {
  std::string text;
  for (const auto& one : list) {
    text += text_at(one, "/name") + " " + text_at(one, "/params") + "\n    " + text_at(one, "/doc") + "\n";
  }
  return text;
}

std::string document(const Json& any) { return any.dump(2) + "\n"; }

std::string fields(const Json& object) {
  if (!object.is_object()) return plain(object) + "\n";
  std::string text;
  for (const auto& [name, value] : object.items()) text += name + " " + plain(value) + "\n";
  return text;
}

std::string changed(const Json& result) {
  return count(result, "/created") + " created, " + count(result, "/changed") + " changed, " +
         count(result, "/unchanged") + " unchanged\n";
}

std::string reconfigured(const Json& result) {
  if (!result.contains("bearer")) {
    return count(result, "/changed") + " changed, " + count(result, "/unchanged") + " unchanged, " +
           count(result, "/lost") + " frames lost, in " +
           number(look(result, "/seconds"),
                  [](double s) { return count_text(static_cast<std::uint64_t>(s * 1000 + 0.5)) + " ms"; }) +
           "\n";
  }
  return text_at(result, "/bearer") + " " + text_at(result, "/direction") + " " + rate(result, "/rate") +
         ", was " + rate(result, "/was") +
         (result.contains("uplink_was") ? " down, " + rate(result, "/uplink_was") + " up" : "") + "\n";
}

std::string mode_changed(const Json& result) {
  return "mode " + text_at(result, "/mode") + ", was " + text_at(result, "/was") + "\n";
}

std::string checked(const Json& result) {
  std::string text;
  for (const auto& error : look(result, "/errors")) {
    text +=
        text_at(error, "/line") + ":" + text_at(error, "/column") + ": " + text_at(error, "/message") + "\n";
  }
  return text.empty() ? "the configuration is good\n" : text;
}

}  // namespace ctl::views

#include "tools/ctl/views.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "tools/common/table.h"
#include "tools/ctl/members.h"

namespace ctl::views {
namespace {

using tools::Table;

void add_reasons(Table& table, const std::string& port, const Json& reasons) {
  for (const auto& [reason, lost] : reasons.items()) {
    if (look(lost, "/frames") == 0) continue;
    table.add({port, reason, count(lost, "/frames"), bytes(lost, "/bytes")});
  }
}

// The driver's losses are counted in frames only.
void add_losses(Table& table, const std::string& port, const Json& losses) {
  for (const auto& [what, frames] : losses.items()) {
    if (frames != 0) table.add({port, "driver: " + what, count(losses, ("/" + what).c_str()), "-"});
  }
}

// A row for each point, and one for the rate in the request.
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

std::string workers(const Json& list) {
  Table table({">WORKER", ">BUSY", ">CYCLES/PACKET", ">POLLS", ">TIMERS", ">BEARERS", ">GIVEN", ">TAKEN",
               ">BUFFERED", ">ACKS HELD", ">RETAINED", ">EGRESS", ">RESIDUE"});
  for (const auto& one : list) {
    const bool hangs = look(one, "/polling") == Json(false);
    table.add({text_at(one, "/id"), hangs ? "hangs" : percent(one, "/busy_ratio"),
               rounded(one, "/cycles_per_packet"), count(one, "/polls"), count(one, "/timers"),
               count(one, "/bearers"), count(one, "/given"), count(one, "/taken"), count(one, "/buffered"),
               count(one, "/held"), count(one, "/retained"), count(one, "/egress"), count(one, "/residue")});
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
  Table table({"PORT", "DEVICE", "DRIVER", "STATE", ">REBINDS", ">RECEIVED", ">BYTES", ">SENT", ">BYTES"});
  std::string reasons, hints;
  Table passed({"PORT", "PASSED UNSHAPED", ">FRAMES", ">BYTES"});
  for (const auto& [name, port] : ports.items()) {
    table.add({name, text_at(port, "/device"), text_at(port, "/driver"), text_at(port, "/state"),
               count(port, "/rebinds"), count(port, "/received/frames"), bytes(port, "/received/bytes"),
               count(port, "/sent/frames"), bytes(port, "/sent/bytes")});
    const Json why = look(port, "/reason");
    if (why.is_string() && !why.get_ref<const std::string&>().empty())
      reasons +=
          (text_at(port, "/state") == "no_carrier" ? "" : "not bound: ") + why.get<std::string>() + "\n";
    const Json hint = look(port, "/hint");
    if (hint.is_string() && hints.find(hint.get<std::string>()) == std::string::npos)
      hints += hint.get<std::string>() + "\n";
    add_reasons(passed, name, look(port, "/passed"));
  }
  return table.text() + reasons + hints + (passed.empty() ? "" : "\n" + passed.text());
}

// Rows of the stages that have met any ACK.
void add_ack_events(Table& table, const Json& one) {
  const Json stages = look(one, "/acks/stages");
  if (!stages.is_object()) return;
  for (const auto& [name, events] : stages.items()) {
    const bool any = std::any_of(events.begin(), events.end(), [](const Json& n) { return n != 0; });
    if (!any) continue;
    table.add({text_at(one, "/name"), name, count(events, "/held"), count(events, "/released"),
               count(events, "/overflowed"), count(events, "/edited"), count(events, "/stood_aside")});
  }
}

std::string classes(const Json& list) {
  Table rlc({"CLASS", "LEG", ">PDUS NEW", ">RETRANSMITTED", ">SHARE", ">STATUS", ">FRAMES", ">LOST", ">MRW",
             ">RESETS"});
  Table acks({"CLASS", "ACK STAGE", ">HELD", ">RELEASED", ">OVERFLOWED", ">EDITED", ">STOOD ASIDE"});
  Table table({"CLASS", ">BEARERS", "LEG", ">BUFFERED", ">BYTES", ">DELIVERED", ">BYTES", ">DROPPED"});
  for (const auto& one : list) {
    add_ack_events(acks, one);
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
  return table.text() + (rlc.empty() ? "" : "\n" + rlc.text()) + (acks.empty() ? "" : "\n" + acks.text());
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
    text += text_at(one, "/name") + " " + text_at(one, "/params") + "\n    " + text_at(one, "/doc") +
            (one.value("read_only", false) ? "; also on the read-only socket\n" : "\n");
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
  std::string tunnels;
  const Json told = look(result, "/tunnels");
  for (const auto& [effect, number] : told.items()) {
    if (number != 0) tunnels += (tunnels.empty() ? "tunnels: " : ", ") + plain(number) + " " + effect;
  }
  return count(result, "/created") + " created, " + count(result, "/changed") + " changed, " +
         count(result, "/unchanged") + " unchanged\n" + (tunnels.empty() ? "" : tunnels + "\n");
}

namespace {

// The changes beside the rates, which have their own words in the answer to a request for rates.
std::string other_changes(const Json& legs, bool rates_told) {
  std::string text;
  if (!legs.is_object()) return text;
  for (const auto& [leg, keys] : legs.items()) {
    for (const auto& [key, values] : keys.items()) {
      if (rates_told && key == "rate") continue;
      const Json& was = look(values, "/was");
      const Json& now = look(values, "/now");
      text += (text.empty() ? "" : "; ") + leg + " " + key + " " + (now.is_null() ? "none" : plain(now)) +
              ", was " + (was.is_null() ? "none" : plain(was));
    }
  }
  return text;
}

}  // namespace

std::string reconfigured(const Json& result) {
  if (!result.contains("bearer")) {
    return count(result, "/changed") + " changed, " + count(result, "/unchanged") + " unchanged, " +
           count(result, "/lost") + " frames lost, in " +
           number(look(result, "/seconds"),
                  [](double s) {
                    return count_text(static_cast<std::uint64_t>(std::llround(s * 1000))) + " ms";
                  }) +
           "\n";
  }
  const bool rates = result.contains("rate");
  std::string text = name_of(look(result, "/bearer"), result);
  if (rates) {
    text += " " + text_at(result, "/direction") + " " + rate(result, "/rate") + ", was " +
            rate(result, "/was") +
            (result.contains("uplink_was") ? " down, " + rate(result, "/uplink_was") + " up" : "");
  }
  const std::string others = other_changes(look(result, "/changed"), rates);
  if (!others.empty()) return text + (rates ? "; " : " ") + others + "\n";
  return text + (rates ? "\n" : " unchanged\n");
}

}  // namespace ctl::views

// Tables of what rncd counts: workers, ports, drops and classes.
#include <algorithm>
#include <array>
#include <string>

#include "tools/ctl/members.h"
#include "tools/ctl/views.h"

namespace ctl::views {
namespace {

bool hangs(const Json& worker) { return look(worker, "/polling") == false; }
Json busy(const Json& worker) { return hangs(worker) ? Json("hangs") : look(worker, "/busy_ratio"); }
bool has_residue(const Json& worker) {
  return look(worker, "/residue").is_number() && look(worker, "/residue") != 0;
}

constexpr std::array kWorkerColumns{
    Column{"worker", Kind::number, "/id"},
    Column{"busy", Kind::ratio, "", Place::first, "", busy, hangs},
    Column{"cycles", Kind::count, "/cycles_per_packet", Place::first, "CYCLES/PACKET"},
    Column{"bearers", Kind::count, "/bearers"},
    Column{"buffered", Kind::count, "/buffered"},
    Column{"held", Kind::count, "/held", Place::first, "ACKS HELD"},
    Column{"retained", Kind::count, "/retained"},
    Column{"residue", Kind::count, "/residue", Place::first, "", nullptr, has_residue},
    Column{"polls", Kind::count, "/polls", Place::wide},
    Column{"timers", Kind::count, "/timers", Place::wide},
    Column{"given", Kind::count, "/given", Place::wide},
    Column{"taken", Kind::count, "/taken", Place::wide},
    Column{"egress", Kind::count, "/egress", Place::wide},
};

constexpr std::array kDropColumns{
    Column{"port", Kind::text, "/port"},
    Column{"reason", Kind::text, "/reason"},
    Column{"frames", Kind::count, "/frames"},
    Column{"bytes", Kind::bytes, "/bytes"},
};

std::string no_drops(const Json&) { return "nothing was dropped\n"; }

constexpr std::array kPassedColumns{
    Column{"port", Kind::text, "/port"},
    Column{"reason", Kind::text, "/reason", Place::first, "PASSED UNSHAPED"},
    Column{"frames", Kind::count, "/frames"},
    Column{"bytes", Kind::bytes, "/bytes"},
};
const ListView kPassed{"frames", kPassedColumns};

bool is_down(const Json& port) { return look(port, "/state").is_string() && look(port, "/state") != "up"; }

constexpr std::array kPortColumns{
    Column{"port", Kind::text, "/port"},
    Column{"device", Kind::text, "/device"},
    Column{"driver", Kind::text, "/driver"},
    Column{"state", Kind::text, "/state", Place::first, "", nullptr, is_down},
    Column{"received", Kind::count, "/received/frames"},
    Column{"sent", Kind::count, "/sent/frames"},
    Column{"received_bytes", Kind::bytes, "/received/bytes", Place::wide},
    Column{"sent_bytes", Kind::bytes, "/sent/bytes", Place::wide},
    Column{"rebinds", Kind::count, "/rebinds", Place::wide},
};

// A row for each reason that has occurred.
void add_reasons(Json& rows, const Json& port, const Json& reasons) {
  if (!reasons.is_object()) return;
  for (const auto& [reason, lost] : reasons.items()) {
    if (look(lost, "/frames") == 0) continue;
    rows.push_back({{"port", port},
                    {"reason", reason},
                    {"frames", look(lost, "/frames")},
                    {"bytes", look(lost, "/bytes")}});
  }
}

// Why a port is not bound, what could be better, and what passed unshaped.
std::string below_ports(const Json& answer, tools::Form form) {
  std::string reasons, hints;
  Json passed = Json::array();
  for (const auto& port : look(answer, "/items")) {
    const Json& why = look(port, "/reason");
    if (why.is_string() && !why.get_ref<const std::string&>().empty())
      reasons +=
          (text_at(port, "/state") == "no_carrier" ? "" : "not bound: ") + why.get<std::string>() + "\n";
    const Json& hint = look(port, "/hint");
    if (hint.is_string() && hints.find(hint.get<std::string>()) == std::string::npos)
      hints += hint.get<std::string>() + "\n";
    add_reasons(passed, look(port, "/port"), look(port, "/passed"));
  }
  return tools::wrapped(reasons + hints) + (passed.empty() ? "" : "\n" + text_of_list(kPassed, passed, form));
}

bool has_frames(const Json& leg) {
  return look(leg, "/rlc/frames/sent").is_number() && look(leg, "/rlc/frames/sent") != 0;
}

// A figure of the leg's RLC; null where no frame was sent.
template <const char* kLeg, const char* kPath>
Json rlc(const Json& row) {
  const Json& leg = look(row, kLeg);
  return has_frames(leg) ? look(leg, kPath) : Json();
}

constexpr char kDown[] = "/downlink", kUp[] = "/uplink", kNew[] = "/rlc/pdus/new",
               kAgain[] = "/rlc/pdus/retransmitted", kShare[] = "/rlc/retransmission_ratio",
               kStatus[] = "/rlc/pdus/status", kFrames[] = "/rlc/frames/sent",
               kLost[] = "/rlc/frame_error_ratio", kDiscards[] = "/rlc/discards", kResets[] = "/rlc/resets";

constexpr std::array kClassColumns{
    Column{"class", Kind::text, "/name"},
    Column{"bearers", Kind::count, "/bearers"},
    Column{"queue", Kind::bytes, "/downlink/buffer_bytes"},
    Column{"sent", Kind::bytes, "/downlink/delivered_bytes"},
    Column{"drops", Kind::count, "/downlink/dropped_sdus"},
    Column{"up_queue", Kind::bytes, "/uplink/buffer_bytes"},
    Column{"up_sent", Kind::bytes, "/uplink/delivered_bytes"},
    Column{"up_drops", Kind::count, "/uplink/dropped_sdus"},
    Column{"queue_sdus", Kind::count, "/downlink/buffer_sdus", Place::wide},
    Column{"sent_sdus", Kind::count, "/downlink/delivered_sdus", Place::wide},
    Column{"up_queue_sdus", Kind::count, "/uplink/buffer_sdus", Place::wide},
    Column{"up_sent_sdus", Kind::count, "/uplink/delivered_sdus", Place::wide},
    Column{"pdus", Kind::count, "", Place::second, "PDUS NEW", rlc<kDown, kNew>},
    Column{"pdus_again", Kind::count, "", Place::second, "AGAIN", rlc<kDown, kAgain>},
    Column{"again_ratio", Kind::ratio, "", Place::second, "SHARE", rlc<kDown, kShare>},
    Column{"status", Kind::count, "", Place::second, "STATUS", rlc<kDown, kStatus>},
    Column{"air_frames", Kind::count, "", Place::second, "FRAMES", rlc<kDown, kFrames>},
    Column{"air_lost", Kind::ratio, "", Place::second, "LOST", rlc<kDown, kLost>},
    Column{"mrw", Kind::count, "", Place::second, "MRW", rlc<kDown, kDiscards>},
    Column{"resets", Kind::count, "", Place::second, "RESETS", rlc<kDown, kResets>},
    Column{"up_pdus", Kind::count, "", Place::third, "UP PDUS NEW", rlc<kUp, kNew>},
    Column{"up_pdus_again", Kind::count, "", Place::third, "AGAIN", rlc<kUp, kAgain>},
    Column{"up_again_ratio", Kind::ratio, "", Place::third, "SHARE", rlc<kUp, kShare>},
    Column{"up_status", Kind::count, "", Place::third, "STATUS", rlc<kUp, kStatus>},
    Column{"up_air_frames", Kind::count, "", Place::third, "FRAMES", rlc<kUp, kFrames>},
    Column{"up_air_lost", Kind::ratio, "", Place::third, "LOST", rlc<kUp, kLost>},
    Column{"up_mrw", Kind::count, "", Place::third, "MRW", rlc<kUp, kDiscards>},
    Column{"up_resets", Kind::count, "", Place::third, "RESETS", rlc<kUp, kResets>},
};

constexpr std::array kStageColumns{
    Column{"class", Kind::text, "/class"},
    Column{"stage", Kind::text, "/stage", Place::first, "ACK STAGE"},
    Column{"held", Kind::count, "/events/held"},
    Column{"released", Kind::count, "/events/released"},
    Column{"overflowed", Kind::count, "/events/overflowed"},
    Column{"edited", Kind::count, "/events/edited"},
    Column{"stood_aside", Kind::count, "/events/stood_aside"},
};
const ListView kStages{"stages", kStageColumns};

// The ACK stages that have met any ACK.
std::string below_classes(const Json& answer, tools::Form form) {
  Json rows = Json::array();
  for (const Json& one : look(answer, "/items")) {
    const Json& stages = look(one, "/acks/stages");
    if (!stages.is_object()) continue;
    for (const auto& [name, events] : stages.items()) {
      const bool any = std::any_of(events.begin(), events.end(), [](const Json& n) { return n != 0; });
      if (any) rows.push_back({{"class", look(one, "/name")}, {"stage", name}, {"events", events}});
    }
  }
  return rows.empty() ? "" : "\n" + text_of_list(kStages, rows, form);
}

}  // namespace

const ListView kWorkers{"workers", kWorkerColumns};
const ListView kDrops{"drops", kDropColumns, no_drops};
const ListView kPorts{"ports", kPortColumns, nullptr, below_ports};
const ListView kClasses{"classes", kClassColumns, nullptr, below_classes};

Json drops_in(const Json& stats) {
  Json rows = Json::array();
  const Json& ports = look(stats, "/ports");
  for (const auto& [name, port] : ports.items()) {
    add_reasons(rows, name, look(port, "/dropped"));
    // The driver's losses are counted in frames only.
    const Json& losses = look(port, "/losses");
    for (const auto& [what, frames] : losses.items()) {
      if (frames != 0)
        rows.push_back(
            {{"port", name}, {"reason", "driver: " + what}, {"frames", frames}, {"bytes", nullptr}});
    }
  }
  return rows;
}

Json ports_in(const Json& stats) {
  Json rows = Json::array();
  const Json& ports = look(stats, "/ports");
  for (const auto& [name, port] : ports.items()) {
    rows.push_back(port);
    rows.back()["port"] = name;
  }
  return rows;
}

std::string stats(const Json& all, tools::Form form) {
  const auto up = number(look(all, "/uptime_seconds"), [](double s) { return duration_text(s); });
  return mode(all) + "up " + up + "\n" + "bearers " + count(all, "/bearers/count") + " of " +
         count(all, "/bearers/capacity") + ", " + count(all, "/bearers/learnt") + " learnt, " +
         count(all, "/bearers/stocked") + " in stock\n" + "mbufs " + count(all, "/pool/in_use") + " of " +
         count(all, "/pool/mbufs") + " in use, buffers may hold " + count(all, "/pool/buffer_cap") + "\n" +
         "unaccounted frames " + text_at(all, "/residue") + "\n\n" +
         text_of_list(kPorts, ports_in(all), form) + "\n" +
         text_of_list(kWorkers, look(all, "/workers"), form) + "\n" +
         text_of_list(kClasses, look(all, "/classes"), form) + "\n" +
         text_of_list(kDrops, drops_in(all), form);
}

}  // namespace ctl::views

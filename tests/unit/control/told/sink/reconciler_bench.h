// A session table, a reconciler and an rncd, with time that moves by hand.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

#include "control/told/class_map.h"
#include "control/told/session_table.h"
#include "control/told/sink/reconciler.h"
#include "dataplane/base/time.h"
#include "tests/unit/control/told/sink/fake_rncd.h"

namespace control::told {

struct ReconcilerBench {
  SessionTable table{100'000};
  ClassMap classes{{{.qfi = {}, .class_attribute = "bad", .class_name = "nowhere"}}, "internet"};
  FakeRncd rncd;
  dp::ManualClock clock{dp::time_ns(1'000'000'000)};
  std::optional<Reconciler> reconciler;

  ReconcilerBench() { start(1); }
  void start(std::uint64_t generation) {
    ReconcilerSettings settings;
    settings.owners = {"radius", "pfcp"};
    settings.generation = generation;
    settings.lasting = {"pfcp"};
    reconciler.emplace(table, classes, settings, clock.now());
    reconciler->connected(clock.now());
  }
  static Session session(std::uint32_t n, std::uint64_t rate = 20'000'000) {
    Session session;
    session.id = "s" + std::to_string(n);
    session.ues = {dp::ue_ipv4(0x0a2d0000 + n)};
    session.downlink.bit_per_s = rate;
    session.uplink.bit_per_s = rate / 4;
    return session;
  }
  void put(const Session& session, std::string_view source = "radius") {
    ASSERT_TRUE(table.sink_of(source).put(session, clock.now()));
  }
  // Makes all calls that are due now; returns their number.
  std::size_t calls() {
    std::size_t made = 0;
    while (const auto call = reconciler->next(clock.now())) {
      const auto outcome = rncd.handle(*call, clock.now());
      if (const Json* const result = std::get_if<Json>(&outcome)) {
        reconciler->answered(clock.now(), *result);
      } else {
        reconciler->refused(clock.now(), std::get<RncdRefusal>(outcome));
      }
      if (++made > 100'000) ADD_FAILURE() << "it does not end";
      if (made > 100'000) break;
    }
    return made;
  }
  void run(dp::Duration time) {
    const dp::Time end = clock.now() + time;
    for (;;) {
      calls();
      const dp::Time due = reconciler->due();
      if (due > end) break;
      clock.set(std::max(due, clock.now() + std::chrono::milliseconds(1)));
    }
    clock.set(end);
  }
  const FakeBearer* bearer(std::uint32_t n) const {
    const auto at = rncd.bearers.find({dp::to_string(dp::ue_ipv4(0x0a2d0000 + n)), -1});
    return at == rncd.bearers.end() ? nullptr : &at->second;
  }
  const KnownBearer* known(std::uint32_t n) const { return reconciler->find(dp::ue_ipv4(0x0a2d0000 + n)); }
};

}  // namespace control::told

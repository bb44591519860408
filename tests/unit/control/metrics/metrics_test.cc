#include "control/metrics/metrics.h"

#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include "control/metrics/stolen_time.h"
#include "dataplane/ack/registry.h"
#include "tests/support/test_runtime.h"

namespace control {
namespace {

using prometheus::MetricType;

class MetricsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    View view;
    view.classes = {"internet", "voice"};
    view.proxied = {true, false};
    view.load = {{.busy_ratio = 0.25, .cycles_per_packet = 120, .stolen_ns = 1'500'000'000}};
    view.capacity = 4096;
    view.sockets = {{.socket = "control", .connections = 7, .memory = 100}, {.socket = "read_only"}};
    view.sockets[0][Cut::evicted] = 3;
    view.top = {
        {"10.45.0.1", {TopBearer::Leg{1, 2, 3, 4, am_of(100)}, TopBearer::Leg{5, 6, 7, 8, am_of(200)}}},
        {"10.45.0.2", {TopBearer::Leg{1, 2, 3, 4}, TopBearer::Leg{5, 6, 7, 8}}}};
    using std::chrono::seconds;
    view.life.started = LastOutcome::Moment(seconds(1000));
    view.life.reload = {.good = false, .succeeded = LastOutcome::Moment(seconds(1500))};
    view.life.save = LastOutcome{};
    view.life.on_trial = true;
    view.cells = {{.name = "north",
                   .slots = {5, 6, 7},
                   .bits = 9000,
                   .members = 3,
                   .backlogged = 2,
                   .stale_reports = 4,
                   .refused = 1}};
    cell.set(view);
    runtime.io.offer(dp::Side::core, {.dst = dp::test::Ip("10.45.0.1"), .payload = 60});
    while (runtime.io.sent() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    runtime.stop();
  }
  static dp::AmEventTotals am_of(std::uint64_t first) {
    return {{first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6}};
  }
  std::string text() const { return prometheus::TextSerializer().Serialize(metrics.Collect()); }
  void expect_line(const std::string& line) const {
    EXPECT_NE(("\n" + text()).find("\n" + line + "\n"), std::string::npos) << line;
  }

  dp::test::TestRuntime runtime;
  LatestView cell;
  Metrics metrics{runtime, cell};
};

TEST_F(MetricsTest, FramesAreCountedByPortAndReason) {
  expect_line(R"(rncd_received_frames_total{port="core"} 1)");
  expect_line(R"(rncd_sent_frames_total{port="radio"} 1)");
  expect_line(R"(rncd_passed_frames_total{port="core",reason="unknown_bearer"} 1)");
  expect_line(R"(rncd_dropped_frames_total{port="radio",reason="pool"} 0)");
  expect_line(R"(rncd_port_losses_total{port="core",kind="no_mbuf"} 3)");
  expect_line("rncd_unaccounted_frames 0");
}

TEST_F(MetricsTest, TheOutcomesOfReloadAndSaveAreReported) {
  expect_line("process_start_time_seconds 1000");
  expect_line("rncd_config_last_reload_successful 0");
  expect_line("rncd_config_last_reload_timestamp_seconds 1500");
  expect_line("rncd_state_last_save_successful 1");
  expect_line("rncd_state_last_save_timestamp_seconds 0");
  expect_line("rncd_config_on_trial 1");
}

TEST_F(MetricsTest, ResetsOfAClassThatHasNoProxyAnyMoreStay) {
  const std::string line = R"(rncd_proxy_resets_total{class="voice",why="removed"} )";
  EXPECT_EQ(text().find(line), std::string::npos);
  auto& resets = runtime.shared(0).classes[1].split.resets;
  resets[static_cast<std::size_t>(dp::SplitReset::removed)].add(4);
  expect_line(line + "4");
}

TEST_F(MetricsTest, CellsAreToldByNameAndNoUeIs) {
  expect_line(R"(rncd_cell_slots_total{cell="north",to="short"} 5)");
  expect_line(R"(rncd_cell_slots_total{cell="north",to="long"} 6)");
  expect_line(R"(rncd_cell_slots_total{cell="north",to="nobody"} 7)");
  expect_line(R"(rncd_cell_bytes_total{cell="north"} 1125)");
  expect_line(R"(rncd_cell_members{cell="north"} 3)");
  expect_line(R"(rncd_cell_backlogged{cell="north"} 2)");
  expect_line(R"(rncd_cell_stale_reports_total{cell="north"} 4)");
  expect_line(R"(rncd_cell_refused_total{cell="north"} 1)");
}

TEST_F(MetricsTest, TheClientsOfEachSocketAreTold) {
  expect_line(R"(rncd_control_connections{socket="control"} 7)");
  expect_line(R"(rncd_control_buffer_bytes{socket="control"} 100)");
  expect_line(R"(rncd_control_cut_connections_total{socket="control",reason="evicted"} 3)");
  expect_line(R"(rncd_control_cut_connections_total{socket="read_only",reason="idle"} 0)");
}

TEST_F(MetricsTest, APortIsUpOnlyWhenFramesPass) {
  expect_line(R"(rncd_port_up{port="core"} 1)");
  View view;
  view.classes = {"internet", "voice"};
  view.ports[0].watched = true;
  view.ports[0].state = PortState::program_lost;
  view.ports[0].rebinds = 3;
  cell.set(view);
  expect_line(R"(rncd_port_up{port="core"} 0)");
  expect_line(R"(rncd_port_up{port="radio"} 1)");
  expect_line(R"(rncd_port_state{port="core",state="program_lost"} 1)");
  expect_line(R"(rncd_port_state{port="core",state="up"} 0)");
  expect_line(R"(rncd_port_rebinds_total{port="core"} 3)");
}

TEST_F(MetricsTest, StateIsShownBesideCounters) {
  expect_line(R"(rncd_mode{mode="inline"} 1)");
  expect_line(R"(rncd_mode{mode="block"} 0)");
  expect_line("rncd_mbufs 1000");
  expect_line("rncd_mbufs_in_use 10");
  expect_line("rncd_bearer_capacity 4096");
  expect_line("rncd_log_dropped_lines_total 0");
  expect_line(R"(rncd_worker_busy_ratio{worker="0"} 0.25)");
  expect_line(R"(rncd_worker_cycles_per_packet{worker="0"} 120)");
  expect_line(R"(rncd_bearers{class="voice"} 0)");
  expect_line(R"(rncd_bearer_buffer_sdus{ue="10.45.0.1",direction="uplink"} 5)");
}

TEST_F(MetricsTest, RlcAndItsAirAreCountedByClassAndDirection) {
  dp::ClassLegCounters& leg = runtime.shared(0).classes[1].legs[1];
  for (std::size_t e = 0; e < dp::kAmEvents; ++e) leg.am[e].set(10 + e);
  const std::string voice = R"({class="voice",direction="uplink",)";
  expect_line("rncd_rlc_pdus_total" + voice + R"(kind="new"} 10)");
  expect_line("rncd_rlc_pdus_total" + voice + R"(kind="retransmitted"} 11)");
  expect_line("rncd_rlc_pdus_total" + voice + R"(kind="status"} 12)");
  expect_line("rncd_rlc_frames_total" + voice + R"(outcome="received"} 13)");
  expect_line("rncd_rlc_frames_total" + voice + R"(outcome="lost"} 14)");
  expect_line("rncd_rlc_recoveries_total" + voice + R"(kind="mrw"} 15)");
  expect_line("rncd_rlc_recoveries_total" + voice + R"(kind="reset"} 16)");
  expect_line(R"(rncd_rlc_pdus_total{class="internet",direction="downlink",kind="new"} 0)");
  expect_line("rncd_retained_frames 0");
}

TEST_F(MetricsTest, AckStagesAreCountedByClassStageAndEvent) {
  dp::ClassAckCounters& acks = runtime.shared(0).classes[1].acks;
  const std::size_t stage = dp::AckList::index_of("ack-rate");
  for (std::size_t e = 0; e < dp::kAckEvents; ++e) acks.stages[stage][e].set(20 + e);
  acks.held.set(3), acks.flows.set(4), acks.unfollowed.set(5), acks.corrupt.set(6), acks.kept.set(7);
  for (std::size_t e = 0; e < dp::kAckEvents; ++e) {
    expect_line(R"(rncd_ack_events_total{class="voice",stage="ack-rate",event=")" +
                std::string(dp::kAckEventNames[e]) + "\"} " + std::to_string(20 + e));
  }
  expect_line(R"(rncd_ack_events_total{class="internet",stage="ack-rate",event="held"} 0)");
  expect_line(R"(rncd_held_acks{class="voice"} 3)");
  expect_line(R"(rncd_flows{class="voice"} 4)");
  expect_line(R"(rncd_kept_segments{class="voice"} 7)");
  expect_line(R"(rncd_unfollowed_segments_total{class="voice"} 5)");
  expect_line(R"(rncd_corrupt_segments_total{class="voice"} 6)");
}

TEST_F(MetricsTest, SplitProxiesAreCountedByClassWhereThereAreAny) {
  dp::ClassSplitCounters& split = runtime.shared(0).classes[0].split;
  split.flows[dp::index(dp::SplitState::drain)].add(2);
  split.stored_bytes.add(3);
  split.at_risk_bytes.add(4);
  split.acked_bytes.add(5);
  split.retransmissions.add(6);
  split.timeouts.add(7);
  split.unsplit[dp::index(dp::Unsplit::sealed)].add(8);
  split.resets[dp::index(dp::SplitReset::ue_silent)].add(9);
  split.window_closed.add(10);
  split.gave_way.add(11);
  expect_line(R"(rncd_proxy_flows{class="internet",state="drain"} 2)");
  expect_line(R"(rncd_proxy_flows{class="internet",state="split"} 0)");
  expect_line(R"(rncd_proxy_stored_bytes{class="internet"} 3)");
  expect_line(R"(rncd_proxy_at_risk_bytes{class="internet"} 4)");
  expect_line(R"(rncd_proxy_acked_bytes_total{class="internet"} 5)");
  expect_line(R"(rncd_proxy_retransmissions_total{class="internet"} 6)");
  expect_line(R"(rncd_proxy_timeouts_total{class="internet"} 7)");
  expect_line(R"(rncd_proxy_unsplit_total{class="internet",why="sealed"} 8)");
  expect_line(R"(rncd_proxy_resets_total{class="internet",why="ue_silent"} 9)");
  expect_line(R"(rncd_proxy_window_closed_total{class="internet"} 10)");
  expect_line(R"(rncd_proxy_gave_way_total{class="internet"} 11)");
  EXPECT_EQ(text().find(R"(rncd_proxy_flows{class="voice")"), std::string::npos) << "it has no proxy";
}

TEST_F(MetricsTest, WhatBearersDropIsCountedByClassDirectionAndReason) {
  auto& dropped = runtime.shared(0).classes[1].legs[0].dropped_sdus;
  for (std::size_t r = 0; r < dropped.size(); ++r) dropped[r].set(20 + r);
  const std::string voice = R"(rncd_dropped_sdus_total{class="voice",direction="downlink",reason=")";
  expect_line(voice + R"(buffer_sdus"} 20)");
  expect_line(voice + R"(aqm"} 22)");
  expect_line(voice + R"(ack_stage"} 23)");
  expect_line(voice + "rlc\"} " + std::to_string(20 + dp::index(dp::DropReason::rlc)));
  expect_line(R"(rncd_dropped_sdus_total{class="internet",direction="downlink",reason="aqm"} 0)");
}

TEST_F(MetricsTest, EveryPolicyHasItsSeriesWhetherInUseOrNot) {
  View view;
  view.policies[0][dp::AqmList::index_of("sbd")] = 12;
  cell.set(view);
  dp::ClassAqmCounters& pie = runtime.shared(0).classes[1].legs[1].aqm[dp::AqmList::index_of("pie")];
  pie.dropped_sdus.set(7);
  pie.marked_sdus.set(9);
  runtime.shared(0).classes[2].legs[1].aqm[dp::AqmList::index_of("pie")].dropped_sdus.set(3);
  expect_line(R"(rncd_aqm_bearers{policy="sbd",direction="downlink"} 12)");
  expect_line(R"(rncd_aqm_dropped_sdus_total{policy="pie",direction="uplink"} 10)");
  expect_line(R"(rncd_aqm_marked_sdus_total{policy="pie",direction="uplink"} 9)");
  for (const std::string_view name : dp::AqmList::kNames) {
    expect_line("rncd_aqm_bearers{policy=\"" + std::string(name) + R"(",direction="uplink"} 0)");
  }
}

TEST_F(MetricsTest, OfTheFullestBearersOnlyThoseWithAnAirHaveItsSeries) {
  expect_line(R"(rncd_bearer_rlc_pdus_total{ue="10.45.0.1",direction="uplink",kind="retransmitted"} 201)");
  expect_line(R"(rncd_bearer_rlc_frames_total{ue="10.45.0.1",direction="downlink",outcome="lost"} 104)");
  EXPECT_EQ(text().find(R"(rncd_bearer_rlc_pdus_total{ue="10.45.0.2")"), std::string::npos);
}

TEST_F(MetricsTest, WithoutPerBearerSeriesNoMetricHasAUe) {
  cell.set({});
  EXPECT_EQ(text().find("ue="), std::string::npos);
}

TEST_F(MetricsTest, EachFamilyHasHelpTheRightTypeAndTheConventionalName) {
  std::set<std::string> names;
  for (const auto& family : metrics.Collect()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name << " twice";
    const bool everybodys =
        family.name == "process_start_time_seconds";  // the name that Prometheus' clients use
    EXPECT_TRUE(everybodys || family.name.starts_with("rncd_")) << family.name;
    EXPECT_FALSE(family.help.empty()) << family.name;
    EXPECT_EQ(family.name.ends_with("_total"), family.type == MetricType::Counter) << family.name;
  }
}

TEST_F(MetricsTest, TheSojournHistogramEndsInInfinityAndItsBucketsAccumulate) {
  dp::ClassLegCounters& leg = runtime.shared(0).classes[1].legs[0];
  leg.sojourn.add(dp::Duration{150'000});
  leg.sojourn.add(dp::Duration{500'000'000'000});
  expect_line(R"(rncd_sojourn_seconds_bucket{class="voice",direction="downlink",le="0.0001"} 0)");
  expect_line(R"(rncd_sojourn_seconds_bucket{class="voice",direction="downlink",le="0.0002"} 1)");
  expect_line(R"(rncd_sojourn_seconds_bucket{class="voice",direction="downlink",le="100"} 1)");
  expect_line(R"(rncd_sojourn_seconds_bucket{class="voice",direction="downlink",le="+Inf"} 2)");
  expect_line(R"(rncd_sojourn_seconds_count{class="voice",direction="downlink"} 2)");
}

TEST_F(MetricsTest, AnAddressThatIsNotOursIsNamedInTheError) {
  try {
    MetricsServer::open("192.0.2.1:9464", std::make_shared<Metrics>(runtime, cell));
    FAIL() << "bound an address of another host";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("192.0.2.1:9464"), std::string::npos) << e.what();
  }
}

TEST_F(MetricsTest, TimeWithoutACpuIsTheSchedulersWhereTheKernelTellsIt) {
  expect_line(R"(rncd_worker_stolen_seconds_total{worker="0"} 1.5)");
  View view;
  view.load = {{.busy_ratio = 0.25}};
  cell.set(view);
  EXPECT_EQ(text().find("rncd_worker_stolen_seconds_total{"), std::string::npos);
}

TEST(StolenTime, IsTheSecondNumberOfTheStatistics) {
  EXPECT_EQ(run_delay_of("18000 1772827 41\n"), 1772827u);
  for (const char* text : {"", "1", "1 ", "1 x 3", "1 2", "1 -2 3"}) EXPECT_FALSE(run_delay_of(text)) << text;
  EXPECT_TRUE(stolen_ns(::gettid()));
  EXPECT_FALSE(stolen_ns(0));
  EXPECT_FALSE(stolen_ns(1)) << "of another process";
}

TEST(WorkerLoad, IsTheBusyShareOfTheTimeBetweenTwoSamples) {
  dp::WorkerSnapshot before, after;
  before.busy_ns = after.busy_ns = 1000;
  after.busy_ns += 300;
  after.idle_ns = 700;
  after.account.received[0].frames = 3;
  const WorkerLoad load = load_between(before, after, 2.0, {});
  EXPECT_DOUBLE_EQ(load.busy_ratio, 0.3);
  EXPECT_DOUBLE_EQ(load.cycles_per_packet, 200);
  EXPECT_DOUBLE_EQ(load_between(after, after, 2.0, load).cycles_per_packet, 200)
      << "kept while nothing comes";
}

TEST(WorkerLoad, TellsAWorkerThatDoesNotPoll) {
  dp::WorkerSnapshot before, after;
  before.polls = 10;
  after.polls = 11;
  EXPECT_TRUE(load_between(before, after, 2.0, {}).polling);
  EXPECT_FALSE(load_between(after, after, 2.0, {}).polling);
}

}  // namespace
}  // namespace control

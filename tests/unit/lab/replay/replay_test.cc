// rnclab replay: a capture of the lab's own run gives that run again to the nanosecond; captures, changes and
// readings that cannot be taken are refused in words that help.
#include "tools/lab/replay/replay.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "config/load.h"
#include "tests/support/pcap.h"
#include "tests/unit/lab/support.h"
#include "tools/lab/replay/capture.h"
#include "tools/lab/replay/replay_compare.h"
#include "tools/lab/replay/replay_input.h"

namespace lab {
namespace {

using dp::test::Buffer;
using dp::test::frame;
using dp::test::FrameSpec;
using dp::test::PcapFile;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kEpoch = kSecond * kSecond;  // PcapFile's 0

std::string path_of(const std::string& name) {
  return ::testing::TempDir() + "replay_" + name + "_" + std::to_string(getpid());
}

template <class Body>
std::string complaint(Body&& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was refused";
}

#define EXPECT_TOLD(words, ...) \
  EXPECT_NE(complaint([&] { __VA_ARGS__; }).find(words), std::string::npos) << complaint([&] { __VA_ARGS__; })

void add(PcapFile& file, dp::Time at, dp::Bytes frame) {
  file.add(static_cast<std::uint32_t>(ns(at) / kSecond), static_cast<std::uint32_t>(ns(at) % kSecond), frame);
}

// Captures of both ports, and BO.
class Watcher : public Observer {
 public:
  Watcher(PcapFile& core, PcapFile& radio) : core_(core), radio_(radio) {}
  void offered(dp::Time at, dp::Side side, dp::Bytes bytes) override {
    add(side == dp::Side::core ? core_ : radio_, at, bytes);
  }
  void frame(dp::Time at, dp::Side side, dp::Bytes bytes) override {
    if (side != dp::Side::radio) return;
    add(radio_, at, bytes);
    ++delivered;
  }
  void occupancy(dp::Time at, std::size_t, std::uint32_t sdus) override { bo.emplace_back(at, sdus); }
  void dropped(const DataPoint&, std::string_view) override { ++drops; }

  std::vector<std::pair<dp::Time, std::uint32_t>> bo;
  std::size_t delivered = 0, drops = 0;

 private:
  PcapFile& core_;
  PcapFile& radio_;
};

// Two downloads through SBD, whose rate and parameters change on the way.
Scenario switched() {
  return testing::on_air(
      {"classes.a.downlink.buffer.sdus=20",
       "classes.a.downlink.aqm={sbd: {minth: 10sdu, maxth: 20sdu, t_r: 200ms}}", "flows.0.count=2",
       "changes=[{at: 10s, ue: 10.45.0.2, downlink: {rate: 128k, aqm: {sbd: {minth: 8sdu, maxth: 20sdu, t_r: "
       "1300ms}}}, uplink: {rate: 128k}}]"});
}

class OwnRun : public ::testing::Test {
 protected:
  OwnRun() {
    result = simulate(scenario, kSeed, &seen);
    core_file.close();
    radio_file.close();
    core = Capture::read(core_file.path());
    radio = Capture::read(radio_file.path());
    plant = plant_of(scenario, kSeed);
    crossings = crossings_of(core, &radio, plant, kEpoch, "core", "radio");
    input = {plant.bearers, plant.changes, crossings.arrivals, plant.cell, dp::Time{scenario.duration}};
  }

  static constexpr std::uint64_t kSeed = 7;
  Scenario scenario = switched();
  PcapFile core_file{path_of("core"), PcapFile::kEthernet}, radio_file{path_of("radio"), PcapFile::kEthernet};
  Watcher seen{core_file, radio_file};
  RunResult result;
  Capture core, radio;
  ReplayPlant plant;
  Crossings crossings;
  ReplayInput input;
};

TEST_F(OwnRun, GivesTheSameOccupancyToTheNanosecond) {
  const ReplayRun run = replay(input);
  ASSERT_GT(seen.bo.size(), 200u);
  ASSERT_EQ(run.occupancy[0].size(), seen.bo.size());
  for (std::size_t i = 0; i < seen.bo.size(); ++i) {
    ASSERT_EQ(run.occupancy[0][i].at, seen.bo[i].first) << i;
    ASSERT_EQ(run.occupancy[0][i].sdus, seen.bo[i].second) << i;
  }
  EXPECT_EQ(run.residue, 0);
  EXPECT_EQ(run.made, 0u);
}

TEST_F(OwnRun, GivesTheSameDeparturesAndDrops) {
  const ReplayRun run = replay(input);
  const ReplayComparison compared(input, crossings, run, dp::Duration{0});
  const DepartureComparison departures = compared.departures(0, dp::Direction::downlink);
  EXPECT_EQ(departures.both, seen.delivered);
  EXPECT_EQ(departures.within, departures.both);
  EXPECT_EQ(departures.only_box + departures.only_replay + departures.strangers, 0u);
  const ReplayTally tally = compared.tally(0, dp::Direction::downlink);
  ASSERT_GT(seen.drops, 0u);
  std::uint64_t dropped = 0;
  for (const auto& [reason, n] : tally.dropped) dropped += n;
  EXPECT_EQ(dropped, seen.drops);
  EXPECT_EQ(tally.arrived, tally.delivered + dropped + tally.inside);
  EXPECT_EQ(run.bearers[0].dropped_aqm, result.bearers[0].dropped_aqm);
  EXPECT_EQ(run.bearers[0].dropped_overflow, result.bearers[0].dropped_overflow);
}

// A box that ended holds what the replay goes on with.
TEST_F(OwnRun, NothingIsSaidOfWhatTheBoxHeldWhenItWasLastSeen) {
  auto& departures = crossings.departures;
  const auto more = departures.begin() + static_cast<std::ptrdiff_t>(departures.size() / 2);
  ASSERT_LT(departures.front().at, more->at);
  departures.erase(std::ranges::lower_bound(departures, more->at, {}, &Departure::at), departures.end());
  const ReplayRun run = replay(input);
  const ReplayComparison compared(input, crossings, run, dp::Duration{0});
  const DepartureComparison c = compared.departures(0, dp::Direction::downlink);
  EXPECT_GT(c.both, 0u);
  EXPECT_EQ(c.within, c.both);
  EXPECT_EQ(c.only_box + c.only_replay, 0u);
  EXPECT_GT(c.neither, 0u);
  EXPECT_TRUE(c.parted.empty());
}

// The comparison has to find this: another seed has other frame errors, a missed switch another rate.
TEST_F(OwnRun, IsAnotherRunWithOtherFrameErrorsOrWithoutTheSwitch) {
  ReplayInput other = input;
  other.bearers = plant_of(scenario, kSeed + 1).bearers;
  ReplayInput kept = input;
  kept.changes.clear();
  for (const ReplayInput* one : {&other, &kept}) {
    const ReplayRun run = replay(*one);
    const ReplayComparison compared(*one, crossings, run, std::chrono::milliseconds{10});
    const DepartureComparison departures = compared.departures(0, dp::Direction::downlink);
    EXPECT_LT(departures.within, departures.both * 9 / 10);
    EXPECT_EQ(run.residue, 0);
  }
}

TEST_F(OwnRun, ReadingsOfBoAreTheSameWithinATtiAndOnesThatAreOffSaySo) {
  const ReplayRun run = replay(input);
  const ReplayComparison compared(input, crossings, run, std::chrono::milliseconds{10});
  std::vector<BoReading> readings;
  for (const auto& [at, sdus] : seen.bo) readings.push_back({at, at, 0, sdus, 0, 0});
  const BoComparison same = compared.occupancy(0, readings);
  EXPECT_EQ(same.within, readings.size());
  EXPECT_EQ(same.apart, dp::kNever);
  EXPECT_EQ(same.largest, 0u);
  readings[100].sdus += 30;
  const BoComparison off = compared.occupancy(0, readings);
  EXPECT_EQ(off.within, readings.size() - 1);
  EXPECT_EQ(off.apart, readings[100].asked);
  EXPECT_GT(off.largest, 20u);
}

TEST_F(OwnRun, OneFileOfArrivalsAloneIsEnough) {
  PcapFile file(path_of("both"), PcapFile::kEthernet);
  for (const ReplayArrival& arrival : crossings.arrivals) add(file, arrival.at, arrival.frame);
  file.close();
  const Capture both = Capture::read(file.path());
  const Crossings found = crossings_of(both, nullptr, plant, kEpoch, "both", "");
  ASSERT_EQ(found.arrivals.size(), crossings.arrivals.size());
  EXPECT_TRUE(found.departures.empty());
  input.arrivals = found.arrivals;
  EXPECT_EQ(replay(input).occupancy[0].size(), seen.bo.size());
}

TEST_F(OwnRun, ArrivalsBeforeTheClockBeganAndFramesOfOthersAreLeftOut) {
  const Crossings later = crossings_of(core, &radio, plant, kEpoch + 5 * kSecond, "core", "radio");
  EXPECT_GT(later.early, 50u);
  EXPECT_EQ(later.early + later.arrivals.size(), crossings.arrivals.size());
  plant.bearers[0].ue = *dp::parse_ue("10.45.0.9");
  const Crossings none = crossings_of(core, &radio, plant, kEpoch, "core", "radio");
  EXPECT_TRUE(none.arrivals.empty());
  EXPECT_EQ(none.strange, core.frames().size() + radio.frames().size());
}

// A capture file written by hand: magic, link type, and records.
class Raw {
 public:
  Raw(const std::string& name, std::uint32_t magic, std::uint32_t link_type) : path_(path_of(name)) {
    for (const std::uint32_t word : {magic, 4u << 16 | 2u, 0u, 0u, 65535u, link_type}) put(word);
  }
  ~Raw() { std::remove(path_.c_str()); }
  Raw& record(std::uint32_t seconds, std::uint32_t fraction, std::uint32_t held, std::uint32_t length) {
    for (const std::uint32_t word : {seconds, fraction, held, length}) put(word);
    text_.append(held, 'x');
    return *this;
  }
  Raw& cut(std::size_t bytes) {
    text_.resize(text_.size() - bytes);
    return *this;
  }
  const std::string& path() {
    std::ofstream(path_, std::ios::binary) << text_;
    return path_;
  }

 private:
  void put(std::uint32_t word) { text_.append(reinterpret_cast<const char*>(&word), sizeof word); }
  std::string path_, text_;
};

constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4, kNanoseconds = 0xa1b23c4d, kEthernet = 1, kRawIp = 101;

TEST(ReplayCapture, ReadsBothResolutions) {
  Raw micro("micro", kMicroseconds, kEthernet), nano("nano", kNanoseconds, kEthernet);
  EXPECT_EQ(Capture::read(micro.record(5, 123'456, 60, 60).path()).frames()[0].at, 5'123'456'000);
  EXPECT_EQ(Capture::read(nano.record(5, 123'456'789, 60, 60).path()).frames()[0].at, 5'123'456'789);
}

TEST(ReplayCapture, TakesFramesInTheOrderOfTheirTimesAndCountsThoseThatStoodLate) {
  Raw file("unordered", kNanoseconds, kEthernet);
  file.record(5, 0, 60, 60).record(3, 0, 61, 61).record(4, 0, 62, 62).record(6, 0, 63, 63);
  const Capture capture = Capture::read(file.path());
  EXPECT_EQ(capture.unordered(), 2u);
  std::vector<std::size_t> sizes;
  for (const auto& frame : capture.frames()) sizes.push_back(frame.size);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{61, 62, 60, 63}));
}

TEST(ReplayCapture, RefusesWhatItCannotTakeAndSaysWhatWouldHelp) {
  Raw other("other", 0x12345678, kEthernet), raw_ip("rawip", kNanoseconds, kRawIp),
      snap("snap", kNanoseconds, kEthernet), torn("torn", kNanoseconds, kEthernet);
  EXPECT_TOLD("cannot be read", Capture::read("/nowhere/at.all"));
  EXPECT_TOLD("is no capture", Capture::read(other.path()));
  EXPECT_TOLD("expected Ethernet", Capture::read(raw_ip.path()));
  snap.record(1, 0, 60, 60).record(2, 0, 96, 1514);
  EXPECT_TOLD("frame 2 is cut off: found 96 of its 1514 bytes", Capture::read(snap.path()));
  torn.record(1, 0, 60, 60).record(2, 0, 60, 60).cut(7);
  EXPECT_TOLD("is damaged after frame 1", Capture::read(torn.path()));
}

TEST(ReplayCapture, RefusesArrivalsThatWereNotYetCutIntoSegments) {
  const Buffer frame = dp::test::frame(FrameSpec{.dst = "10.45.0.2", .protocol = 6, .payload = 2900});
  PcapFile file(path_of("large"), PcapFile::kEthernet);
  file.add(0, 0, frame);
  file.close();
  const ReplayPlant plant = plant_of(switched(), 1);
  const Capture capture = Capture::read(file.path());
  EXPECT_TOLD("tso off gso off", crossings_of(capture, nullptr, plant, kEpoch, "large", ""));
}

TEST(ReplayMoment, IsAfterTheFirstFrameOrSince1970) {
  EXPECT_EQ(parse_moment("30s", 7, "--rrc"), 30 * kSecond + 7);
  EXPECT_EQ(parse_moment("@12.000000005", 7, "--rrc"), 12 * kSecond + 5);
  EXPECT_EQ(parse_moment("@12", 7, "--rrc"), 12 * kSecond);
  for (const char* wrong : {"30", "@", "@1.2.3", "@1.0000000001", "@-1", "soon"}) {
    EXPECT_TOLD("--rrc: found '" + std::string(wrong) + "'", parse_moment(wrong, 0, "--rrc"));
  }
}

TEST(ReplayChanges, AreWhatTheRrcTakesInTheOrderOfTime) {
  ReplayPlant plant = plant_of(switched(), 1);
  plant.changes.clear();
  add_change(plant, "20s:64k", kEpoch, kEpoch);
  add_change(plant, "10s/10.45.0.2:{\"rate\": \"128k\", \"uplink_rate\": \"32k\", \"aqm\": \"drop-tail\"}",
             kEpoch, kEpoch);
  ASSERT_EQ(plant.changes.size(), 2u);
  EXPECT_EQ(ns(plant.changes[0].at), 10 * kSecond);
  EXPECT_EQ(plant.changes[0].settings.downlink.rate, 128'000u);
  EXPECT_EQ(plant.changes[0].settings.uplink.rate, 32'000u);
  EXPECT_TRUE(std::holds_alternative<dp::DropTailSpec::Config>(plant.changes[0].settings.downlink.aqm));
  EXPECT_EQ(plant.changes[1].settings.downlink.rate, 64'000u);
  EXPECT_EQ(plant.changes[1].settings.uplink.rate, 64'000u) << "over an air a rate is of both directions";
}

TEST(ReplayChanges, ThatMakeNoSenseAreRefusedByName) {
  ReplayPlant plant = plant_of(switched(), 1);
  EXPECT_TOLD("expected MOMENT:CHANGE", add_change(plant, "30s", 0, 0));
  EXPECT_TOLD("expected a UE that has a bearer", add_change(plant, "30s/10.45.0.77:128k", 0, 0));
  EXPECT_TOLD("found 'speed'", add_change(plant, "30s:{\"speed\": 1}", 0, 0));
  EXPECT_TOLD("expected a rate", add_change(plant, "30s:{oops", 0, 0));
  EXPECT_TOLD("128q", add_change(plant, "30s:128q", 0, 0));
  EXPECT_TOLD("before the box's clock began", add_change(plant, "0s:128k", 0, kSecond));
}

TEST(ReplayPlant, OfAConfigurationHasItsCellAndNoMoreThanOne) {
  config::Config config;
  EXPECT_EQ(plant_of(config).cell, dp::CellSettings{});
  config.cells.push_back({"sector-1", {.slots = 1000, .members = 7}});
  EXPECT_EQ(plant_of(config).cell.slots, 1000u);
  config.cells.push_back({"sector-2", {}});
  EXPECT_TOLD("found 2 cells in the configuration, expected one at most", plant_of(config));
}

// One address in two networks, and in none.
TEST(ReplayPlant, FramesGoThroughTheBearerOfTheirNetwork) {
  const auto config = config::load_text(R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes: {web: {downlink: {rate: 8M}}}
networks: {east: {vlans: [100]}, west: {vlans: [200]}}
bearers:
  - {ue: 10.45.0.2, class: web, network: east}
  - {ue: 10.45.0.2, class: web, network: west}
)",
                                        "networks.yaml");
  ASSERT_TRUE(config);
  ReplayPlant plant = plant_of(*config);
  add_change(plant, "0s/10.45.0.2@west:64k", kEpoch, kEpoch);
  ASSERT_EQ(plant.changes.size(), 1u);
  EXPECT_EQ(plant.changes[0].bearer, 1u);
  EXPECT_TOLD("expected a UE that has a bearer", add_change(plant, "0s/10.45.0.2:64k", 0, 0));
  PcapFile file(path_of("networks"), PcapFile::kEthernet);
  std::uint32_t n = 0;
  for (const std::uint16_t vlan : {100, 200, 200, 300}) {
    add(file, dp::Time{std::chrono::milliseconds(++n)},
        frame(FrameSpec{.vlans = {{0x8100, vlan}}, .dst = dp::test::Ip("10.45.0.2"), .seq = n}));
  }
  file.close();
  const Capture capture = Capture::read(file.path());
  const Crossings crossings = crossings_of(capture, nullptr, plant, kEpoch, "core", "");
  EXPECT_EQ(crossings.strange, 1u);
  const ReplayInput input{
      plant.bearers, {}, crossings.arrivals, plant.cell, dp::Time{std::chrono::seconds(1)}, plant.networks};
  const ReplayRun run = replay(input);
  EXPECT_EQ(run.residue, 0);
  ASSERT_EQ(run.fates.size(), 3u);
  for (const ReplayFate& fate : run.fates) EXPECT_TRUE(fate.left.has_value());
  EXPECT_EQ(input.name_of(0), "10.45.0.2@east");
  std::vector<std::size_t> bearers;
  for (const ReplayArrival& arrival : input.arrivals) bearers.push_back(arrival.bearer);
  EXPECT_EQ(bearers, (std::vector<std::size_t>{0, 1, 1}));
}

TEST(ReplayReadings, AreReadByTheNamesOfTheirColumns) {
  const ReplayPlant plant = plant_of(switched(), 1);
  const std::string path = path_of("bo.csv");
  const auto with = [&](const std::string& text) {
    std::ofstream(path) << text;
    return path;
  };
  const auto good =
      read_bo(with("ue,more,answered_s,bo_sdu,asked_s,dropped\n10.45.0.2,x,3.5,12,3.25,4\n"), plant, kSecond);
  ASSERT_EQ(good.size(), 1u);
  EXPECT_EQ(ns(good[0].asked), kSecond * 9 / 4);
  EXPECT_EQ(good[0].sdus, 12u);
  EXPECT_EQ(good[0].dropped, 4u);
  const std::string head = "asked_s,answered_s,ue,bo_sdu\n";
  EXPECT_TOLD("no column 'bo_sdu'", read_bo(with("asked_s,answered_s,ue\n1,1,10.45.0.2\n"), plant, 0));
  EXPECT_TOLD(":2: found 3 columns", read_bo(with(head + "1,1,10.45.0.2\n"), plant, 0));
  EXPECT_TOLD(":2: bo_sdu: found 'many'", read_bo(with(head + "1,1,10.45.0.2,many\n"), plant, 0));
  EXPECT_TOLD("expected a UE that has a bearer", read_bo(with(head + "1,1,10.45.0.3,1\n"), plant, 0));
  EXPECT_TOLD("cannot be read", read_bo("/nowhere/bo.csv", plant, 0));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace lab

// A running data plane with a class to learn by, for tests of its parts: requests as counts and refusals, UEs
// that speak, and an amount of memory that the test sets.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "dataplane/bearer/bearer.h"
#include "tests/support/polled_plane.h"

namespace control {

class PlaneBench : public PolledPlane {
 protected:
  static constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  static constexpr const char* kFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  internet: {downlink: {rate: 8M, buffer: {sdus: 50}}}
  voice: {downlink: {rate: 64k}}
bearers:
  - {ue: 10.45.0.1, class: internet}
  - {ue: 10.46.0.0/16, class: voice, learn: true, limit: 3}
)";

  void start(std::uint32_t capacity = 4096,
             std::chrono::milliseconds patience = std::chrono::milliseconds(5000), unsigned workers = 1) {
    runtime = std::make_unique<dp::test::TestRuntime>(capacity, workers);
    plane = std::make_unique<DataPlane>(*runtime, config_of(kFile), capacity, patience,
                                        [this] { return memory; });
    begin();
  }
  static dp::UeAddress ue(const std::string& text) { return *dp::parse_ue(text); }
  // Bearers created, changed, left alone, removed.
  using Counts = std::array<std::size_t, 4>;
  static Counts counts(const Ended<Applied>& ended) {
    EXPECT_TRUE(ended.done.has_value());
    const Applied a = ended.done.value_or(Applied{});
    return {a.created, a.changed, a.unchanged, a.removed};
  }
  dp::BearerSettings cls(dp::ClassId id) const {
    return {.cls = id, .downlink = shaped(1'000'000), .uplink = {}};
  }
  static dp::LegSettings shaped(std::uint64_t rate) {
    return {.link = dp::ShaperSpec::Config{}, .rate = rate, .buffer = {}, .aqm = {}};
  }
  dp::WorkerSnapshot snapshot() { return runtime->shared(0).snapshot.read(); }
  // A UE speaks, is spoken to, and answers: its bearer makes room for no other.
  void talk(const char* address) {
    frame_of(address);
    ASSERT_TRUE(poll_until([&] { return plane->registry().find(ue(address)) != nullptr; }));
    const dp::Bearer& bearer = *plane->registry().find(ue(address))->bearer;
    runtime->io.offer(dp::Side::core, {.dst = dp::test::Ip(address)});
    ASSERT_TRUE(poll_until([&] { return bearer.downlink.last_seen().ever(); }));
    frame_of(address);
    ASSERT_TRUE(poll_until([&] { return bearer.answered(); }));
  }
  void frame_of(const char* address) { runtime->io.offer(dp::Side::radio, {.src = dp::test::Ip(address)}); }

  dp::BearerSettings over_air() const {
    dp::BearerSettings settings = cls(0);
    settings.downlink.link = settings.uplink.link = dp::AmLinkConfig{};
    settings.uplink.rate = 64'000;
    return settings;
  }
  template <class T>
  static Refusal refusal(const Ended<T>& ended) {
    try {
      if (ended.why != nullptr) std::rethrow_exception(ended.why);
    } catch (const Refusal& refusal) {
      return refusal;
    }
    ADD_FAILURE() << "not refused";
    return {Refusal::Why::abandoned, ""};
  }
  Refusal refusal(Wish wish) { return refusal(apply(std::move(wish))); }
  static bool says(const Refusal& refusal, const char* words) {
    return std::string(refusal.what()).find(words) != std::string::npos;
  }

  std::uint64_t memory = 100 * kMebibyte;
};

}  // namespace control

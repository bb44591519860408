// The parts of a bearer (dataplane/bearer/bearer.h) as one list (dataplane/bearer/part): those that are made,
// those that stay, and none lost when settings change.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr UeAddress kPartsUe = ue_ipv4(0x0a2d0002);

// Addresses of those that there are.
std::multiset<std::string> named(const BearerParts& parts) {
  std::multiset<std::string> all;
  for_each_part(parts, [&]<class P>(TypeTag<P>, std::size_t slot, auto part) {
    const void* address;
    if constexpr (std::is_same_v<decltype(part), Queues>) {
      address = part.sfp() != nullptr ? static_cast<const void*>(part.sfp()) : part.flows();
    } else {
      address = part;
    }
    all.insert(std::to_string(slot) + " " + std::to_string(reinterpret_cast<std::uintptr_t>(address)));
  });
  return all;
}

std::vector<BearerSettings> settings_with_parts() {
  LegSettings plain = shaper(8'000'000, 100);
  LegSettings fair = plain, active = plain, um = plain, short_first = plain, am = plain;
  fair.aqm = FqCodelSpec::Config{};
  active.aqm = RedSpec::Config{};
  um.link = UmLinkConfig{};
  short_first.queue = SfpSpec::Config{};
  am.link = AmLinkConfig{};
  LegSettings acked = plain;
  acked.ack.stage[acked.ack.stages++] = AckRateSpec::Config{};
  std::vector<BearerSettings> all;
  for (const LegSettings& down : {plain, fair, active, um, short_first}) {
    for (const LegSettings& up : {plain, um, acked}) all.push_back({.downlink = down, .uplink = up});
  }
  all.push_back({.downlink = am, .uplink = am});
  all.push_back({.downlink = plain, .uplink = plain, .proxy = SplitConfig{}});
  return all;
}

TEST(Parts, AreWalkedOverBothWays) {
  std::vector<std::size_t> there, back;
  PartList::for_each([&]<class P>(TypeTag<P>, std::size_t) { there.push_back(sizeof(P) + P::kSlots); });
  PartList::in_reverse([&]<class P>(TypeTag<P>, std::size_t) { back.push_back(sizeof(P) + P::kSlots); });
  std::ranges::reverse(back);
  EXPECT_EQ(there, back);
  EXPECT_EQ(there.size(), 10u) << "seven kinds, three of them of each leg";
}

TEST(Parts, AreMadeWhereTheyAreWantedAndForNothingElse) {
  for (const BearerSettings& settings : settings_with_parts()) {
    const OwnedParts owned = prepare_parts(settings, 1, 1);
    const BearerParts parts = owned.get();
    PartList::for_each([&]<class P>(TypeTag<P>, std::size_t slot) {
      const bool made = parts.of<typename P::Kind>(slot) != typename P::Handle{};
      EXPECT_EQ(made, P::wanted(settings, slot));
      if (made) {
        EXPECT_TRUE(P::alike(settings, settings, slot)) << "it goes on under its own settings";
        EXPECT_GT(P::bytes(settings, slot), 0u);
        EXPECT_LT(P::memory_line(settings, slot), P::kMemory.size());
      }
    });
  }
}

class PartsChange : public WorkerBench {};

// Each part that the bearer had, or that a command brought, is afterwards in use or on its way home, once.
TEST_F(PartsChange, LosesNoneAndKeepsNoneTwice) {
  const std::vector<BearerSettings> all = settings_with_parts();
  Bearer& bearer = add(kPartsUe, all[0]);
  for (std::size_t from = 0; from < all.size(); ++from) {
    for (const BearerSettings& to : all) {
      change(bearer, all[0], all[from]);
      std::multiset<std::string> before = named(bearer.parts());
      const Answer answer = change(bearer, all[from], to);
      before.merge(named(fresh.back().get()));
      std::multiset<std::string> after = named(answer.in_use);
      EXPECT_EQ(after, named(bearer.parts()));
      after.merge(named(answer.parts));
      EXPECT_EQ(before, after);
      PartList::for_each([&]<class P>(TypeTag<P>, std::size_t slot) {
        EXPECT_EQ(answer.in_use.of<typename P::Kind>(slot) != typename P::Handle{}, P::wanted(to, slot));
      });
      change(bearer, to, all[0]);
    }
  }
}

}  // namespace
}  // namespace dp::test

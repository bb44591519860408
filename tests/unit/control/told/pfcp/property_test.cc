// Cores that make, change and delete sessions at random, with messages that are lost, copied and reordered in
// the mirror, against what the cores know: PfcpSource (control/told/pfcp/pfcp_source.h).
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "control/told/pfcp/pfcp_source.h"
#include "dataplane/base/rng.h"
#include "tests/support/runs.h"
#include "tests/support/told/pfcp_core.h"
#include "tests/support/told/recording_sink.h"

namespace control::told {
namespace {

using test::message;
using test::Octets;

struct Losses {
  double requests = 0, responses = 0, copies = 0;
};

// A session as both ends know it.
struct Known {
  std::uint64_t kbit_per_s = 0;
  std::uint32_t teid = 0;  // the RAN's; 0: none
  bool idle = false;
  bool seen_whole = true;    // the mirror lost nothing of it
  std::int64_t free_at = 0;  // when its last response has come, in ms
  std::uint64_t seid = 0;
};

class RandomCore {
 public:
  RandomCore(std::uint64_t seed, const Losses& losses) : rng_(seed), losses_(losses) {}

  void run(int steps) {
    restart();
    for (int i = 0; i < steps; ++i) {
      step(rng_.below(100));
      now_ += rng_.below(30);
    }
    flush();
    // Whatever waits, is stale or ends is settled.
    for (dp::Time next = source.advance(test::at_ms(now_)); next != dp::kNever;) next = source.advance(next);
  }
  // Each session says all that it has, and nothing is lost.
  void refresh() {
    losses_ = {};
    for (auto& [ue, known] : sessions) {
      now_ += 10;
      change(known, joined_state(known));
    }
    flush();
  }

  std::map<std::uint32_t, Known> sessions;  // by UE
  test::RecordingSink sink;
  PfcpSource source{{}, sink};

 private:
  static Octets joined_state(const Known& known) {
    const Octets tunnel = known.idle        ? test::ie(10, {test::far_id(2), test::apply_action(4 | 8)})
                          : known.teid != 0 ? test::new_tunnel(known.teid)
                                            : Octets{};
    return test::joined({test::new_rate(known.kbit_per_s), tunnel});
  }

  void step(std::uint32_t dice) {
    const std::uint32_t ue = 0x0a2d0001 + rng_.below(20);
    const auto found = sessions.find(ue);
    if (dice == 0) {
      restart();
    } else if (found == sessions.end()) {
      establish(ue);
    } else if (dice < 20) {
      erase(ue, found->second);
    } else {
      vary(found->second, dice);
    }
  }
  void vary(Known& known, std::uint32_t dice) {
    Octets ies;
    if (dice % 3 == 0) {
      known.kbit_per_s = 1 + rng_.below(1'000'000);
      ies = test::new_rate(known.kbit_per_s);
    } else if (dice % 3 == 1 || known.teid == 0) {
      known.teid = 1 + rng_.below(1'000'000);
      known.idle = false;
      ies = test::new_tunnel(known.teid);
    } else {
      known.idle = true;
      ies = test::ie(10, {test::far_id(2), test::apply_action(4 | 8)});
    }
    change(known, ies);
  }
  void restart() {
    flush();
    now_ += 100;
    sequence_ = 0;
    ++since_;
    sessions.clear();
    test::PfcpWire(source).associate(now_, ++sequence_, since_, 200);
    now_ += 100;
  }
  void establish(std::uint32_t ue) {
    Known& known = sessions[ue];
    known.kbit_per_s = 1 + rng_.below(1'000'000);
    known.seid = ++seids_;
    exchange(known, 50, test::establishment(known.seid, ue, known.kbit_per_s),
             test::accepted_with(test::PfcpWire::up_of(known.seid)));
  }
  void change(Known& known, const Octets& ies) { exchange(known, 52, ies, test::cause(1)); }
  void erase(std::uint32_t ue, Known& known) {
    const double kept = losses_.responses;
    if (losses_.requests == 0) losses_.responses = 0;
    exchange(known, 54, {}, test::cause(1));
    losses_.responses = kept;
    sessions.erase(ue);
  }

  // A session's requests wait for the response before; those of different sessions overtake each other.
  void exchange(Known& known, unsigned type, const Octets& ies, const Octets& answer) {
    const std::uint64_t up = type == 50 ? 0 : test::PfcpWire::up_of(known.seid);
    const std::int64_t asked = std::max(now_, known.free_at) + rng_.below(40);
    known.free_at = asked + 1 + rng_.below(40);
    ++sequence_;
    mirror(known, asked, true, message(type, up, sequence_, ies), losses_.requests);
    mirror(known, known.free_at, false, message(type + 1, known.seid, sequence_, answer), losses_.responses);
    ++known.free_at;
  }
  void mirror(Known& known, std::int64_t at, bool to_upf, const Octets& bytes, double loss) {
    if (rng_.chance(loss)) {
      known.seen_whole = false;
      return;
    }
    waiting_.emplace(at, std::pair(to_upf, bytes));
    if (rng_.chance(losses_.copies)) waiting_.emplace(at + rng_.below(3000), std::pair(to_upf, bytes));
  }
  void flush() {
    test::PfcpWire wire(source);
    for (const auto& [at, what] : waiting_) {
      what.first ? wire.to_upf(at, what.second) : wire.to_smf(at, what.second);
      now_ = std::max(now_, at);
    }
    waiting_.clear();
  }

  dp::Rng rng_;
  Losses losses_;
  std::int64_t now_ = 1000;
  std::uint32_t sequence_ = 0, since_ = 100;
  std::uint64_t seids_ = 0;
  std::multimap<std::int64_t, std::pair<bool, Octets>> waiting_;
};

// Both have the session, and agree in it.
void expect_same_session(const RandomCore& core, std::uint32_t ue, const Known& known, std::uint64_t seed) {
  const Session* const session = core.sink.live(dp::ue_ipv4(ue));
  ASSERT_NE(session, nullptr) << seed << " " << ue;
  EXPECT_EQ(session->downlink.bit_per_s, known.kbit_per_s * 1000) << seed << " " << ue;
  EXPECT_EQ(session->idle, known.idle) << seed << " " << ue;
  const std::uint32_t teid = session->to_radio ? session->to_radio->teid : 0;
  EXPECT_EQ(teid, known.idle ? 0 : known.teid) << seed << " " << ue;
}

constexpr std::uint32_t kCores = 100;

TEST(PfcpProperty, MirrorThatLosesNothingShowsWhatTheCoreKnows) {
  for (std::uint64_t seed = 1; seed <= dp::test::runs_of(kCores); ++seed) {
    RandomCore core(seed, {.copies = 0.2});
    core.run(300);
    EXPECT_EQ(core.sink.sessions.size(), core.sessions.size()) << seed;
    for (const auto& [ue, known] : core.sessions) expect_same_session(core, ue, known, seed);
  }
}

TEST(PfcpProperty, LostResponsesAreMadeUpFor) {
  for (std::uint64_t seed = 1; seed <= dp::test::runs_of(kCores); ++seed) {
    RandomCore core(seed, {.responses = 0.3});
    core.run(300);
    EXPECT_EQ(core.sink.sessions.size(), core.sessions.size()) << seed;
    core.refresh();
    for (const auto& [ue, known] : core.sessions) expect_same_session(core, ue, known, seed);
  }
}

TEST(PfcpProperty, LossesOfOneSessionLeaveTheOthers) {
  std::size_t whole = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= dp::test::runs_of(kCores); ++seed) {
    RandomCore core(seed, {.requests = 0.02, .responses = 0.02, .copies = 0.02});
    core.run(300);
    for (const auto& [ue, known] : core.sessions) {
      ++all;
      if (!known.seen_whole) continue;
      ++whole;
      expect_same_session(core, ue, known, seed);
    }
  }
  EXPECT_GT(whole, all / 2);
}

}  // namespace
}  // namespace control::told

// Random schedules of starts, interims, stops, duplicates and losses against a simple model: sessions by NAS
// and id, each with the time at which it is over (control/told/radius/sessions.h, source.h).
#include <algorithm>
#include <array>
#include <deque>

#include <gtest/gtest.h>

#include "control/told/radius/source.h"
#include "control/told/session_table.h"
#include "dataplane/base/rng.h"
#include "tests/support/runs.h"
#include "tests/support/told/radius_request.h"

namespace control::told::radius {
namespace {

using test::RadiusRequest;

// The part of a request that the model knows. Ids, users and addresses belong together: user i has address i,
// and a new id at each start, so that a session replaces the one before.
struct Saying {
  unsigned nas = 0, user = 0, generation = 0;
  std::uint64_t rate = 0;
  std::string id() const { return std::to_string(user) + "." + std::to_string(generation); }
  std::string key() const { return "10.0.0." + std::to_string(nas + 1) + " " + id(); }
};

class RadiusModel {
 public:
  struct Known {
    Saying saying;
    dp::Time over;
    bool ending;
    dp::Time event;  // the last request that counted
  };
  struct Ended {
    dp::Time event, gone;
  };

  void advance(dp::Time now) {
    remove_if(now, [now](const std::string&, const Known& one) { return one.over <= now; });
    std::erase_if(ended, [now](const auto& pair) { return pair.second.gone + kRemembered <= now; });
  }
  // `event`: when it happened, by its delay.
  void tell(Status status, const Saying& saying, dp::Time at, dp::Time event) {
    const auto found = known.find(saying.key());
    const bool there = found != known.end();
    if (there && event < found->second.event) return;
    if (status == Status::stop) {
      if (there && !found->second.ending)
        found->second = {found->second.saying, at + std::chrono::seconds(2), true, event};
      if (there && found->second.ending) found->second.event = event;
      return;
    }
    if (there && found->second.ending && status == Status::interim) return;
    const auto before = ended.find(saying.key());
    if (!there && before != ended.end() && event < before->second.event) return;
    remove_if(at, [&](const std::string& key, const Known& one) {
      return one.saying.user == saying.user && key != saying.key();
    });
    known[saying.key()] = {saying, at + std::chrono::seconds(1020), false, event};
  }
  void clear(unsigned nas, dp::Time at) {
    for (auto& [key, one] : known) {
      if (one.saying.nas == nas && !one.ending) one = {one.saying, at + std::chrono::seconds(2), true, at};
    }
  }

  std::map<std::string, Known> known;

 private:
  static constexpr dp::Duration kRemembered = std::chrono::seconds(1020);

  template <class Which>
  void remove_if(dp::Time now, Which which) {
    std::erase_if(known, [&](const auto& pair) {
      const auto& [key, one] = pair;
      if (!which(key, one)) return false;
      if (one.ending) ended[key] = {one.event, std::min(one.over, now)};
      return true;
    });
  }

  std::map<std::string, Ended> ended;
};

class RadiusSchedule {
 public:
  explicit RadiusSchedule(std::uint64_t seed) : rng_(seed) {}

  void step() {
    ++sequence_;
    now_ += dp::Duration{std::int64_t{rng_.below(rng_.below(20) == 0 ? 600 : 3)} * 1'000'000'000 + 1};
    while (source_.advance(now_) <= now_) {
    }
    model_.advance(now_);
    if (rng_.below(100) == 0) return clear();
    if (!sent_.empty() && rng_.below(4) == 0) return repeat();
    tell();
  }
  void check() const {
    ASSERT_EQ(table_.size(), model_.known.size());
    for (const auto& [key, known] : model_.known) {
      const auto* const entry = table_.find("radius", key);
      ASSERT_NE(entry, nullptr) << key;
      ASSERT_EQ(entry->session.state == SessionState::ending, known.ending) << key;
      ASSERT_EQ(entry->session.uplink.bit_per_s, known.saying.rate) << key;
      const auto* const holder = table_.holder_of(dp::ue_ipv4(0x0a2d0001 + known.saying.user));
      ASSERT_NE(holder, nullptr);
      ASSERT_EQ(holder->session.id, key);
    }
    ASSERT_EQ(source_.sessions(), table_.size());
  }

 private:
  void tell() {
    const unsigned user = rng_.below(8);
    const std::uint32_t what = rng_.below(4);
    const Status status = what == 0 ? Status::start : what == 3 ? Status::stop : Status::interim;
    if (status == Status::start) ++generations_[user];
    const Saying saying{user % 3, user, generations_[user], rng_.below(3) * 1000 + 1000};
    auto request = RadiusRequest::accounting(status, saying.id(), static_cast<std::uint8_t>(sequence_));
    request.nas("10.0.0." + std::to_string(saying.nas + 1)).user("u" + std::to_string(user));
    request.integer(attribute::kFramedIpAddress, 0x0a2d0001 + user)
        .vendor_integer(14122, 7, static_cast<std::uint32_t>(saying.rate));
    constexpr std::array<std::uint32_t, 6> kDelays{0, 0, 0, 5, 60, 900};
    const std::uint32_t delay = kDelays[rng_.below(kDelays.size())];
    request.integer(attribute::kAcctDelayTime, delay);
    request.integer(47, sequence_);  // Acct-Input-Packets, so that no two requests are equal
    const auto bytes = request.sign();
    if (rng_.below(5) == 0) return;  // lost
    EXPECT_FALSE(take(bytes).empty());
    // Two seconds are allowed for how senders round.
    const dp::Duration late = std::chrono::seconds(delay > 2 ? delay - 2 : 0);
    model_.tell(status, saying, now_, now_ - std::min(late, now_ - dp::Time{}));
    sent_.push_back({now_, bytes});
    if (sent_.size() > 5) sent_.pop_front();
  }
  void repeat() {
    const auto& [at, bytes] = sent_[rng_.below(static_cast<std::uint32_t>(sent_.size()))];
    if (now_ - at >= std::chrono::seconds(60)) return;
    EXPECT_FALSE(take(bytes).empty());
  }
  void clear() {
    const unsigned nas = rng_.below(3);
    take(RadiusRequest::accounting(Status::on, "", static_cast<std::uint8_t>(sequence_))
             .nas("10.0.0." + std::to_string(nas + 1))
             .integer(47, sequence_)
             .sign());
    model_.clear(nas, now_);
  }
  std::span<const std::byte> take(const std::vector<std::byte>& bytes) {
    return source_.take({now_, test::endpoint("192.0.2.1"), test::endpoint("192.0.2.2"), bytes});
  }

  dp::Rng rng_;
  dp::Time now_{};
  SessionTable table_{1000};
  RadiusSource source_{table_.sink_of("radius"),
                       {.clients = {{*dp::parse_prefix("192.0.2.0/24"), std::string(test::kSecret)}}}};
  RadiusModel model_;
  std::map<unsigned, unsigned> generations_;
  std::deque<std::pair<dp::Time, std::vector<std::byte>>> sent_;
  std::uint32_t sequence_ = 0;
};

TEST(RadiusProperty, RandomSchedulesLeaveTheSessionsOfTheModel) {
  for (std::uint64_t seed = 0; seed < dp::test::runs_of(200); ++seed) {
    RadiusSchedule schedule(seed);
    for (int step = 0; step < 500; ++step) {
      schedule.step();
      schedule.check();
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace control::told::radius

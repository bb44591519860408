// Two RLC AM entities and the air between them, TTI by TTI: each end keeps the SDUs that it was given to send
// and those that it delivered, and checks the invariants. The test decides which PDUs are lost.
#pragma once
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/rlc/am_entity.h"
#include "tests/support/frames.h"

namespace dp::test {

// One side: hands SDUs to its entity and takes those of the other.
class PairEnd final : public AmHost {
 public:
  struct Sent {
    Buffer bytes;
    std::unique_ptr<std::byte[]> held;  // the bytes that the entity reads; freed once it is released
    bool acked = false, discarded = false, released = false, delivered = false;
  };
  struct Delivered {
    std::uint32_t ordinal;
    Buffer bytes;
  };

  PairEnd(const AmConfig& config, Time now) : entity(config, *this, now) {}

  void offer(Buffer sdu) { queue.push_back(std::move(sdu)); }

  bool waiting() const noexcept override { return !queue.empty(); }
  bool start(AmSdu& sdu) noexcept override {
    if (queue.empty()) return false;
    Sent& s = sent.emplace_back();
    s.bytes = std::move(queue.front());
    queue.pop_front();
    s.held = std::make_unique<std::byte[]>(s.bytes.size());
    std::copy(s.bytes.begin(), s.bytes.end(), s.held.get());
    sdu = {s.held.get(), static_cast<std::uint32_t>(s.bytes.size()), &s};
    return true;
  }
  void acked(const AmSdu& sdu) noexcept override {
    Sent& s = of(sdu);
    EXPECT_FALSE(s.acked || s.discarded || s.released);
    s.acked = true;
    ++n_acked;
  }
  void discarded(const AmSdu& sdu) noexcept override {
    Sent& s = of(sdu);
    EXPECT_FALSE(s.acked || s.discarded || s.released);
    s.discarded = true;
    ++n_discarded;
  }
  void released(const AmSdu& sdu) noexcept override {
    Sent& s = of(sdu);
    EXPECT_TRUE(s.acked || s.discarded);
    EXPECT_EQ(&s, &sent.at(n_released)) << "not in order";
    if (s.acked && peer != nullptr && !lossy_resets) {
      EXPECT_TRUE(s.delivered) << "acknowledged, but not delivered";
    }
    s.released = true;
    s.held.reset();
    ++n_released;
  }

  std::span<std::byte> begin(std::uint32_t ordinal) noexcept override {
    EXPECT_FALSE(open);
    open = true;
    opened = ordinal;
    memory.assign(kMaxSdu + 1, std::byte{0xee});
    return memory;
  }
  void end(std::uint32_t ordinal, std::size_t length) noexcept override {
    EXPECT_TRUE(open && opened == ordinal);
    open = false;
    if (peer != nullptr && !delivered.empty()) {
      EXPECT_GT(ordinal, delivered.back().ordinal) << "out of order, or twice";
    }
    delivered.push_back({ordinal, {memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(length)}});
    if (peer == nullptr) return;
    ASSERT_LT(ordinal, peer->sent.size());
    Sent& s = peer->sent[ordinal];
    EXPECT_FALSE(s.released) << "delivered after its fate was final";
    s.delivered = true;
    EXPECT_EQ(delivered.back().bytes, s.bytes) << "SDU " << ordinal;
  }
  void abandon(std::uint32_t ordinal) noexcept override {
    EXPECT_TRUE(open && opened == ordinal);
    open = false;
    ++n_abandoned;
  }
  void unrecoverable() noexcept override { failed = true; }

  // Every SDU started is acknowledged, discarded or in transmission.
  void expect_balance() const {
    EXPECT_EQ(n_acked + n_discarded + entity.in_transmission(), sent.size());
    EXPECT_LE(n_released, n_acked + n_discarded);
  }

  static constexpr std::size_t kMaxSdu = 3000;
  std::deque<Buffer> queue;
  std::deque<Sent> sent;  // by ordinal
  std::vector<Delivered> delivered;
  std::size_t n_acked = 0, n_discarded = 0, n_released = 0, n_abandoned = 0;
  bool failed = false;
  bool lossy_resets = false;  // a RESET may lose what the peer had acknowledged and not delivered
  PairEnd* peer = nullptr;    // none: the test plays the peer
  AmEntity entity;

 private:
  static Sent& of(const AmSdu& sdu) { return *static_cast<Sent*>(sdu.cookie); }
  Buffer memory;
  bool open = false;
  std::uint32_t opened = 0;
};

class AmPair {
 public:
  struct Pdu {
    Buffer bytes;
    std::uint32_t first_sdu;
    Time at;  // time of arrival
  };
  // Called for every PDU sent: by which end (0, 1), and its bytes. True loses it.
  using Lose = std::function<bool(int from, const Buffer& pdu)>;

  explicit AmPair(const AmConfig& config, unsigned pdus_per_tti = 12, Duration delay = ms(25))
      : config(config),
        per_tti(pdus_per_tti),
        delay(delay),
        ends{PairEnd(config, now), PairEnd(config, now)} {
    ends[0].peer = &ends[1];
    ends[1].peer = &ends[0];
  }

  // PDUs that have arrived by now are received, then both ends send. An unrecoverable error re-establishes
  // both.
  void tick() {
    arrive();
    for (int from : {0, 1}) send(from);
    now += config.tti;
    if (ends[0].failed || ends[1].failed) reestablish();
  }
  void run(unsigned ttis) {
    for (unsigned i = 0; i < ttis; ++i) tick();
  }
  // Runs until every SDU is sent and its fate is final, or `ttis` have passed.
  bool drain(unsigned ttis) {
    for (unsigned i = 0; i < ttis; ++i) {
      if (idle()) return true;
      tick();
    }
    return idle();
  }
  bool idle() const {
    for (int i : {0, 1}) {
      if (!ends[i].queue.empty() || ends[i].n_released != ends[i].sent.size()) return false;
    }
    return true;
  }
  void reestablish() {
    for (int i : {0, 1}) {
      air[i].clear();
      ends[i].failed = false;
      ++reestablishments;
      ends[i].entity.reestablish(now);
    }
  }

  const AmConfig config;
  const unsigned per_tti;
  const Duration delay;
  Time now{};
  unsigned reestablishments = 0;
  bool builds_one_by_one = false, receives_one_by_one = false;  // each PDU by itself
  std::array<PairEnd, 2> ends;
  std::array<std::deque<Pdu>, 2> air;  // from each end
  Lose lose = [](int, const Buffer&) { return false; };
  std::function<void(int to, const Buffer& pdu)> on_arrival = [](int, const Buffer&) {};

 private:
  void arrive() {
    for (int from : {0, 1}) {
      AmEntity& to = ends[1 - from].entity;
      Buffer together;
      std::vector<std::uint32_t> first_sdus;
      for (; !air[from].empty() && air[from].front().at <= now; air[from].pop_front()) {
        const Pdu& pdu = air[from].front();
        on_arrival(1 - from, pdu.bytes);
        if (receives_one_by_one) {
          to.receive(pdu.bytes, pdu.first_sdu, now);
        } else {
          together.insert(together.end(), pdu.bytes.begin(), pdu.bytes.end());
          first_sdus.push_back(pdu.first_sdu);
        }
      }
      to.receive(static_cast<unsigned>(first_sdus.size()), together.data(), first_sdus.data(), now);
    }
  }
  void send(int from) {
    const std::size_t size = config.pdu_size;
    Buffer bytes(per_tti * size, std::byte{0xaa});
    std::vector<std::uint32_t> first(per_tti);
    AmEntity& entity = ends[from].entity;
    unsigned n = 0;
    if (builds_one_by_one) {
      while (n != per_tti && entity.build(1, now, bytes.data() + n * size, first.data() + n) == 1) ++n;
    } else {
      n = entity.build(per_tti, now, bytes.data(), first.data());
    }
    for (unsigned i = 0; i < n; ++i) {
      const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(i * size);
      Buffer pdu(at, at + static_cast<std::ptrdiff_t>(size));
      if (!lose(from, pdu)) air[from].push_back({std::move(pdu), first[i], now + delay});
    }
    ends[from].expect_balance();
  }
};

}  // namespace dp::test

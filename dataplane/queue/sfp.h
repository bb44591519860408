// Short-flow priority (SFP, paper 001 section 6.1): a leg's waiting SDUs in two FIFOs, those of short flows
// first. A flow is short until it has sent more than `short` bytes, and again after it was idle for longer
// than `reset`. Made and freed by control with the bearer; owns the SDUs in it while the leg uses it.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/flow_hash.h"
#include "dataplane/packet/sdu_list.h"
#include "dataplane/queue/sfp_config.h"

namespace dp {

// The class of an SDU is determined on arrival and stays: FIFO within a class, and strict priority of the
// short one. A flow is known by its 32-bit hash, so two flows with equal hashes count as one, which costs
// them nothing but their priority.
class SfpQueues {
 public:
  // Flows are hashed with `seed`.
  SfpQueues(const SfpSpec::Config& config, std::uint64_t seed)
      : hash_(seed),
        config_(config),
        buckets_(std::bit_ceil(config.flows)),
        records_(std::make_unique<Record[]>(config.flows + 1)),
        heads_(std::make_unique<Slot[]>(buckets_)) {
    DP_EXPECT(config.flows > 0 && config.flows < kUnlisted);
    std::fill_n(heads_.get(), buckets_, kUnlisted);
    const Slot end = ring();
    records_[end].older = records_[end].newer = end;
    for (Slot slot = 0; slot < end; ++slot) release(slot);
  }
  // The memory that it takes beside its own size.
  static std::size_t bytes_for(std::uint32_t flows) {
    return (flows + 1) * sizeof(Record) + std::bit_ceil(flows) * sizeof(Slot);
  }

  std::uint32_t flows() const noexcept { return config_.flows; }
  const SfpSpec::Config& config() const noexcept { return config_; }
  // Changes the parameters in place; waiting SDUs keep their class. Requires: as many flows.
  void reconfigure(const SfpSpec::Config& config) noexcept {
    DP_EXPECT(config.flows == config_.flows);
    config_ = config;
  }

  // Finds the class of an arrival, and writes it into the SDU's note; true if it is short. The flow counts as
  // active, also if the SDU is then refused. Requires: parse() has found an IP packet.
  bool classify(Sdu& sdu, Time now) noexcept {
    const Slot slot = find_or_take(flow_hash(sdu, hash_), now);
    const bool is_short = slot != kUnlisted && arrives_short(records_[slot], now);
    if (slot != kUnlisted) {
      records_[slot].last_arrival = now;
      refresh(slot);
    }
    sdu.set_note(static_cast<std::uint16_t>(slot | (is_short ? 0 : kLong)));
    return is_short;
  }
  // The waiting SDUs that this SDU may displace. Requires: classify() was called for it.
  struct Displaceable {
    std::uint32_t sdus = 0;
    std::uint32_t bytes = 0;
  };
  Displaceable displaceable_by(const Sdu& sdu) const noexcept {
    return is_short(sdu) ? Displaceable{long_sdus_, long_bytes_} : Displaceable{};
  }

  // Requires: classify() was called for the SDU, and for no other since.
  void push(Sdu& sdu) noexcept {
    if (config_.count == SfpSpec::Count::arrival) count(sdu);
    enqueue(sdu);
  }
  // Pushes an SDU that has waited elsewhere; SDUs come in the order in which they would have been sent. It is
  // long, and counted at once.
  void push_moved(Sdu& sdu) noexcept {
    classify(sdu, sdu.arrival);
    sdu.set_note(sdu.note() | kLong);
    count(sdu);
    enqueue(sdu);
  }

  // The next SDU to be sent; null if there is none.
  Sdu* first() const noexcept { return short_.empty() ? long_.front() : short_.front(); }
  bool first_is_short() const noexcept { return !short_.empty(); }
  // The next two functions require: something is here. They take the SDU of first(), to be sent, or to be
  // dropped.
  Sdu& take() noexcept {
    Sdu& sdu = short_.empty() ? pop_long(SfpSpec::DropFrom::front) : pop_short();
    if ((sdu.note() & kCounted) == 0) count(sdu);
    leave(sdu);
    return sdu;
  }
  Sdu& discard() noexcept {
    Sdu& sdu = short_.empty() ? pop_long(SfpSpec::DropFrom::front) : pop_short();
    leave(sdu);
    return sdu;
  }

  // The SDU that a policy drops or marks if its verdict is about the first: the first long SDU; if all are
  // short, the first. Null if nothing is here.
  Sdu* head_to_drop() const noexcept { return long_.empty() ? short_.front() : long_.front(); }
  // Requires: something is here.
  Sdu& drop_head() noexcept {
    Sdu& sdu = long_.empty() ? pop_short() : pop_long(SfpSpec::DropFrom::front);
    leave(sdu);
    return sdu;
  }
  // The long SDU that makes room for a short one. Requires: a long one is here.
  Sdu& displace() noexcept {
    Sdu& sdu = pop_long(config_.victim);
    leave(sdu);
    return sdu;
  }

  // The class of an SDU that waits here, or that has been taken to be sent.
  static bool is_short(const Sdu& sdu) noexcept { return (sdu.note() & kLong) == 0; }
  // An SDU that is in transmission already when the leg begins to use this is long.
  static void note_long(Sdu& sdu) noexcept { sdu.note_high = kLong >> 8; }

  // Calls f(sdu) for each SDU here.
  template <class F>
  void for_each(F&& f) const noexcept {
    short_.for_each(f);
    long_.for_each(f);
  }

  bool holds_since(Time t) const noexcept {
    const auto old = [t](const Sdu* sdu) { return sdu != nullptr && sdu->arrival <= t; };
    return old(short_.front()) || old(long_.front());
  }

  // Time stood still for `pause`.
  void postpone(Duration pause) noexcept {
    for (Slot slot = 0; slot < ring(); ++slot) records_[slot].last_arrival += pause;
  }

 private:
  // The index of a record. The note of an SDU is its flow's index, kUnlisted without one, and the bits below.
  using Slot = std::uint16_t;
  static constexpr Slot kUnlisted = 0x3fff;
  static constexpr std::uint16_t kLong = 0x8000;     // in the byte that stays when the SDU is sent
  static constexpr std::uint16_t kCounted = 0x4000;  // its bytes are in the flow's `sent`

  struct Record {
    Time last_arrival{};
    std::uint32_t hash = 0;
    std::uint32_t sent = 0;          // IP bytes
    std::uint32_t waiting = 0;       // SDUs of the flow that are here
    std::uint32_t waiting_long = 0;  // those of them that are long
    Slot older = 0, newer = 0;       // in the list of flows without waiting SDUs
    Slot next = 0;                   // in the same bucket
    bool listed = false;             // in a bucket
    bool late = false;               // at its creation, unlisted SDUs waited that may be of the same flow
  };
  static_assert(sizeof(Record) == 32, "with a bucket, what the table of fields tells operators");

  // Invariants between two calls:
  // - A record is in a bucket, the one of its hash, unless it has never been used.
  // - The list holds exactly the records with waiting == 0, the one longest without an SDU first; its ends
  //   meet in the record behind the last.
  // - No flow has an SDU in short_ that came after one that it has in long_: if arrives_short() is true,
  //   long_ has none of the flow's.

  Slot ring() const noexcept { return static_cast<Slot>(config_.flows); }
  Slot& bucket(std::uint32_t hash) noexcept { return heads_[std::uint64_t{hash} * buckets_ >> 32]; }

  bool arrives_short(Record& record, Time now) noexcept {
    if (record.waiting_long != 0) return false;
    if (now - record.last_arrival > config_.reset) record.sent = 0;
    record.late = record.late && unlisted_ != 0;
    return record.sent <= config_.short_bytes && !record.late;
  }

  // The flow's record; kUnlisted if it has none and SDUs of every flow with a record wait.
  Slot find_or_take(std::uint32_t hash, Time now) noexcept {
    for (Slot slot = bucket(hash); slot != kUnlisted; slot = records_[slot].next) {
      if (records_[slot].hash == hash) return slot;
    }
    const Slot slot = records_[ring()].newer;  // the oldest
    if (slot == ring()) return kUnlisted;
    Record& record = records_[slot];
    if (record.listed) unlist(slot);
    record.hash = hash;
    record.sent = 0;
    record.last_arrival = now;
    record.late = unlisted_ != 0;
    record.listed = true;
    record.next = std::exchange(bucket(hash), slot);
    return slot;
  }
  void unlist(Slot slot) noexcept {
    Slot* at = &bucket(records_[slot].hash);
    while (*at != slot) at = &records_[*at].next;
    *at = records_[slot].next;
  }

  // Makes the record the newest of those without waiting SDUs. Requires: it is not in the list.
  void release(Slot slot) noexcept {
    Record& end = records_[ring()];
    records_[slot].older = end.older;
    records_[slot].newer = ring();
    records_[end.older].newer = slot;
    end.older = slot;
  }
  void pin(Slot slot) noexcept {
    const Record& record = records_[slot];
    records_[record.older].newer = record.newer;
    records_[record.newer].older = record.older;
  }
  void refresh(Slot slot) noexcept {
    if (records_[slot].waiting != 0) return;
    pin(slot);
    release(slot);
  }

  void count(Sdu& sdu) noexcept {
    sdu.set_note(sdu.note() | kCounted);
    const Slot slot = sdu.note() & kUnlisted;
    if (slot == kUnlisted) return;
    std::uint32_t& sent = records_[slot].sent;
    sent += std::min(sdu.ip_len, std::numeric_limits<std::uint32_t>::max() - sent);
  }
  void enqueue(Sdu& sdu) noexcept {
    const Slot slot = sdu.note() & kUnlisted;
    const bool is_long = !is_short(sdu);
    DP_EXPECT(slot < ring() || (slot == kUnlisted && is_long));
    if (slot == kUnlisted) {
      ++unlisted_;
    } else {
      Record& record = records_[slot];
      if (record.waiting++ == 0) pin(slot);
      record.waiting_long += is_long ? 1 : 0;
    }
    if (!is_long) return short_.push(sdu);
    long_.push(sdu);
    ++long_sdus_;
    long_bytes_ += sdu.ip_len;
  }

  Sdu& pop_short() noexcept { return short_.pop(); }
  Sdu& pop_long(SfpSpec::DropFrom which) noexcept {
    Sdu& sdu = which == SfpSpec::DropFrom::front ? long_.pop() : long_.pop_back();
    DP_EXPECT_HOT(long_sdus_ > 0 && long_bytes_ >= sdu.ip_len);
    --long_sdus_;
    long_bytes_ -= sdu.ip_len;
    return sdu;
  }
  // Takes one SDU off the flow's count.
  void leave(const Sdu& sdu) noexcept {
    const Slot slot = sdu.note() & kUnlisted;
    if (slot == kUnlisted) {
      DP_EXPECT(unlisted_ > 0);
      --unlisted_;
      return;
    }
    Record& record = records_[slot];
    DP_EXPECT(record.waiting > 0);
    if (!is_short(sdu)) --record.waiting_long;
    if (--record.waiting == 0) release(slot);
  }

  const KeyedHash hash_;
  SfpSpec::Config config_;
  const std::uint32_t buckets_;
  std::uint32_t unlisted_ = 0;  // SDUs here whose flow has no record; all are long
  SduChain short_;
  SduDeque long_;
  std::uint32_t long_sdus_ = 0;
  std::uint32_t long_bytes_ = 0;
  std::unique_ptr<Record[]> records_;
  std::unique_ptr<Slot[]> heads_;  // by bucket
};

}  // namespace dp

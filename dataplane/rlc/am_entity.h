// One RLC AM entity of TS 25.322: a transmitting and a receiving side that share STATUS and RESET PDUs. The
// link owns one at each end, takes the PDUs of the transport block from it once a TTI, and passes it the PDUs
// received from the peer. All memory is allocated at construction; time is an argument. Nothing can be sent
// between two calls of build(), so timers are deadlines that build() checks; an idle link puts wake_at() into
// the calendar.
// Tests: tests/unit/rlc/am_config_test.cc
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/time.h"
#include "dataplane/rlc/am_config.h"
#include "dataplane/rlc/am_entity_counters.h"
#include "dataplane/rlc/am_host.h"
#include "dataplane/rlc/am_receiver.h"
#include "dataplane/rlc/am_sender.h"

namespace dp {

class AmEntity {
 public:
  AmEntity(const AmConfig& config, AmHost& host, Time now);
  AmEntity(const AmEntity&) = delete;
  AmEntity& operator=(const AmEntity&) = delete;
  // Bytes that it allocates at construction in addition to its own size.
  static std::size_t bytes_for(const AmConfig& config);

  // Writes up to `max_pdus` consecutive PDUs of pdu-size octets: RESET and RESET ACK before STATUS before
  // retransmissions before new PDUs; returns their number. first_sdus[i] accompanies PDU i: the number of the
  // first SDU with data in it, by which the peer identifies delivered SDUs.
  unsigned build(unsigned max_pdus, Time now, std::byte* pdus, std::uint32_t* first_sdus) noexcept;

  // Receives `n` consecutive PDUs of pdu-size octets, as written by build().
  void receive(unsigned n, const std::byte* pdus, const std::uint32_t* first_sdus, Time now) noexcept;
  // Receives one PDU of any size.
  void receive(Bytes pdu, std::uint32_t first_sdu, Time now) noexcept;

  // The earliest time at which build() has a PDU if nothing arrives: Time::min() for now, or kNever.
  Time wake_at() const noexcept {
    if (answer_due_ || reset_due_) return Time::min();
    if (pending_) return timer_rst_;
    if (sender_.reset_wanted()) return Time::min();
    return std::min(sender_.wake_at(), receiver_.wake_at());
  }

  // Restarts the entity as new and discards all SDUs in transmission, after 11.4 failed or at the request of
  // upper layers.
  void reestablish(Time now) noexcept;

  std::size_t pdu_size() const noexcept { return config_.pdu_size; }
  const AmConfig& config() const noexcept { return config_; }
  const AmEntityCounters& stats() const noexcept { return stats_; }
  // Number of SDUs started and neither acknowledged nor discarded: their share of the buffer occupancy.
  std::uint32_t in_transmission() const noexcept { return sender_.sdus().in_transmission(); }
  // The SDU of this number; null once it is released.
  const AmSdu* find(std::uint32_t ordinal) const noexcept { return sender_.sdus().find(ordinal); }
  const AmSender& sender() const noexcept { return sender_; }
  const AmReceiver& receiver() const noexcept { return receiver_; }

 private:
  static constexpr std::uint8_t kNoRsn = 2;
  // Size of the smallest report that names a missing PDU and ends with an ACK.
  static constexpr std::size_t kLeastStatus = 8;

  bool only_data_due(Time now) const noexcept;
  bool build_one(Time now, std::byte* pdu, std::uint32_t& first_sdu, bool last) noexcept;
  bool build_reset(std::span<std::byte> out, Time now) noexcept;
  bool build_status(std::span<std::byte> out, Time now) noexcept;
  bool build_carrier(std::span<std::byte> out, std::uint32_t& first_sdu, Time now) noexcept;
  void piggyback(std::span<std::byte> pdu, Time now) noexcept;
  void begin_reset() noexcept;
  void expire(Time now) noexcept;
  void receive_one(Bytes pdu, std::uint32_t first_sdu, Time now) noexcept;
  void receive_other(Bytes pdu, std::uint32_t first_sdu, Time now) noexcept;
  void on_amd(Bytes bytes, std::uint32_t first_sdu, Time now) noexcept;
  void on_status(Bytes status, Time now) noexcept;
  void on_reset(const ResetPdu& pdu, Time now) noexcept;
  void on_reset_ack(const ResetPdu& pdu, Time now) noexcept;

  const AmConfig config_;
  AmHost& host_;
  AmEntityCounters stats_;
  const LiSize li_;
  AmSender sender_;
  AmReceiver receiver_;

  // 11.4.
  bool pending_ = false;     // RESET_PENDING: no answer to our RESET yet
  bool reset_due_ = false;   // RESET to be sent
  bool answer_due_ = false;  // RESET ACK to be sent
  std::uint8_t next_rsn_ = 0, peer_rsn_ = kNoRsn;
  std::uint32_t vt_rst_ = 0;
  Time timer_rst_ = kNever;
  ResetPdu reset_{}, answer_{true, 0, 0};
};

}  // namespace dp

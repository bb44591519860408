#include "dataplane/rlc/am_entity.h"

namespace dp {

AmEntity::AmEntity(const AmConfig& config, AmHost& host, Time now)
    : config_(config),
      host_(host),
      li_(li_size_for(config.pdu_size)),
      sender_(config_, host, stats_),
      receiver_(config_, host, stats_, now) {}

std::size_t AmEntity::bytes_for(const AmConfig& config) {
  return AmSender::bytes_for(config) + AmReceiver::bytes_for(config);
}

// Most PDUs of a TTI are pieces of one SDU and are built as a batch; all others are built one by one.
unsigned AmEntity::build(unsigned max_pdus, Time now, std::byte* pdus, std::uint32_t* first_sdus) noexcept {
  expire(now);
  for (unsigned n = 0; n < max_pdus; ++n) {
    const bool only_data = only_data_due(now);
    if (only_data) {
      n += sender_.build_batch(max_pdus - n, now, pdus + std::size_t{n} * config_.pdu_size, first_sdus + n);
      if (n == max_pdus) break;
    }
    std::byte* const pdu = pdus + std::size_t{n} * config_.pdu_size;
    first_sdus[n] = 0;
    // Two attempts: the search for a PDU to send may find one at MaxDAT, and then an MRW or a RESET is due
    // instead.
    const bool last = n + 1 == max_pdus;
    const bool built =
        only_data ? sender_.build(now, pdu, first_sdus[n]) : build_one(now, pdu, first_sdus[n], last);
    if (!built && !build_one(now, pdu, first_sdus[n], last)) return n;
  }
  return max_pdus;
}

// True if build_one() would build only the sender's PDUs. Batches of PDUs do not change that.
bool AmEntity::only_data_due(Time now) const noexcept {
  return !answer_due_ && !reset_due_ && !pending_ && !sender_.interrupted() && !receiver_.mrw_ack_due() &&
         !receiver_.report_due(now);
}

bool AmEntity::build_one(Time now, std::byte* pdu, std::uint32_t& first_sdu, bool last) noexcept {
  const std::span out(pdu, config_.pdu_size);
  if (sender_.reset_wanted() && !pending_) begin_reset();
  if (build_reset(out, now)) return true;
  if (pending_) return false;
  if (config_.piggyback && !last && build_carrier(out, first_sdu, now)) return true;
  return build_status(out, now) || sender_.build(now, pdu, first_sdu);
}

// 9.2.1.5: a report waits, within this TTI, for an AMD PDU with room for it.
bool AmEntity::build_carrier(std::span<std::byte> out, std::uint32_t& first_sdu, Time now) noexcept {
  if (!receiver_.report_due(now) || sender_.mrw_due() || receiver_.mrw_ack_due()) return false;
  if (!sender_.build(now, out.data(), first_sdu)) return false;
  piggyback(out, now);
  return true;
}

// Replaces the padding: its LI, which is the last one before the segments, and the octets behind them.
void AmEntity::piggyback(std::span<std::byte> pdu, Time now) noexcept {
  AmdPdu amd;
  const SpecialLis special = special_lis(li_);
  if (!parse_amd(pdu, li_, amd) || amd.ends_sdu) return;
  const auto data = static_cast<std::size_t>(amd.data.data() - pdu.data());
  const std::span space = pdu.subspan(data + amd.data.size());
  std::byte* const li = pdu.data() + data - octets(li_);
  const unsigned bits = li_ == LiSize::bits7 ? load8(li) : load16(li);
  if (space.size() < kLeastStatus || bits != unsigned{special.padding} << 1) return;
  StatusWriter status(space);
  receiver_.write_report(status, now);
  status.finish();
  const unsigned marked = unsigned{special.status} << 1;
  li_ == LiSize::bits7 ? void(*li = static_cast<std::byte>(marked))
                       : store16(li, static_cast<std::uint16_t>(marked));
  stats_.piggybacked.add(1);
}

// 11.4.2: enters "Reset pending", in which only RESET and RESET ACK are sent.
void AmEntity::begin_reset() noexcept {
  pending_ = reset_due_ = true;
  vt_rst_ = 0;
  reset_ = {false, next_rsn_, sender_.highest_hfn()};
  next_rsn_ ^= 1;
  stats_.resets.add(1);
}

bool AmEntity::build_reset(std::span<std::byte> out, Time now) noexcept {
  if (answer_due_) {
    answer_due_ = false;
    write_reset(out, answer_);
    return true;
  }
  if (!reset_due_) return false;
  reset_due_ = false;
  ++vt_rst_;
  timer_rst_ = now + config_.timer_rst;
  write_reset(out, reset_);
  return true;
}

// 11.5.2: Timer_Status_Prohibit does not delay MRW and MRW_ACK.
bool AmEntity::build_status(std::span<std::byte> out, Time now) noexcept {
  const bool report = receiver_.report_due(now);
  if (!report && !sender_.mrw_due() && !receiver_.mrw_ack_due()) return false;
  StatusWriter status(out);
  if (sender_.mrw_due()) sender_.write_mrw(status, now);
  if (receiver_.mrw_ack_due()) receiver_.write_mrw_ack(status);
  if (report) receiver_.write_report(status, now);
  status.finish();
  stats_.pdus_status.add(1);
  return true;
}

// Most PDUs that arrive together are pieces of one SDU, and are received as a batch.
void AmEntity::receive(unsigned n, const std::byte* pdus, const std::uint32_t* first_sdus,
                       Time now) noexcept {
  stats_.pdus_received.add(n);
  const std::size_t size = config_.pdu_size;
  for (unsigned i = 0; i != n; ++i) {
    if (!pending_) i += receiver_.receive_batch(n - i, pdus + i * size, first_sdus + i);
    if (i == n) return;
    receive_one({pdus + i * size, size}, first_sdus[i], now);
  }
}

void AmEntity::receive(Bytes pdu, std::uint32_t first_sdu, Time now) noexcept {
  stats_.pdus_received.add(1);
  receive_one(pdu, first_sdu, now);
}

void AmEntity::receive_one(Bytes pdu, std::uint32_t first_sdu, Time now) noexcept {
  if (AmdPiece piece; pdu.size() == config_.pdu_size && parse_piece(pdu, piece)) {
    if (!pending_) receiver_.receive(piece, pdu, first_sdu);
  } else {
    receive_other(pdu, first_sdu, now);
  }
}

// Receives PDUs other than pieces of SDUs.
void AmEntity::receive_other(Bytes pdu, std::uint32_t first_sdu, Time now) noexcept {
  ResetPdu reset;
  const PduType type = pdu_type(pdu);
  if (type == PduType::amd) {
    on_amd(pdu, first_sdu, now);
  } else if (type == PduType::status) {
    on_status(pdu, now);
  } else if (type != PduType::unknown && parse_reset(pdu, reset)) {
    reset.ack ? on_reset_ack(reset, now) : on_reset(reset, now);
  } else {
    stats_.pdus_invalid.add(1);
  }
}

// While a RESET is unanswered, the peer's numbering is unknown (receive()).
void AmEntity::on_amd(Bytes bytes, std::uint32_t first_sdu, Time now) noexcept {
  if (pending_) return;
  AmdPdu pdu;
  if (bytes.size() != config_.pdu_size || !parse_amd(bytes, li_, pdu) ||
      (pdu.ends_sdu && !config_.he_ends_sdu)) {
    return stats_.pdus_invalid.add(1);
  }
  receiver_.receive(pdu, bytes, first_sdu);
  if (!pdu.status.empty()) on_status(pdu.status, now);
}

// 10, 11.5.3: a malformed STATUS is dropped as a whole; one about PDUs outside the window causes a RESET.
void AmEntity::on_status(Bytes status, Time now) noexcept {
  if (pending_) return;
  Sufi sufi;
  StatusReader::Next next;
  bool usable = true;
  for (StatusReader in(status); (next = in.next(sufi)) == StatusReader::Next::sufi;) {
    usable &= sender_.usable(sufi);
  }
  if (next == StatusReader::Next::malformed) return stats_.pdus_invalid.add(1);
  if (!usable) return begin_reset();
  sender_.begin_status();
  for (StatusReader in(status); in.next(sufi) == StatusReader::Next::sufi;) {
    if (sufi.type == SufiType::mrw) {
      receiver_.move_window(sufi);
    } else {
      sender_.apply(sufi);
    }
  }
  sender_.finish_status(now);
}

// 11.4.3: a repeated RSN gets the same answer, without a second reset.
void AmEntity::on_reset(const ResetPdu& pdu, Time now) noexcept {
  answer_due_ = true;
  if (pdu.rsn == peer_rsn_) return;
  peer_rsn_ = pdu.rsn;
  answer_ = {true, pdu.rsn, sender_.highest_hfn()};
  stats_.resets_by_peer.add(1);
  sender_.reset(answer_.hfni);
  receiver_.reset(pdu.hfni, now);
}

// 11.4.4.
void AmEntity::on_reset_ack(const ResetPdu& pdu, Time now) noexcept {
  if (!pending_ || pdu.rsn != reset_.rsn) return;
  pending_ = reset_due_ = false;
  timer_rst_ = kNever;
  sender_.reset(reset_.hfni);
  receiver_.reset(pdu.hfni, now);
}

// 11.4.5.1, 11.4.5.3.
void AmEntity::expire(Time now) noexcept {
  sender_.expire(now);
  receiver_.expire(now);
  if (now < timer_rst_) return;
  timer_rst_ = kNever;
  if (vt_rst_ < config_.max_rst) {
    reset_due_ = true;
  } else {
    host_.unrecoverable();
  }
}

// 9.7.7.
void AmEntity::reestablish(Time now) noexcept {
  pending_ = reset_due_ = answer_due_ = false;
  next_rsn_ = 0;
  peer_rsn_ = kNoRsn;
  timer_rst_ = kNever;
  constexpr std::uint32_t kBeforeFirst = kHfnMask;
  sender_.reset(kBeforeFirst);
  receiver_.reset(kBeforeFirst, now);
}

}  // namespace dp

// One RLC AM entity whose peer is the test, and PDUs as text: "7 P {full 20 pad}" is an AMD PDU with its SN,
// poll bit and LIs, "LIST 4-5, ACK 8" a STATUS, "RESET 0 HFN 1" a RESET.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/am_pair.h"

namespace dp::test {

inline std::string text(const AmdPdu& pdu, LiSize size, std::size_t octets_after_header) {
  std::string lis;
  const auto add = [&](const std::string& li) { lis += (lis.empty() ? "" : " ") + li; };
  if (pdu.previous_full) add("full");
  if (pdu.previous_short) add("short");
  for (unsigned i = 0; i < pdu.n_ends; ++i) add(std::to_string(pdu.ends[i]));
  const std::size_t n = pdu.n_ends + (pdu.previous_full || pdu.previous_short ? 1u : 0u);
  if (!pdu.status.empty()) {
    add("status");
  } else if (pdu.data.size() + n * octets(size) < octets_after_header && n * octets(size) != 0) {
    if (octets_after_header - pdu.data.size() - n * octets(size) >= octets(size)) add("pad");
  }
  std::string out = std::to_string(pdu.sn) + (pdu.poll ? " P" : "");
  if (pdu.ends_sdu) out += " ends";
  return lis.empty() ? out : out + " {" + lis + "}";
}

inline std::string runs_text(const Sufi& sufi) {
  std::string out;
  for_each_missing(sufi, [&](Sn sn, unsigned n) {
    out += " " + std::to_string(sn);
    if (n > 1) out += "-" + std::to_string((sn + n - 1) & kSnMask);
  });
  return out;
}

inline std::string text(const Sufi& sufi) {
  switch (sufi.type) {
    case SufiType::window:
      return "WINDOW " + std::to_string(sufi.sn);
    case SufiType::ack:
      return "ACK " + std::to_string(sufi.sn);
    case SufiType::list:
      return "LIST" + runs_text(sufi);
    case SufiType::bitmap:
      return "BITMAP" + runs_text(sufi);
    case SufiType::rlist:
      return "RLIST" + runs_text(sufi);
    case SufiType::mrw: {
      std::string out = sufi.beyond ? "MRW beyond" : "MRW";
      for (unsigned i = 0; i < sufi.count; ++i) out += " " + std::to_string(sufi.sn_mrw[i]);
      return out + " N " + std::to_string(sufi.n);
    }
    case SufiType::mrw_ack:
      return "MRW_ACK " + std::to_string(sufi.sn) + " N " + std::to_string(sufi.n);
    default:
      return "?";
  }
}

inline std::string text(const Buffer& bytes) {
  const LiSize size = li_size_for(bytes.size());
  AmdPdu pdu;
  if (parse_amd(bytes, size, pdu)) return text(pdu, size, bytes.size() - kAmdHeader);
  ResetPdu reset;
  if (parse_reset(bytes, reset)) {
    return (reset.ack ? "RESET_ACK " : "RESET ") + std::to_string(reset.rsn) + " HFN " +
           std::to_string(reset.hfni);
  }
  std::string out;
  Sufi sufi{};
  for (StatusReader in(bytes); in.next(sufi) == StatusReader::Next::sufi;) {
    out += (out.empty() ? "" : ", ") + text(sufi);
  }
  return out;
}

using Texts = std::vector<std::string>;

class AmSingle {
 public:
  explicit AmSingle(const AmConfig& config = {}) : end(config, Time{}) {}

  AmEntity& entity() { return end.entity; }
  void offer(std::size_t bytes, std::size_t n = 1) {
    for (; n > 0; --n) end.offer(Buffer(bytes, static_cast<std::byte>(++fill_)));
  }

  // One TTI's PDUs, as text; their bytes are in `built`, where an octet that is not written shows.
  Texts build(unsigned max = 12) {
    built.assign(max * entity().pdu_size(), std::byte{0xaa});
    first_sdus.assign(max, 0);
    const unsigned n = entity().build(max, now, built.data(), first_sdus.data());
    Texts out;
    for (unsigned i = 0; i < n; ++i) out.push_back(text(pdu(i)));
    end.expect_balance();
    return out;
  }
  Buffer pdu(unsigned i) const {
    const auto at = built.begin() + static_cast<std::ptrdiff_t>(i * end.entity.pdu_size());
    return {at, at + static_cast<std::ptrdiff_t>(end.entity.pdu_size())};
  }
  Texts after(Duration pause, unsigned max = 12) {
    now += pause;
    return build(max);
  }

  void receive(const Buffer& pdu, std::uint32_t first_sdu = 0) { entity().receive(pdu, first_sdu, now); }
  // A STATUS that write(StatusWriter&) fills.
  template <class Write>
  void status(Write&& write) {
    Buffer pdu(entity().pdu_size());
    StatusWriter out(pdu);
    write(out);
    out.finish();
    receive(pdu);
  }
  // ACK, and before it a LIST of single PDUs.
  void ack(Sn lsn, std::initializer_list<Sn> missing = {}) {
    std::vector<ListItem> items;
    for (const Sn sn : missing) items.push_back({sn, 0});
    status([&](StatusWriter& out) {
      if (!items.empty()) out.list(items);
      out.ack(lsn);
    });
  }
  void reset(bool ack, std::uint8_t rsn, std::uint32_t hfni) {
    Buffer pdu(entity().pdu_size());
    write_reset(pdu, {ack, rsn, hfni});
    receive(pdu);
  }
  // An AMD PDU with these LIs; its data are the byte `fill`.
  void amd(Sn sn, bool poll, std::initializer_list<std::uint16_t> lis, unsigned fill,
           std::uint32_t first_sdu = 0) {
    Buffer pdu(entity().pdu_size(), static_cast<std::byte>(fill));
    if (lis.size() == 0) {
      write_amd_octets(pdu.data(), sn, poll, He::data);
    } else {
      write_amd_header(pdu.data(), sn, poll, li_size_for(pdu.size()), {lis.begin(), lis.size()});
    }
    receive(pdu, first_sdu);
  }
  // The delivered SDUs, as "ordinal:length".
  Texts delivered() const {
    Texts out;
    for (const auto& d : end.delivered)
      out.push_back(std::to_string(d.ordinal) + ":" + std::to_string(d.bytes.size()));
    return out;
  }

  Time now{};
  PairEnd end;
  Buffer built;
  std::vector<std::uint32_t> first_sdus;

 private:
  unsigned fill_ = 0;
};

// No polls, no timers, but for what `change` does: a test turns on what it is about.
template <class Change>
AmConfig quiet_but(Change&& change) {
  AmConfig c;
  c.nack_hold = {};
  c.poll_last = c.poll_last_retransmission = c.missing_pdu = false;
  c.poll_window = 0;
  c.timer_poll = c.timer_status_prohibit = Duration{};
  change(c);
  return c;
}
inline AmConfig quiet() {
  return quiet_but([](AmConfig&) {});
}

}  // namespace dp::test

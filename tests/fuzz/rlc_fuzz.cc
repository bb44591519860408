// libFuzzer target: RLC PDUs. As bytes they go through the codecs; then an AM entity that has SDUs to send
// gets them, and PDUs that are near what its peer would say, between TTIs in which it sends.
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "dataplane/rlc/am_entity.h"
#include "tests/fuzz/input.h"

namespace dp::test {
namespace {

// The link around the entity: records the fate of each SDU.
class Host final : public AmHost {
 public:
  struct Sent {
    std::vector<std::byte> bytes;
    bool settled = false, released = false;  // acknowledged or discarded; and free
  };

  void offer(std::size_t bytes) {
    if (waiting_ < 64) sdus_.push_back({std::vector<std::byte>(bytes), false, false}), ++waiting_;
  }
  std::size_t started() const { return sdus_.size() - waiting_; }
  std::size_t settled() const { return settled_; }
  bool failed = false;

 private:
  bool waiting() const noexcept override { return waiting_ > 0; }
  bool start(AmSdu& sdu) noexcept override {
    if (waiting_ == 0) return false;
    Sent& sent = sdus_[sdus_.size() - waiting_--];
    sdu = {sent.bytes.data(), static_cast<std::uint32_t>(sent.bytes.size()), &sent};
    return true;
  }
  void settle(const AmSdu& sdu) {
    Sent& sent = *static_cast<Sent*>(sdu.cookie);
    expect(!sent.settled && !sent.released, "an SDU is acknowledged or discarded once");
    sent.settled = true;
    ++settled_;
  }
  void acked(const AmSdu& sdu) noexcept override { settle(sdu); }
  void discarded(const AmSdu& sdu) noexcept override { settle(sdu); }
  void released(const AmSdu& sdu) noexcept override {
    Sent& sent = *static_cast<Sent*>(sdu.cookie);
    expect(sent.settled && !sent.released, "an SDU is released once, and settled before");
    expect(&sent == &sdus_[released_++], "SDUs are released in order");
    sent.released = true;
    std::vector<std::byte>().swap(sent.bytes);  // whoever reads it now is found out
  }
  std::span<std::byte> begin(std::uint32_t) noexcept override {
    expect(!open_, "one SDU is put together at a time");
    open_ = true;
    memory_.assign(1501, std::byte{});
    return memory_;
  }
  void end(std::uint32_t, std::size_t length) noexcept override {
    expect(open_ && length <= memory_.size(), "an SDU ends within its memory");
    open_ = false;
  }
  void abandon(std::uint32_t) noexcept override {
    expect(open_, "only what has begun is abandoned");
    open_ = false;
  }
  void unrecoverable() noexcept override { failed = true; }

  std::deque<Sent> sdus_;  // those waiting are the last
  std::vector<std::byte> memory_;
  std::size_t waiting_ = 0, settled_ = 0, released_ = 0;
  bool open_ = false;
};

void check_codec(Bytes pdu) {
  AmdPdu amd;
  for (const LiSize size : {LiSize::bits7, LiSize::bits15}) {
    if (!parse_amd(pdu, size, amd)) continue;
    unsigned last = 0;
    for (unsigned i = 0; i < amd.n_ends; ++i) {
      expect(amd.ends[i] > last, "the ends of segments grow");
      last = amd.ends[i];
    }
    expect(last <= amd.data.size(), "segments end within the data");
    expect(amd.data.size() + amd.status.size() <= pdu.size(), "data and status are parts of the PDU");
  }
  Sufi sufi{};
  unsigned sufis = 0;
  for (StatusReader in(pdu); in.next(sufi) == StatusReader::Next::sufi;) {
    expect(++sufis <= pdu.size(), "a SUFI takes an octet at least");
    for_each_missing(sufi, [](Sn sn, unsigned n) {
      expect(sn <= kSnMask && n > 0 && n <= kSnMask, "runs of missing PDUs are runs of SNs");
    });
  }
  ResetPdu reset;
  std::array<std::byte, 8> again{};
  if (!parse_reset(pdu, reset)) return;
  write_reset(again, reset);
  ResetPdu read{};
  expect(parse_reset(again, read) && read == reset, "a RESET reads back as it was written");
}

AmConfig config_of(Input& input) {
  const unsigned how = input.byte();
  AmConfig c;
  c.pdu_size = how & 1 ? 8 + input.byte() : 42;
  c.tx_window = how & 2 ? 1 + input.byte() : 64;
  c.rx_window = how & 2 ? 1 + input.byte() : 64;
  c.sdus = 16;
  c.max_dat = 2 + (how >> 2 & 3);
  c.discard = how & 0x10 ? AmGiveUp::reset : AmGiveUp::mrw;
  c.status_sufi = how & 0x20 ? AmStatusSufi::rlist : AmStatusSufi::list;
  c.he_ends_sdu = (how & 0x40) != 0;
  c.piggyback = (how & 0x80) != 0;
  c.nack_hold = {};
  c.repeat_unreported = how & 4 ? ms(40) : Duration{};
  return c;
}

class Session {
 public:
  explicit Session(Input& input) : input_(input), config_(config_of(input)), entity_(config_, host_, now_) {}

  void step() {
    const unsigned what = input_.byte();
    switch (what & 7) {
      case 0:
        host_.offer(1 + input_.word() % 1500);
        break;
      case 1:
      case 2:
        send(1 + (what >> 3));
        break;
      case 3:
        receive(input_.take(input_.byte()));
        break;
      case 4:
        status(what);
        break;
      case 5:
        data(what);
        break;
      case 6:
        now_ += Duration{std::int64_t{1'000'000} << (what >> 3) % 12};
        break;
      case 7:
        if (what >> 3 == 31) entity_.reestablish(now_);
        break;
    }
    if (host_.failed) {
      host_.failed = false;
      entity_.reestablish(now_);
    }
    check();
  }

 private:
  void send(unsigned most) {
    std::vector<std::byte> pdus(most * config_.pdu_size);
    std::vector<std::uint32_t> first(most);
    const unsigned n = entity_.build(most, now_, pdus.data(), first.data());
    expect(n <= most, "no more PDUs are built than were asked for");
    for (unsigned i = 0; i < n; ++i) {
      const Bytes pdu = Bytes(pdus).subspan(i * config_.pdu_size, config_.pdu_size);
      AmdPdu amd;
      const bool good = pdu_type(pdu) != PduType::amd || parse_amd(pdu, li_size_for(config_.pdu_size), amd);
      expect(good && pdu_type(pdu) != PduType::unknown, "what is built can be read");
    }
  }
  // Takes the size of a PDU in octets from `bytes`, or fills it up with zeros.
  void receive(Bytes bytes) {
    std::vector<std::byte> pdu(bytes.begin(), bytes.end());
    pdu.resize(config_.pdu_size);
    check_codec(pdu);
    entity_.receive(pdu, input_.byte(), now_);
  }
  Sn near(AmCount count) { return sn_of(count + input_.byte() - 8); }
  void status(unsigned what) {
    std::vector<std::byte> pdu(config_.pdu_size);
    StatusWriter out(pdu);
    const AmSender& sender = entity_.sender();
    if (what & 8) out.window(static_cast<Sn>(input_.byte()));
    if (what & 0x10) {
      const std::array<ListItem, 2> items{
          ListItem{near(sender.vt_a()), static_cast<std::uint8_t>(input_.byte() & 15)},
          ListItem{near(sender.vt_s()), 0}};
      out.list(items);
    }
    if (what & 0x20) out.mrw_ack(input_.byte() & 15, near(sender.vt_a()));
    if (what & 0x40) {
      const std::array<std::uint8_t, 3> octets{static_cast<std::uint8_t>(input_.byte()),
                                               static_cast<std::uint8_t>(input_.byte()), 0};
      out.bitmap(near(sender.vt_a()), octets);
    }
    if (what & 0x80) out.ack(near(sender.vt_s()));
    out.finish();
    entity_.receive(pdu, 0, now_);
  }
  // One to four AMD PDUs that arrive together, the first at or near the receiver's window.
  void data(unsigned what) {
    const unsigned n = 1 + (what >> 6);
    const std::size_t size = config_.pdu_size;
    std::vector<std::byte> pdus(n * size);
    std::array<std::uint32_t, 4> first_sdus{};
    const Sn first = near(entity_.receiver().vr_r() + 8);
    for (unsigned i = 0; i < n; ++i) {
      const Bytes body = input_.take(size - kAmdHeader);
      std::byte* const pdu = pdus.data() + i * size;
      std::copy(body.begin(), body.end(), pdu + kAmdHeader);
      // Each may have another header than the first, not the next SN, or another type.
      const unsigned odd = input_.byte();
      const He he = static_cast<He>((odd & 0x80 ? odd : what) >> 4 & 3);
      write_amd_octets(pdu, sn_of(first + i + (odd & 0x40 ? odd & 3 : 0)), (what & 8) != 0, he);
      if ((odd & 0x3c) == 0x3c) pdu[0] &= std::byte{0x7f};
      check_codec({pdu, size});
      first_sdus[i] = input_.byte();
    }
    entity_.receive(n, pdus.data(), first_sdus.data(), now_);
  }
  void check() {
    expect(host_.settled() + entity_.in_transmission() == host_.started(),
           "SDUs are acknowledged, discarded or in transmission");
    const AmSender& sender = entity_.sender();
    const AmReceiver& receiver = entity_.receiver();
    expect(sender.vt_s() - sender.vt_a() <= config_.tx_window + 1, "the sender keeps to its window");
    expect(receiver.vr_h() - receiver.vr_r() <= config_.rx_window, "the receiver keeps to its window");
  }

  Input& input_;
  const AmConfig config_;
  Time now_{};
  Host host_;
  AmEntity entity_;
};

}  // namespace
}  // namespace dp::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dp::test;
  Input input(data, size);
  check_codec(std::as_bytes(std::span(data, size)));
  Session session(input);
  while (!input.empty()) session.step();
  return 0;
}

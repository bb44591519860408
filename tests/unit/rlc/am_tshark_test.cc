// RLC AM before an outside judge: tshark must read every PDU as we meant it, and put the same IP packets
// together.
#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "tests/support/am_pair.h"
#include "tests/support/rlc_fields.h"
#include "tests/support/rlc_pcap.h"
#include "tests/support/tshark.h"

namespace dp::test {
namespace {

struct OnAir {
  Buffer pdu;
  bool downlink;
};

// tshark reads each PDU as we do, and complains of none.
void expect_same_fields(const std::vector<OnAir>& air, const char* name) {
  RlcPcap pcap(std::string("rlc_") + name, 6);
  for (const auto& [pdu, downlink] : air) {
    pcap.add(pdu, {downlink, 1, li_size_for(pdu.size()) == LiSize::bits15});
  }
  pcap.close();
  std::vector<std::string> fields = kFields;
  fields.insert(fields.end(), kComplaints.begin(), kComplaints.end());
  const auto rows = tshark(pcap.path(), fields, "-o rlc.perform_reassembly:FALSE");
  ASSERT_EQ(rows.size(), air.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto expected = Fields(air[i].pdu).row();
    expected.resize(fields.size());
    ASSERT_EQ(rows[i], expected) << "frame " << i + 1 << ": " << hex(air[i].pdu);
  }
}

// A TCP segment of this length in bytes, with random payload.
Buffer ip_packet(std::mt19937& random, std::size_t bytes, std::uint32_t number) {
  FrameSpec spec{.ident = number & 0xffff, .seq = number * 1460, .payload = bytes - 40};
  Buffer packet = frame(spec);
  packet.erase(packet.begin(), packet.begin() + 14);
  for (std::size_t i = 40; i < packet.size(); ++i) packet[i] = static_cast<std::byte>(random());
  store16(packet.data() + 36, 0);
  InternetSum sum;
  sum.add({packet.data() + 12, 8}).add16(6).add32(static_cast<std::uint32_t>(bytes - 20));
  store16(packet.data() + 36, sum.add({packet.data() + 20, bytes - 20}).checksum());
  return packet;
}

// Random traffic both ways over a bad air; every PDU sent, lost or not.
std::vector<OnAir> traffic(const AmConfig& config, double loss, unsigned ttis, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto chance = [&](double p) { return std::bernoulli_distribution(p)(random); };
  AmPair pair(config);
  std::vector<OnAir> air;
  std::array<bool, 2> bad{};
  for (PairEnd& end : pair.ends) end.lossy_resets = true;
  pair.lose = [&](int from, const Buffer& pdu) {
    air.push_back({pdu, from == 0});
    return bad[static_cast<std::size_t>(from)] != chance(0.02);
  };
  for (unsigned tti = 0; tti < ttis; ++tti) {
    for (bool& b : bad) b = chance(b ? 0.6 : loss);
    if (pair.ends[0].queue.size() < 3) pair.ends[0].offer(ip_packet(random, 40 + random() % 1461, tti));
    if (chance(0.3)) pair.ends[1].offer(ip_packet(random, 40 + random() % 20, tti));
    pair.tick();
  }
  return air;
}

bool any_sufi(const std::vector<OnAir>& air, SufiType type) {
  for (const auto& on_air : air) {
    if (pdu_type(on_air.pdu) != PduType::status) continue;
    Sufi sufi{};
    for (StatusReader in(on_air.pdu); in.next(sufi) == StatusReader::Next::sufi;) {
      if (sufi.type == type) return true;
    }
  }
  return false;
}

bool any_pdu(const std::vector<OnAir>& air, PduType type) {
  for (const auto& on_air : air) {
    if (pdu_type(on_air.pdu) == type) return true;
  }
  return false;
}

TEST(AmTshark, ReadsTheTrafficOfThePapersSettings) {
  const auto air = traffic(AmConfig{}, 0.1, 500, 1);
  EXPECT_TRUE(any_sufi(air, SufiType::list));
  expect_same_fields(air, "papers");
}

TEST(AmTshark, ReadsDiscardsBitmapsAndRlists) {
  AmConfig config;
  config.max_dat = 3;
  config.status_sufi = AmStatusSufi::rlist;
  config.he_ends_sdu = true;
  std::vector<OnAir> air = traffic(config, 0.3, 400, 2);
  config.status_sufi = AmStatusSufi::list;
  config.timer_status_prohibit = ms(300);
  for (OnAir& on_air : traffic(config, 0.4, 300, 3)) air.push_back(std::move(on_air));
  for (const SufiType type : {SufiType::rlist, SufiType::bitmap, SufiType::mrw, SufiType::mrw_ack}) {
    EXPECT_TRUE(any_sufi(air, type)) << static_cast<unsigned>(type);
  }
  expect_same_fields(air, "sufis");
}

TEST(AmTshark, ReadsResets) {
  AmConfig config;
  config.max_dat = 3;
  config.discard = AmGiveUp::reset;
  const auto air = traffic(config, 0.3, 300, 4);
  EXPECT_TRUE(any_pdu(air, PduType::reset));
  EXPECT_TRUE(any_pdu(air, PduType::reset_ack));
  expect_same_fields(air, "resets");
}

TEST(AmTshark, ReadsFifteenBitLis) {
  AmConfig config;
  config.pdu_size = 200;
  expect_same_fields(traffic(config, 0.1, 300, 5), "li15");
}

TEST(AmTshark, ReadsTheStatusThatEntitiesPiggyback) {
  for (const std::uint32_t size : {42u, 200u}) {
    AmConfig config;
    config.piggyback = true;
    config.pdu_size = size;
    const auto air = traffic(config, 0.1, 600, 7);
    const auto li = li_size_for(size);
    const auto carries = [&](const OnAir& on_air) {
      AmdPdu amd;
      return parse_amd(on_air.pdu, li, amd) && !amd.status.empty();
    };
    EXPECT_GT(std::count_if(air.begin(), air.end(), carries), 5) << size;
    expect_same_fields(air, size == 42 ? "piggybacked7" : "piggybacked15");
  }
}

TEST(AmTshark, ReadsWindowAndPiggybackedStatus) {
  std::vector<OnAir> air;
  Buffer pdu(42);
  StatusWriter window(pdu);
  window.window(512);
  window.finish();
  air.push_back({pdu, true});
  Buffer amd(42, std::byte{0x55});
  const std::array<std::uint16_t, 2> lis{10, 0x7e};
  write_amd_header(amd.data(), 9, true, LiSize::bits7, lis);
  StatusWriter status(std::span<std::byte>(amd).subspan(14));
  const ListItem item{4, 1};
  status.list({&item, 1});
  status.ack(8);
  status.finish();
  air.push_back({amd, true});
  expect_same_fields(air, "piggyback");
}

void split(const std::string& joined, std::vector<std::string>& into) {
  std::istringstream in(joined);
  for (std::string value; std::getline(in, value, ';');) into.push_back(value);
}

// tshark loses the SDU that spans the last and the first SN: so none does.
void offer_up_to_the_wrap(PairEnd& end, std::mt19937& random, std::uint32_t& number) {
  if (!end.queue.empty()) return;
  const AmCount left = kSnMask + 1 - (end.entity.sender().vt_s() & kSnMask);
  if (left > 120) {
    for (int i = 0; i < 3; ++i) end.offer(ip_packet(random, 40 + random() % 1461, number++));
  } else if (end.entity.in_transmission() == 0 && left >= 2) {
    const std::size_t pdus = left > 37 ? 20 : left;
    end.offer(ip_packet(random, 40 * (pdus - 1) + 20, number++));
  }
}

// Downloads over a bad air until SNs have wrapped twice; answers the PDUs as the receiver takes them, each
// once.
std::map<AmCount, Buffer> download(AmPair& pair) {
  std::mt19937 random(6);
  std::uint32_t number = 0;
  std::map<AmCount, Buffer> arrived;
  std::array<bool, 2> bad{};
  pair.lose = [&](int from, const Buffer&) { return bad[static_cast<std::size_t>(from)]; };
  pair.on_arrival = [&](int to, const Buffer& pdu) {
    AmdPdu amd;
    if (to == 0 || !parse_amd(pdu, LiSize::bits7, amd)) return;
    const AmCount vr_r = pair.ends[1].entity.receiver().vr_r();
    if (sn_ahead(vr_r, amd.sn) < pair.config.rx_window) arrived.try_emplace(count_from(vr_r, amd.sn), pdu);
  };
  while (pair.ends[0].entity.sender().vt_a() < 9000) {
    for (bool& b : bad) b = std::bernoulli_distribution(b ? 0.6 : 0.1)(random);
    offer_up_to_the_wrap(pair.ends[0], random, number);
    pair.tick();
  }
  bad = {};
  EXPECT_TRUE(pair.drain(1000));
  return arrived;
}

TEST(AmTshark, PutsTheSameIpPacketsTogetherOverTheWrapOfSequenceNumbers) {
  AmPair pair(AmConfig{});
  const auto arrived = download(pair);
  RlcPcap pcap("rlc_sequence", 1);
  for (const auto& [count, pdu] : arrived) pcap.add(pdu, {true, 1 + hfn_of(count), false});
  pcap.close();
  const auto rows =
      tshark(pcap.path(), {"tcp.seq_raw", "tcp.payload", "tcp.checksum.status", "_ws.malformed"},
             "-o tcp.check_checksum:TRUE -o tcp.reassemble_out_of_order:FALSE");
  ASSERT_EQ(rows.size(), arrived.size());
  std::vector<std::string> seqs, payloads, expected_seqs, expected_payloads;
  for (const auto& row : rows) {
    EXPECT_EQ(row[3], "");
    split(row[0], seqs);
    split(row[1], payloads);
    EXPECT_EQ(row[2].find_first_not_of("1;"), std::string::npos) << "a checksum that is not good: " << row[2];
  }
  for (const auto& sent : pair.ends[0].sent) {
    expected_seqs.push_back(std::to_string(load32(sent.bytes.data() + 24)));
    if (sent.bytes.size() > 40) expected_payloads.push_back(hex(Bytes(sent.bytes).subspan(40)));
  }
  EXPECT_GT(expected_seqs.size(), 400u);
  EXPECT_EQ(seqs, expected_seqs);
  EXPECT_EQ(payloads, expected_payloads);
}

}  // namespace
}  // namespace dp::test

#include "control/capture/rlc_datagram.h"

#include <array>

#include "dataplane/packet/checksum.h"
#include "dataplane/packet/ethernet.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/udp.h"

namespace control {
namespace {

// From rncd to the UE; TEST-NET-1 (RFC 5737), for no packet has had these addresses.
constexpr std::uint32_t kRncd = 0xc0000201, kUe = 0xc0000202;
constexpr std::uint16_t kPort = 4711;
constexpr std::size_t kLongShortIndicators = 126;  // TS 25.322 clause 9.2.2.8

// Tags of the framing.
enum Tag : char {
  kPayload = 1,
  kChannel = 2,
  kMode = 3,
  kDirection = 4,
  kUrnti = 5,
  kRadioBearer = 6,
  kIndicators = 7,
};

void put16(std::string& out, std::uint32_t value) {
  out += static_cast<char>(value >> 8);
  out += static_cast<char>(value);
}

void put32(std::string& out, std::uint32_t value) {
  put16(out, value >> 16);
  put16(out, value);
}

std::string framed(const dp::TapRecord& record, dp::Bytes pdu) {
  std::string out = "umts-rlc";
  const auto tag = [&out](Tag name, char value) { out.append({static_cast<char>(name), value}); };
  tag(kChannel, 4);  // PS DTCH, whose SDUs are IP packets
  tag(kMode, 2);     // AM
  tag(kDirection, record.direction == dp::Direction::downlink ? 1 : 0);
  out += static_cast<char>(kUrnti);
  put32(out, 1);
  tag(kRadioBearer, 5);
  tag(kIndicators, record.length > kLongShortIndicators ? 2 : 1);
  out += static_cast<char>(kPayload);
  return out.append(reinterpret_cast<const char*>(pdu.data()), pdu.size());
}

}  // namespace

std::string rlc_datagram(const dp::TapRecord& record, dp::Bytes pdu) {
  const std::string payload = framed(record, pdu);
  const bool down = record.direction == dp::Direction::downlink;
  const std::size_t udp =
      dp::UdpView::kSize + payload.size() + (record.length - pdu.size());  // had it all been captured
  std::string out(12, '\0');                                               // no Ethernet addresses
  put16(out, dp::ethertype::kIpv4);
  const std::size_t ip = out.size();
  put16(out, 0x4500);
  put16(out, static_cast<std::uint32_t>(dp::Ipv4View::kMinSize + udp));
  put32(out, 0);
  put16(out, 0x4000u | dp::ip_protocol::kUdp);  // 64 hops
  put16(out, 0);
  put32(out, down ? kRncd : kUe);
  put32(out, down ? kUe : kRncd);
  auto* const header = reinterpret_cast<std::byte*>(out.data() + ip);
  dp::store16(header + 10, dp::internet_checksum({header, dp::Ipv4View::kMinSize}));
  put16(out, kPort);
  put16(out, kPort);
  put16(out, static_cast<std::uint32_t>(udp));
  put16(out, 0);
  return out + payload;
}

}  // namespace control

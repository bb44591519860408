// A frame between tunnel endpoints as tshark reads it, and the verdict that follows.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/peel.h"

namespace dp::test {

using Words = std::vector<std::string>;

inline Words split(const std::string& text, char at) {
  Words words(1);
  for (const char c : text) {
    if (c == at) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// A frame as tshark reads it. Fields that occur in several packets come outermost first.
class Read {
 public:
  static Words fields() {
    return {"frame.protocols",
            "_ws.expert.message",
            "_ws.malformed",
            "ip.src",
            "ip.dst",
            "ipv6.src",
            "ipv6.dst",
            "ip.flags.mf",
            "ip.frag_offset",
            "udp.dstport",
            "udp.length",
            "gtp.flags",
            "gtp.message",
            "gtp.length",
            "gtp.teid",
            "gtp.ext_hdr.pdu_ses_con.qos_flow_id",
            "gtp.ext_hdr.length",
            "udp.checksum.status",
            "ip.checksum.status",
            "tcp.checksum.status"};
  }
  explicit Read(const Words& row) {
    const Words names = fields();
    for (std::size_t i = 0; i < names.size(); ++i) values_[names[i]] = i < row.size() ? row[i] : "";
    protocols_ = ":" + of("frame.protocols") + ":";
    // The extension header NR RAN container is a protocol of its own there.
    if (const auto at = protocols_.find(":nrup:"); at != protocols_.npos) protocols_.erase(at, 5);
  }

  const std::string& of(const std::string& field) const { return values_.at(field); }
  std::string first(const std::string& field) const { return split(of(field), ';').front(); }
  bool outer_ipv6() const { return protocols_.find(":ipv6:") < protocols_.find(":ip:"); }
  std::string outer(const char* end) const {
    return first(std::string(outer_ipv6() ? "ipv6." : "ip.") + end);
  }
  // An address of the packet within the tunnel.
  std::string inner(const char* end) const {
    const bool ipv6 = contains(protocols_, ":gtp:ipv6:");
    const Words all = split(of(std::string(ipv6 ? "ipv6." : "ip.") + end), ';');
    const std::size_t at = ipv6 == outer_ipv6() ? 1 : 0;
    return at < all.size() ? all[at] : "";
  }

  enum class Peers { of_tests, all };  // tunnels_of_tests(), or every address

  // None if tshark takes it for no GTP-U. With `observe` a sequence number is a reason of its own.
  std::optional<GtpUVerdict> verdict(bool observe, Peers peers = Peers::of_tests) const {
    using enum GtpUVerdict;
    if (peers == Peers::of_tests ? !between_peers() : !is_ip()) return bare;
    const std::string port = first("udp.dstport");
    if (!port.empty() && (port != "2152" || is_quoted())) return bare;
    if (is_fragment()) return fragment;
    if (port.empty()) return bare;
    if (contains(protocols_, ":gtpv2:")) return version;
    if (!contains(protocols_, ":gtp:")) return std::nullopt;
    const std::string flags = first("gtp.flags");
    if (flags.size() != 4 || flags[2] != '3') return version;
    if (is_too_long()) return length;
    if (first("gtp.message") != "0xff") return message;
    if (contains(of("_ws.expert.message"), "Extension header length is zero") ||
        contains(of("_ws.malformed"), "[Malformed Packet: GTP]"))
      return chain;
    if (observe && (std::stoi(flags, nullptr, 16) & GtpUView::kSequence) != 0) return sequence;
    return verdict_of_packet();
  }

 private:
  bool between_peers() const {
    const auto peer = [](const std::string& address) {
      return address.starts_with("192.0.2.") || address.starts_with("2001:db8:1:");
    };
    return peer(outer("src")) && peer(outer("dst"));
  }
  bool is_ip() const { return contains(protocols_, ":ip:") || contains(protocols_, ":ipv6:"); }
  // An ICMP error has the datagram that it is about.
  bool is_quoted() const { return protocols_.find(":icmp") < protocols_.find(":udp:"); }
  bool is_fragment() const {
    if (outer_ipv6()) return contains(protocols_, ":ipv6.fraghdr:");
    return first("ip.flags.mf") == "1" || first("ip.frag_offset") != "0";
  }
  // A length that exceeds what is around it.
  bool is_too_long() const {
    if (of("gtp.teid").empty() || contains(of("_ws.expert.message"), "Bad length value")) return true;
    return std::stoul(first("gtp.length")) + 16 > std::stoul(first("udp.length"));
  }
  GtpUVerdict verdict_of_packet() const {
    const bool ip = contains(protocols_, ":gtp:ip:") || contains(protocols_, ":gtp:ipv6:");
    const bool damaged = contains(of("_ws.expert.message"), "exceeds") ||
                         contains(of("_ws.expert.message"), "Bogus") ||
                         contains(of("_ws.malformed"), "[Malformed Packet: IPv");
    if (ip) return damaged ? GtpUVerdict::inner : GtpUVerdict::peeled;
    return carried_octets() == 0 ? GtpUVerdict::inner : GtpUVerdict::not_ip;
  }
  // Those of the message behind its headers.
  long carried_octets() const {
    long octets = std::stol(first("gtp.length"));
    if ((std::stoi(first("gtp.flags"), nullptr, 16) & 7) != 0) octets -= long{GtpUView::kOptionalSize};
    for (const std::string& length : split(of("gtp.ext_hdr.length"), ';'))
      octets -= length.empty() ? 0 : 4 * std::stol(length);
    return octets;
  }

  std::map<std::string, std::string> values_;
  std::string protocols_;
};

}  // namespace dp::test

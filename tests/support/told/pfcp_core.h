// The two ends of PFCP, as a mirror between them sees it: establishments with one QER for the session, the
// changes that cores make, and their responses. Sent to a source at times that the test says.
#pragma once
#include <cstdint>
#include <optional>

#include "control/told/source.h"
#include "tests/support/told/pfcp_messages.h"

namespace control::test {

inline constexpr std::uint32_t kSmf = 0xc0000201, kUpf = 0xc0000202, kGnb = 0xc0000203;
inline const told::Endpoint kSmfEnd{0, kSmf, 8805, false}, kUpfEnd{0, kUpf, 8805, false};

inline dp::Time at_ms(std::int64_t ms) { return dp::time_ns(ms * 1'000'000); }

inline Octets uplink_pdr(std::optional<std::uint32_t> teid) {
  const Octets end = teid ? f_teid(*teid, kUpf) : f_teid_choose();
  return ie(1, {pdr_id(1), precedence(255), ie(2, {source_interface(0), end}), far_id(1), qer_id(0)});
}
inline Octets downlink_pdr(std::uint32_t ue) {
  return ie(1, {pdr_id(2), precedence(255), ie(2, {source_interface(1), ue_ipv4(ue)}), far_id(2), qer_id(0)});
}
inline Octets session_qer(std::uint64_t uplink, std::uint64_t downlink) {
  return ie(7, {qer_id(0), gate_status(0, 0), mbr(uplink, downlink), qfi(1)});
}
inline Octets session_fars() {
  const Octets to_core = ie(3, {far_id(1), apply_action(2), ie(4, destination_interface(1))});
  return joined({to_core, ie(3, {far_id(2), apply_action(1)})});
}
// The IEs of an establishment; the UP function chooses the F-TEID without `teid`.
inline Octets establishment(std::uint64_t cp_seid, std::uint32_t ue, std::uint64_t kbit_per_s,
                            std::optional<std::uint32_t> teid = 0x11) {
  return joined({node_id(kSmf), f_seid(cp_seid, kSmf), uplink_pdr(teid), downlink_pdr(ue), session_fars(),
                 session_qer(kbit_per_s, kbit_per_s)});
}
inline Octets accepted_with(std::uint64_t up_seid) { return joined({cause(1), f_seid(up_seid, kUpf)}); }
inline Octets new_rate(std::uint64_t kbit_per_s) { return ie(14, {qer_id(0), mbr(kbit_per_s, kbit_per_s)}); }
inline Octets new_tunnel(std::uint32_t teid) {
  return ie(10, {far_id(2), apply_action(2), ie(11, {destination_interface(0), outer_header(teid, kGnb)})});
}

class PfcpWire {
 public:
  explicit PfcpWire(told::Source& source) : source_(source) {}

  void to_upf(std::int64_t ms, const Octets& payload) { send(ms, kSmfEnd, kUpfEnd, payload); }
  void to_smf(std::int64_t ms, const Octets& payload) { send(ms, kUpfEnd, kSmfEnd, payload); }
  void send(std::int64_t ms, const told::Endpoint& from, const told::Endpoint& to, const Octets& payload) {
    source_.take({at_ms(ms), from, to, payload});
  }

  // A request with its response a millisecond later.
  void establish(std::int64_t ms, std::uint32_t sequence, std::uint64_t seid, std::uint32_t ue,
                 std::uint64_t kbit_per_s) {
    to_upf(ms, message(50, 0, sequence, establishment(seid, ue, kbit_per_s)));
    to_smf(ms + 1, message(51, seid, sequence, accepted_with(up_of(seid))));
  }
  void modify(std::int64_t ms, std::uint32_t sequence, std::uint64_t seid, const Octets& ies) {
    to_upf(ms, message(52, up_of(seid), sequence, ies));
    to_smf(ms + 1, message(53, seid, sequence, cause(1)));
  }
  void erase(std::int64_t ms, std::uint32_t sequence, std::uint64_t seid) {
    to_upf(ms, message(54, up_of(seid), sequence, {}));
    to_smf(ms + 1, message(55, seid, sequence, cause(1)));
  }
  void associate(std::int64_t ms, std::uint32_t sequence, std::uint32_t smf_since, std::uint32_t upf_since) {
    to_upf(ms, message(5, {}, sequence, joined({node_id(kSmf), recovery(smf_since)})));
    to_smf(ms + 1, message(6, {}, sequence, joined({node_id(kUpf), cause(1), recovery(upf_since)})));
  }

  static std::uint64_t up_of(std::uint64_t cp_seid) { return cp_seid + 0x1000; }

 private:
  told::Source& source_;
};

}  // namespace control::test

// Rules by which a NIC spreads frames in GTP-U tunnels over its queues by the address of the UE within, where
// its driver can (rte_flow): otherwise all tunnels of one end come by one queue. The hash is the driver's
// own, so that frames reach some worker, and are handed to their UE's. For frames without VLAN tags.
// Tests: tests/unit/dpdk/tunnel_rss_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <rte_flow.h>

#include "dataplane/base/ids.h"

namespace dp::dpdk {

// The headers in front of a user's packet, for each of which a NIC needs a rule.
struct TunnelForm {
  bool outer_ipv6;
  bool session;  // with a PDU session container (5G)
  bool inner_ipv6;
};
inline constexpr std::size_t kTunnelForms = 8;
constexpr TunnelForm tunnel_form(std::size_t i) { return {(i & 1) != 0, (i & 2) != 0, (i & 4) != 0}; }

// The item types of a form's pattern, from Ethernet to the end.
std::array<rte_flow_item, 8> tunnel_pattern(const TunnelForm& form);
// The hash over the UE's address: the destination on the core side, the source on the radio side. `inner`:
// for drivers that count encapsulations; then `queues` are named, otherwise the redirection table stays.
rte_flow_action_rss tunnel_hash(const TunnelForm& form, Side side, bool inner,
                                std::span<const std::uint16_t> queues);

// Asks the device, which runs, for a rule for each form. Returns the number of forms that it has taken.
std::size_t spread_tunnels(std::uint16_t device, Side side, std::uint16_t queues);

// "tunnels spread by the UE within", or what the driver cannot.
std::string text_of_tunnels(std::size_t forms);

}  // namespace dp::dpdk

// VLAN tags that the kernel keeps beside a frame instead of within it. An AF_XDP socket does not receive
// them: a driver removes them from frames that it receives (rxvlan), and the far end of a veth pair leaves
// them out of frames that it sends (txvlan). From Linux 6.8 on the wire's XDP program reads the tags and puts
// them back, if the driver supports it.
// Tests: tests/unit/control/host/preflight_vlan_test.cc, tests/system/test_vlan_tags.py
#pragma once
#include <string>

namespace dp::xdp {

// True if the driver of the interface gives an XDP program the VLAN tag of a frame.
bool gives_vlan_tags(unsigned interface);

// Arguments of `ethtool -K INTERFACE` that switch off the enabled features which keep VLAN tags beside the
// frames that the interface receives, or sends: "rxvlan off". Empty if there are none.
std::string rx_vlan_off(const std::string& interface);
std::string tx_vlan_off(const std::string& interface);

}  // namespace dp::xdp

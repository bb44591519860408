// VLAN tags that the kernel keeps beside a frame instead of within it. An AF_XDP socket does not get them: a
// driver takes them out of what it receives (rxvlan), and the far end of a veth pair leaves them out of what
// it sends (txvlan). From Linux 6.8 on the wire's XDP program reads them and puts them back, where the driver
// supports it.
#pragma once
#include <string>

namespace dp::xdp {

// True if the driver of the interface gives an XDP program the VLAN tag of a frame.
bool gives_vlan_tags(unsigned interface);

// Arguments of `ethtool -K INTERFACE` that switch off the features that are on and keep VLAN tags beside the
// frames that the interface receives, or sends: "rxvlan off". Empty if there are none.
std::string rx_vlan_off(const std::string& interface);
std::string tx_vlan_off(const std::string& interface);

}  // namespace dp::xdp

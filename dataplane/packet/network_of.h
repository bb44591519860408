// The network of a frame is that of its outermost tag (IEEE 802.1Q clause 9, 802.1ad); further tags are
// ignored. A frame without a tag, with a priority tag (id 0), or in an unbound VLAN has no network.
#pragma once
#include <cstddef>

#include "dataplane/base/network_map.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/ethernet.h"

namespace dp {

// `link_header`: the frame's first bytes. `map`: null without networks.
inline NetworkId network_of(Bytes link_header, const NetworkMap* map) noexcept {
  constexpr std::size_t kTagged = EthernetView::kSize + VlanView::kSize;
  if (map == nullptr || link_header.size() < kTagged) return kNoNetwork;
  if (!is_vlan(EthernetView{link_header.data()}.type())) return kNoNetwork;
  return (*map)[VlanView{link_header.data() + EthernetView::kSize}.id()];
}

}  // namespace dp

// The networks that VLAN ids are bound to.
#pragma once
#include <array>

#include "dataplane/base/ids.h"

namespace dp {

// By VLAN id. Immutable once sent to a worker. Requires: ids 0 and 4095, which are no VLANs, have none.
using NetworkMap = std::array<NetworkId, 4096>;

}  // namespace dp

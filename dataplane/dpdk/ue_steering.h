// Settings by which a NIC that spreads frames over queues by RSS gives each UE's frames to the worker that
// has the UE: a hash key that keeps only the UE's address, and a table from the hash to that worker's queue.
// An optimisation: the workers hand over frames that the NIC gives to another (dataplane/mesh). Plain: no
// rte_ names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/base/ids.h"
#include "dataplane/mesh/queue_map.h"

namespace dp::dpdk {

// The minimum that a NIC must have: entries of its redirection table, bytes of its key.
inline constexpr std::size_t kLeastTable = 128;
inline constexpr std::size_t kLeastKey = 16;

// A key of the Toeplitz hash (Microsoft, "RSS Hashing Functions") over IPv4 addresses, source first, with or
// without ports behind them. The hash's lowest seven bits are owner_slot() of the UE's address with its bits
// reversed: of the destination on the core side, of the source on the radio side. `bytes`: the length of the
// NIC's key. Requires: kLeastKey or more.
std::vector<std::uint8_t> ue_hash_key(Side side, std::size_t bytes);

// The queue for each entry of the redirection table under such a key; the hash's lowest bits choose the
// entry. Requires: a power of two of entries, kLeastTable or more.
std::vector<std::uint16_t> ue_queue_table(Side side, const QueueMap& map, std::size_t entries);

}  // namespace dp::dpdk

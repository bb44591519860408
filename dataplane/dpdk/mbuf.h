// Conversion between an mbuf and its Sdu, by address alone: the Sdu is the mbuf's private area, right behind
// the mbuf.
// Tests: tests/system/dpdk_pool_test.cc
#pragma once
#include <rte_mbuf.h>

#include "dataplane/packet/sdu.h"

namespace dp::dpdk {

static_assert(sizeof(rte_mbuf) % alignof(Sdu) == 0, "the private area would not be aligned for an Sdu");
static_assert(sizeof(rte_mbuf) == kBytesBeforeSdu, "prefetch_to_send() would fetch something else");

inline Sdu& sdu_of(rte_mbuf& mbuf) noexcept { return *reinterpret_cast<Sdu*>(&mbuf + 1); }
inline rte_mbuf& mbuf_of(Sdu& sdu) noexcept { return *(reinterpret_cast<rte_mbuf*>(&sdu) - 1); }
inline const rte_mbuf& mbuf_of(const Sdu& sdu) noexcept {
  return *(reinterpret_cast<const rte_mbuf*>(&sdu) - 1);
}

}  // namespace dp::dpdk

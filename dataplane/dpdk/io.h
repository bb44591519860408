// The worker's hands on two DPDK ports (PacketIo, worker/io.h). Used by one thread; the counters are read by
// any.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include "dataplane/base/counter.h"
#include "dataplane/base/ids.h"
#include "dataplane/dpdk/mbuf.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/sdu_list.h"
#include "dataplane/worker/io.h"

namespace dp::dpdk {

struct IoPort {
  std::uint16_t id = 0;
  std::uint32_t max_frame = 0;  // longer ones a driver would cut, lose or refuse for ever
  bool chains = false;          // sends frames of several mbufs
};

class DpdkIo {
 public:
  explicit DpdkIo(const std::array<IoPort, 2>& ports) : ports_(ports) {}

  // Until then nothing is received, so that no frame overtakes the bearers of the configuration. Any thread.
  void open() noexcept { open_.store(true, std::memory_order_relaxed); }

  void receive(Side side, Burst& burst, Time now) noexcept {
    if (!open_.load(std::memory_order_relaxed)) return;
    std::array<rte_mbuf*, kBurst> mbufs;
    const std::size_t count = rte_eth_rx_burst(ports_[index(side)].id, 0, mbufs.data(), kBurst);
    for (std::size_t i = 0; i < std::min(count, kAhead); ++i) rte_prefetch0(&sdu_of(*mbufs[i]));
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) rte_prefetch0(&sdu_of(*mbufs[i + kAhead]));
      rte_mbuf& mbuf = *mbufs[i];
      Sdu& sdu = sdu_of(mbuf);
      sdu.next = nullptr;
      sdu.data = rte_pktmbuf_mtod(&mbuf, std::byte*);
      rte_prefetch0(sdu.data);
      sdu.bearer = nullptr;
      sdu.arrival = now;
      sdu.frame_len = mbuf.pkt_len;
      sdu.head_len = mbuf.data_len;
      sdu.segments = mbuf.nb_segs;
      sdu.ingress = side;
      burst.push(sdu);
    }
  }

  std::size_t transmit(Side side, std::span<Sdu* const> frames) noexcept {
    const IoPort& port = ports_[index(side)];
    std::size_t taken = 0;
    while (taken < frames.size()) {
      std::array<rte_mbuf*, kBurst> mbufs;
      std::size_t count = 0;
      while (count < kBurst && taken + count < frames.size() && fits(*frames[taken + count], port)) {
        mbufs[count] = &mbuf_of(*frames[taken + count]);
        ++count;
      }
      if (count == 0) {
        rte_pktmbuf_free(&mbuf_of(*frames[taken++]));
        too_long_[index(side)].add(1);
        continue;
      }
      const std::size_t sent = rte_eth_tx_burst(port.id, 0, mbufs.data(), static_cast<std::uint16_t>(count));
      taken += sent;
      if (sent < count) break;
    }
    return taken;
  }

  void release(SduList& list) noexcept {
    std::array<rte_mbuf*, kBurst> mbufs;
    while (!list.empty()) {
      unsigned count = 0;
      while (count < kBurst && !list.empty()) mbufs[count++] = &mbuf_of(list.pop());
      rte_pktmbuf_free_bulk(mbufs.data(), count);
    }
  }

  // Frames that port `side` could not have sent whole; the worker counted them as sent.
  std::uint64_t too_long(Side side) const noexcept { return too_long_[index(side)].get(); }

 private:
  static constexpr std::size_t kAhead = 4;

  static bool fits(const Sdu& sdu, const IoPort& port) noexcept {
    return sdu.frame_len <= port.max_frame && (sdu.segments == 1 || port.chains);
  }

  std::array<IoPort, 2> ports_;
  std::atomic<bool> open_{false};  // written by control, read by the worker
  std::array<Counter, 2> too_long_;
};

static_assert(PacketIo<DpdkIo>);

}  // namespace dp::dpdk

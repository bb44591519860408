// The worker's access to two DPDK ports (PacketIo, worker/io.h). Used by one thread.
// Tests: tests/system/dpdk_pool_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include "dataplane/base/expect.h"
#include "dataplane/base/fetch.h"
#include "dataplane/base/ids.h"
#include "dataplane/dpdk/af_xdp/xdp_queue.h"
#include "dataplane/dpdk/mbuf.h"
#include "dataplane/dpdk/port_device.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/sdu_list.h"
#include "dataplane/worker/io.h"

namespace dp::dpdk {

class DpdkIo {
 public:
  // The queue of each port to use, by Side, and the pool of their frames; without a pool allocate() fails.
  explicit DpdkIo(const std::array<QueueHandle, 2>& queues, rte_mempool* pool = nullptr)
      : queues_(queues), pool_(pool) {}

  // Nothing is received before open(), so that no frame overtakes the bearers of the configuration, nor after
  // shut(). Any thread.
  void open() noexcept { open_.store(true, std::memory_order_relaxed); }
  void shut() noexcept { open_.store(false, std::memory_order_relaxed); }

  // In a tunnel a frame's headers reach into its second cache line, which is then fetched with the first.
  void expect_tunnels(bool expected) noexcept { second_ = expected ? kCacheLine : 0; }

  // Requires: the worker does not touch the port at present.
  void set_queue(Side side, QueueHandle queue) noexcept { queues_[index(side)] = queue; }

  void receive(Side side, Burst& burst, Time now) noexcept {
    if (!open_.load(std::memory_order_relaxed)) return;
    DP_EXPECT_HOT(burst.empty());
    std::array<rte_mbuf*, kBurst> mbufs;
    const QueueHandle at = queues_[index(side)];
    const std::size_t count = at.socket != nullptr
                                  ? at.socket->receive(mbufs)
                                  : rte_eth_rx_burst(at.device, at.queue, mbufs.data(), kBurst);
    for (std::size_t i = 0; i < std::min(count, kAhead); ++i) rte_prefetch0(&sdu_of(*mbufs[i]));
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) rte_prefetch0(&sdu_of(*mbufs[i + kAhead]));
      rte_mbuf& mbuf = *mbufs[i];
      Sdu& sdu = sdu_of(mbuf);
      sdu.next = nullptr;
      sdu.data = rte_pktmbuf_mtod(&mbuf, std::byte*);
      rte_prefetch0(sdu.data);
      rte_prefetch0(sdu.data + second_);
      sdu.bearer = nullptr;
      sdu.arrival = now;
      sdu.frame_len = mbuf.pkt_len;
      sdu.head_len = mbuf.data_len;
      sdu.segments = mbuf.nb_segs;
      sdu.ingress = side;
      burst.push(sdu);
    }
  }

  // The worker sends no frame that is too large for the port (Context::limits).
  std::size_t transmit(Side side, std::span<Sdu* const> frames) noexcept {
    const QueueHandle at = queues_[index(side)];
    std::size_t taken = 0;
    while (taken < frames.size()) {
      std::array<rte_mbuf*, kBurst> mbufs;
      const std::size_t count = std::min(kBurst, frames.size() - taken);
      // The driver reads the data that prefetch_to_send() has fetched.
      for (std::size_t i = 0; i < count; ++i) mbufs[i] = &mbuf_of(*frames[taken + i]);
      const std::size_t sent = at.socket != nullptr ? at.socket->transmit({mbufs.data(), count})
                                                    : rte_eth_tx_burst(at.device, at.queue, mbufs.data(),
                                                                       static_cast<std::uint16_t>(count));
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

  Sdu* allocate(std::uint32_t bytes) noexcept {
    rte_mbuf* mbuf = pool_ == nullptr ? nullptr : rte_pktmbuf_alloc(pool_);
    if (mbuf == nullptr) return nullptr;
    if (rte_pktmbuf_tailroom(mbuf) <= bytes) {
      rte_pktmbuf_free(mbuf);
      return nullptr;
    }
    Sdu& sdu = sdu_of(*mbuf);
    sdu = {};
    sdu.data = reinterpret_cast<std::byte*>(rte_pktmbuf_append(mbuf, static_cast<std::uint16_t>(bytes)));
    sdu.segments = 1;
    sdu.frame_len = sdu.head_len = bytes;
    return &sdu;
  }

  // The reference count of an mbuf is the number of holders of its frame. The Sdu and the bytes belong to the
  // direct mbuf, so that indirect ones (rte_pktmbuf_clone) must not be made; a driver must not take a count
  // of 1 for granted (dpdk/port.cc).
  bool keep(Sdu& sdu) noexcept {
    rte_pktmbuf_refcnt_update(&mbuf_of(sdu), 1);
    return true;
  }
  bool sole(const Sdu& sdu) const noexcept {
    for (const rte_mbuf* mbuf = &mbuf_of(sdu); mbuf != nullptr; mbuf = mbuf->next) {
      if (rte_mbuf_refcnt_read(mbuf) != 1) return false;
    }
    return true;
  }
  void let_go(Sdu& sdu) noexcept { rte_pktmbuf_free(&mbuf_of(sdu)); }
  void shorten(Sdu& sdu, std::uint32_t bytes) noexcept {
    rte_mbuf& mbuf = mbuf_of(sdu);
    rte_pktmbuf_trim(&mbuf, static_cast<std::uint16_t>(mbuf.data_len - bytes));
  }
  void cut_front(Sdu& sdu, std::uint32_t bytes) noexcept {
    rte_pktmbuf_adj(&mbuf_of(sdu), static_cast<std::uint16_t>(bytes));
  }
  Sdu* copy(const Sdu& sdu) noexcept {
    if (pool_ == nullptr) return nullptr;
    rte_mbuf* const mbuf = rte_pktmbuf_copy(&mbuf_of(sdu), pool_, 0, sdu.frame_len);
    if (mbuf == nullptr) return nullptr;
    Sdu& again = sdu_of(*mbuf);
    again = sdu;
    again.data = rte_pktmbuf_mtod(mbuf, std::byte*);
    again.head_len = mbuf->data_len;
    again.segments = mbuf->nb_segs;
    return &again;
  }

 private:
  static constexpr std::size_t kAhead = 4;

  std::array<QueueHandle, 2> queues_;
  rte_mempool* pool_;
  std::size_t second_ = 0;         // offset of the second line to fetch; 0: none
  std::atomic<bool> open_{false};  // written by control, read by the worker
};

static_assert(PacketIo<DpdkIo>);

}  // namespace dp::dpdk

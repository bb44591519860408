// Opens and closes an AF_XDP socket, and returns the mbufs in its rings to the pool.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <rte_eal.h>
#include <rte_mempool.h>

#include <linux/if_xdp.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "dataplane/base/expect.h"
#include "dataplane/dpdk/af_xdp/xdp_queue.h"
#include "dataplane/dpdk/huge_pages.h"
#include "dataplane/packet/burst.h"

namespace dp::dpdk {
namespace {

// Opening a queue that another socket has is retried every 20 ms, for kPatience and at least kLeastTries
// times. The kernel frees the queue of a killed process some time after the process has ended, under a lock
// for which a try waits as well.
constexpr std::chrono::seconds kPatience{3};
constexpr int kLeastTries = 20;

void wait_ms(long ms) {
  const timespec moment{0, ms * 1'000'000};
  nanosleep(&moment, nullptr);
}

std::string refusal(const std::string& interface, unsigned queue, int why) {
  const std::string where = "port af_xdp:" + interface + ": queue " + std::to_string(queue);
  if (why == EBUSY) {
    return where +
           " of the interface has the AF_XDP socket of someone else, who may live by it; end the program "
           "that "
           "it belongs to, or name another interface";
  }
  const bool forbidden = why == EPERM || why == EACCES;
  return where + " could not be opened: " + std::strerror(why) +
         (forbidden ? "; run as root, or with CAP_NET_RAW, CAP_NET_ADMIN, CAP_BPF and CAP_IPC_LOCK" : "");
}

// Appends the addresses in a ring between two of its counts, both of which start at 0 when the socket is
// made. Older entries are left out where the ring has overwritten them.
template <class Ring, class Address>
void copy_ring(const Ring& ring, std::uint32_t from, std::uint32_t to, Address address,
               std::vector<std::uint64_t>& out) {
  if (to - from > ring.size) from = to - ring.size;
  for (; from != to; ++from) out.push_back(xsk_umem__extract_addr(address(from & ring.mask)));
}
std::uint32_t count_of(const std::uint32_t* counter) { return __atomic_load_n(counter, __ATOMIC_ACQUIRE); }

}  // namespace

XdpMemory::XdpMemory(const rte_mempool& pool) {
  const rte_mempool_memhdr* const chunk = STAILQ_FIRST(&pool.mem_list);
  DP_EXPECT(chunk != nullptr);
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  first_ = reinterpret_cast<std::uintptr_t>(chunk->addr);
  begin_ = first_ / page * page;
  bytes_ = first_ + chunk->len - begin_;
  header_ = pool.header_size;
  element_ = pool.header_size + pool.elt_size + pool.trailer_size;
  headroom_ = header_ + static_cast<std::uint32_t>(sizeof(rte_mbuf)) +
              rte_pktmbuf_priv_size(const_cast<rte_mempool*>(&pool)) + RTE_PKTMBUF_HEADROOM;
  count_ = pool.populated_size;
}

bool XdpMemory::holds(const rte_mbuf& mbuf) const noexcept {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(&mbuf) - header_;
  if (first < begin_ || first + element_ > begin_ + bytes_) return false;
  return rte_eal_has_hugepages() == 0 || first / kHugePage == (first + element_ - 1) / kHugePage;
}

bool XdpMemory::is_address(std::uint64_t address) const noexcept {
  const std::uint64_t first = first_ - begin_;
  return address >= first && (address - first) % element_ == 0 && (address - first) / element_ < count_;
}

int XdpQueue::register_memory() {
  xsk_umem_config umem{};
  umem.fill_size = umem.comp_size = kRing;
  umem.frame_size = memory_.element_bytes();
  umem.frame_headroom = memory_.headroom();
  umem.flags = XDP_UMEM_UNALIGNED_CHUNK_FLAG;
  return -xsk_umem__create(&umem_, memory_.begin(), memory_.bytes(), &fill_, &completion_, &umem);
}

int XdpQueue::bind(const std::string& interface, unsigned queue, bool copy) {
  xsk_socket_config config{};
  config.rx_size = config.tx_size = kRing;
  config.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD;
  config.bind_flags = static_cast<std::uint16_t>(XDP_USE_NEED_WAKEUP | (copy ? XDP_COPY : 0));
  const int rc = xsk_socket__create(&socket_, interface.c_str(), queue, umem_, &receive_, &send_, &config);
  return rc < 0 ? -rc : 0;
}

Result<std::unique_ptr<XdpQueue>> XdpQueue::open(const std::string& interface, unsigned queue,
                                                 rte_mempool& pool, bool copy) {
  std::unique_ptr<XdpQueue> opened(new XdpQueue(pool));
  // The memory is registered once: the kernel walks all of its pages, which takes longer than a try.
  int why = opened->register_memory();
  if (why == 0) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    int tries = 0;
    do {
      if (tries != 0) wait_ms(20);
      why = opened->bind(interface, queue, copy);
    } while (why == EBUSY && (++tries < kLeastTries || std::chrono::steady_clock::now() < until));
  }
  if (why != 0) {
    return Error{refusal(interface, queue, why), why == EPERM || why == EACCES ? 5 : 4};
  }
  opened->prefer_busy_poll();
  opened->refill(kRing);
  return opened;
}

// The kernel moves frames in our system calls, on the worker's CPU, rather than in a softirq of its own. A
// kernel without support for that goes on as before.
void XdpQueue::prefer_busy_poll() {
  const int on = 1, microseconds = 20, budget = kBurst;
  busy_poll_ = ::setsockopt(fd(), SOL_SOCKET, SO_PREFER_BUSY_POLL, &on, sizeof(on)) == 0 &&
               ::setsockopt(fd(), SOL_SOCKET, SO_BUSY_POLL, &microseconds, sizeof(microseconds)) == 0 &&
               ::setsockopt(fd(), SOL_SOCKET, SO_BUSY_POLL_BUDGET, &budget, sizeof(budget)) == 0;
}

XdpQueue::~XdpQueue() {
  if (socket_ == nullptr) return;
  settle();
  find_held();
  close();
  for (const std::uint64_t address : held_) {
    if (memory_.is_address(address)) rte_pktmbuf_free(&memory_.mbuf_at(address));
  }
}

void XdpQueue::close() {
  if (socket_ != nullptr) xsk_socket__delete(socket_);
  socket_ = nullptr;
  if (umem_ != nullptr) xsk_umem__delete(umem_);
  umem_ = nullptr;
}

// Sends the frames that a live interface still accepts, and waits for completions, at most 200 ms. The kernel
// completes every frame that it took for sending, whether it was sent or dropped with the interface. (The
// kernel writes its own count of taken frames late, so the wait goes on until the counts stop changing.)
void XdpQueue::settle() {
  const auto waiting = [&] { return count_of(send_.producer) - count_of(send_.consumer); };
  for (int i = 0; i < 100 && waiting() != 0; ++i) {
    if (::sendto(fd(), nullptr, 0, MSG_DONTWAIT, nullptr, 0) < 0 && errno != EAGAIN) break;
  }
  std::uint32_t before = count_of(completion_.producer);
  for (int still = 0, i = 0; still < 4 && i < 40; ++i) {
    if (count_of(send_.producer) == before) return;
    wait_ms(5);
    const std::uint32_t now = count_of(completion_.producer);
    const bool under_way = static_cast<std::int32_t>(count_of(send_.consumer) - now) > 0;
    still = now == before && !under_way ? still + 1 : 0;
    before = now;
  }
}

// Finds the mbufs that were given to the kernel and did not come back, each once. In copy mode the kernel
// uses frames for receive in the order in which they were given, so that all that were not handed up are in
// the fill ring, used or not; and each frame that the kernel took for sending was completed, so that the
// others follow those. With zero copy the driver keeps frames of its own, which cannot be found: they are not
// among these.
void XdpQueue::find_held() {
  held_.clear();
  const auto filled = [&](std::uint32_t at) { return *xsk_ring_prod__fill_addr(&fill_, at); };
  const auto received = [&](std::uint32_t at) { return xsk_ring_cons__rx_desc(&receive_, at)->addr; };
  const auto completed = [&](std::uint32_t at) { return *xsk_ring_cons__comp_addr(&completion_, at); };
  const auto sending = [&](std::uint32_t at) { return xsk_ring_prod__tx_desc(&send_, at)->addr; };
  const bool zero = zero_copy();
  if (zero) {
    copy_ring(receive_, count_of(receive_.consumer), count_of(receive_.producer), received, held_);
    copy_ring(fill_, count_of(fill_.consumer), count_of(fill_.producer), filled, held_);
  } else {
    copy_ring(fill_, count_of(receive_.consumer), count_of(fill_.producer), filled, held_);
  }
  const std::uint32_t sent = count_of(completion_.producer);
  copy_ring(completion_, count_of(completion_.consumer), sent, completed, held_);
  copy_ring(send_, zero ? count_of(send_.consumer) : sent, count_of(send_.producer), sending, held_);
  std::sort(held_.begin(), held_.end());
  held_.erase(std::unique(held_.begin(), held_.end()), held_.end());
}

bool XdpQueue::zero_copy() const {
  xdp_options options{};
  socklen_t size = sizeof(options);
  return ::getsockopt(fd(), SOL_XDP, XDP_OPTIONS, &options, &size) == 0 &&
         (options.flags & XDP_OPTIONS_ZEROCOPY) != 0;
}

void XdpQueue::abandon() {
  settle();
  abandoned_.missed = count_of(receive_.producer) - count_of(receive_.consumer);
  abandoned_.transmit_errors = count_of(send_.producer) - count_of(completion_.producer);
}

void XdpQueue::add_losses(PortLosses& losses) const {
  losses.missed += abandoned_.missed;
  losses.transmit_errors += abandoned_.transmit_errors;
  xdp_statistics stats{};
  socklen_t size = sizeof(stats);
  if (::getsockopt(fd(), SOL_XDP, XDP_STATISTICS, &stats, &size) != 0) return;
  losses.missed += stats.rx_dropped + stats.rx_ring_full;
  losses.errors += stats.rx_invalid_descs;
  losses.transmit_errors += stats.tx_invalid_descs;
}

}  // namespace dp::dpdk

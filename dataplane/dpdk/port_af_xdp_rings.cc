#include "dataplane/dpdk/port_af_xdp_rings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdio>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <linux/if_xdp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dataplane/base/expect.h"

namespace dp::dpdk {
namespace {

constexpr std::uint64_t kAddress = (std::uint64_t{1} << XSK_UNALIGNED_BUF_OFFSET_SHIFT) - 1;

struct Mapping {
  const char* begin = nullptr;
  std::size_t length = 0;
};

// Where the driver has mapped a part of the socket: once bound, the kernel maps it for nobody else.
Mapping mapping_of(int fd, std::uint64_t place) {
  Mapping found;
  struct stat socket {};
  std::FILE* const maps = fstat(fd, &socket) == 0 ? std::fopen("/proc/self/maps", "re") : nullptr;
  if (maps == nullptr) return found;
  std::array<char, 512> line;
  while (found.begin == nullptr && std::fgets(line.data(), line.size(), maps) != nullptr) {
    std::uint64_t begin = 0, end = 0, offset = 0, inode = 0;
    const int fields = std::sscanf(line.data(), "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64,
                                   &begin, &end, &offset, &inode);
    if (fields != 4 || offset != place || inode != socket.st_ino) continue;
    found = {reinterpret_cast<const char*>(begin), end - begin};
  }
  std::fclose(maps);
  return found;
}

// One ring of the socket. Its counters run from 0 when the socket is made.
template <class Entry>
class Ring {
 public:
  Ring(int fd, std::uint64_t place, const xdp_ring_offset& at) : at_(at), memory_(mapping_of(fd, place)) {
    // A mapping is the ring, rounded up to pages; a ring is a power of two and several pages.
    if (mapped()) size_ = std::bit_floor((memory_.length - at.desc) / sizeof(Entry));
  }

  bool mapped() const { return memory_.length > at_.desc; }
  std::uint32_t produced() const { return counter(at_.producer); }
  std::uint32_t consumed() const { return counter(at_.consumer); }
  std::uint32_t waiting() const { return produced() - consumed(); }

  // Addresses of the entries from one count to another; fewer where the ring has forgotten the first.
  void copy(std::uint32_t from, std::uint32_t to, std::vector<std::uint64_t>& out) const {
    DP_EXPECT(mapped());
    if (to - from > size_) from = to - size_;
    const auto* const entries = reinterpret_cast<const Entry*>(memory_.begin + at_.desc);
    for (; from != to; ++from) out.push_back(address(entries[from & (size_ - 1)]) & kAddress);
  }

 private:
  static std::uint64_t address(std::uint64_t entry) { return entry; }
  static std::uint64_t address(const xdp_desc& entry) { return entry.addr; }
  std::uint32_t counter(std::uint64_t offset) const {
    const auto* const at = reinterpret_cast<const std::uint32_t*>(memory_.begin + offset);
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
  }

  xdp_ring_offset at_;
  Mapping memory_;
  std::size_t size_ = 0;
};

struct Rings {
  Rings(int fd, const xdp_mmap_offsets& at)
      : fill(fd, XDP_UMEM_PGOFF_FILL_RING, at.fr),
        completion(fd, XDP_UMEM_PGOFF_COMPLETION_RING, at.cr),
        receive(fd, XDP_PGOFF_RX_RING, at.rx),
        transmit(fd, XDP_PGOFF_TX_RING, at.tx) {}

  bool mapped() const {
    return fill.mapped() && completion.mapped() && receive.mapped() && transmit.mapped();
  }

  Ring<std::uint64_t> fill, completion;
  Ring<xdp_desc> receive, transmit;
};

void wait_ms(long ms) {
  const timespec moment{0, ms * 1'000'000};
  nanosleep(&moment, nullptr);
}

// What the kernel has taken for sending it also completes, be it sent or dropped with the interface. (Its own
// count of what it has taken is written late, so that stillness tells more.)
void settle(int fd, const Rings& rings) {
  for (int i = 0; i < 100 && rings.transmit.waiting() != 0; ++i) {
    if (sendto(fd, nullptr, 0, MSG_DONTWAIT, nullptr, 0) < 0) break;
  }
  std::uint32_t before = rings.completion.produced();
  for (int still = 0, i = 0; still < 4 && i < 40; ++i) {
    wait_ms(5);
    const std::uint32_t now = rings.completion.produced();
    const bool under_way = static_cast<std::int32_t>(rings.transmit.consumed() - now) > 0;
    still = now == before && !under_way ? still + 1 : 0;
    before = now;
  }
}

}  // namespace

// What was given to the kernel and did not come back. In copy mode it uses frames for receive in the order in
// which they were given, so that all that have not been handed up stand in the fill ring, used or not; and
// each frame that it took for sending was completed, so that the others follow those.
XdpHeld read_xdp_rings(int fd, bool zero_copy) {
  XdpHeld held;
  xdp_mmap_offsets at{};
  socklen_t size = sizeof(at);
  if (getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &at, &size) != 0 || size != sizeof(at)) return held;
  const Rings rings(fd, at);
  if (!rings.mapped()) return held;
  settle(fd, rings);
  held.unread = rings.receive.waiting();
  if (zero_copy) {
    rings.receive.copy(rings.receive.consumed(), rings.receive.produced(), held.frames);
    rings.fill.copy(rings.fill.consumed(), rings.fill.produced(), held.frames);
  } else {
    rings.fill.copy(rings.receive.consumed(), rings.fill.produced(), held.frames);
  }
  const std::uint32_t completed = rings.completion.produced();
  held.unsent = rings.transmit.produced() - completed;
  rings.completion.copy(rings.completion.consumed(), completed, held.frames);
  rings.transmit.copy(zero_copy ? rings.transmit.consumed() : completed, rings.transmit.produced(),
                      held.frames);
  std::sort(held.frames.begin(), held.frames.end());
  held.frames.erase(std::unique(held.frames.begin(), held.frames.end()), held.frames.end());
  return held;
}

void release_frames(rte_mempool& pool, const std::vector<std::uint64_t>& frames) {
  const rte_mempool_memhdr* const chunk = STAILQ_FIRST(&pool.mem_list);
  DP_EXPECT(chunk != nullptr);
  const auto begin = reinterpret_cast<std::uintptr_t>(chunk->addr);
  const auto umem = begin & ~(static_cast<std::uintptr_t>(getpagesize()) - 1);
  const std::uintptr_t element = pool.header_size + pool.elt_size + pool.trailer_size;
  for (const std::uint64_t frame : frames) {
    const std::uintptr_t object = umem + frame;
    const bool ours = object >= begin && (object - begin) % element == 0 &&
                      (object - begin) / element < pool.populated_size;
    if (ours) rte_pktmbuf_free(reinterpret_cast<rte_mbuf*>(object + pool.header_size));
  }
}

}  // namespace dp::dpdk

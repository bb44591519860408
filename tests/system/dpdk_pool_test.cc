// Sends a frame from every mbuf of an exhausted pool over af_xdp and expects each of them at the far end of
// the wire: the driver accepts frames from beyond its UMEM and loses them (dpdk/kinds/port_af_xdp.cc). Then
// leaves the pool with fewer mbufs than a burst has, and expects that number of frames to be received. Takes
// the memory modes to try as arguments (`huge`, `small`, all by default); needs root, works in a network
// namespace of its own that ends with it. Exit code 0: no frame was lost.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataplane/dpdk/eal.h"
#include "dataplane/dpdk/huge_pages.h"
#include "dataplane/dpdk/io.h"
#include "dataplane/dpdk/pool.h"
#include "dataplane/dpdk/port.h"

namespace {

using namespace dp;
using namespace dp::dpdk;

constexpr std::uint16_t kEtherType = 0x88b5;  // IEEE 802: local experiments
constexpr std::uint32_t kMbufs = 50'000;
constexpr const char* kHugePages = "/proc/sys/vm/nr_hugepages";

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "dpdk_pool_test: %s\n", why.c_str());
  std::exit(1);
}

template <class T>
T need(Result<T> result) {
  if (!result) give_up(result.error().message);
  return std::move(*result);
}

void shell(const std::string& command) {
  if (std::system(command.c_str()) != 0) give_up("failed: " + command);
}

// Raises the number of huge pages to what the test needs, for the lifetime of the object.
class MorePages {
 public:
  MorePages() {
    std::ifstream(kHugePages) >> before_;
    constexpr std::uint64_t kNeeded = std::uint64_t{512} << 20;
    const std::uint64_t found = free_huge_page_bytes();
    if (found >= kNeeded) return;
    std::ofstream(kHugePages) << before_ + ((kNeeded - found) >> 21);
    raised_ = true;
  }
  ~MorePages() {
    if (raised_) std::ofstream(kHugePages) << before_;
  }

 private:
  std::uint64_t before_ = 0;
  bool raised_ = false;
};

// The frame from mbuf `id`, to the last byte.
void write_frame(std::byte* frame, std::uint32_t id, std::uint32_t length) {
  std::memset(frame, 0xff, 12);
  const std::uint16_t type = htons(kEtherType);
  std::memcpy(frame + 12, &type, 2);
  std::memcpy(frame + 14, &id, 4);
  for (std::uint32_t i = 18; i < length; ++i) frame[i] = static_cast<std::byte>(id * 31 + i);
}

// The far end of the wire: a packet socket.
class Peer {
 public:
  Peer(const char* interface, std::uint32_t length) : length_(length), frame_(length + 64), want_(length) {
    fd_ = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    const int size = 64 << 20;
    const int on = 1;
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
    setsockopt(fd_, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(if_nametoindex(interface));
    if (bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) give_up("no packet socket");
  }
  ~Peer() { close(fd_); }

  void send(std::uint32_t id) {
    write_frame(want_.data(), id, length_);
    if (::send(fd_, want_.data(), length_, 0) != static_cast<ssize_t>(length_))
      give_up("the peer could not send");
  }

  // Notes the frames that have arrived.
  void collect(std::vector<bool>& seen) {
    for (;;) {
      const ssize_t size = recv(fd_, frame_.data(), frame_.size(), MSG_DONTWAIT);
      if (size < 0) return;
      std::uint16_t type = 0;
      std::uint32_t id = 0;
      std::memcpy(&type, frame_.data() + 12, 2);
      if (type != htons(kEtherType)) continue;
      std::memcpy(&id, frame_.data() + 14, 4);
      if (id >= seen.size() || size != static_cast<ssize_t>(length_))
        give_up("a frame arrived cut or changed");
      write_frame(want_.data(), id, length_);
      if (std::memcmp(want_.data(), frame_.data(), length_) != 0) give_up("a frame arrived changed");
      seen[id] = true;
    }
  }

 private:
  int fd_ = -1;
  std::uint32_t length_;
  std::vector<std::byte> frame_;
  std::vector<std::byte> want_;
};

class Experiment {
 public:
  Experiment(Pool& pool, Port& port, Peer& peer, std::uint32_t length)
      : pool_(pool),
        io_(std::array{port.queue_at(0), port.queue_at(0)}),
        peer_(peer),
        length_(length),
        seen_(kMbufs) {
    io_.open();
    rte_mempool_obj_iter(
        &pool.mempool(),
        [](rte_mempool*, void* ids, void* object, unsigned id) {
          static_cast<std::unordered_map<void*, std::uint32_t>*>(ids)->emplace(object, id);
        },
        &ids_);
  }

  // Every mbuf that can be had at once, held until its turn to be sent.
  void send_all() {
    std::vector<Sdu*> frames;
    while (rte_mbuf* mbuf = rte_pktmbuf_alloc(&pool_.mempool())) {
      mbuf->pkt_len = length_;
      mbuf->data_len = static_cast<std::uint16_t>(length_);
      frames.push_back(&fill(*mbuf));
    }
    for (std::size_t i = 0; i < frames.size(); i += kBurst) {
      send({frames.data() + i, std::min(kBurst, frames.size() - i)});
    }
  }

  // The rest lies in the driver's rings: frames from the peer push it out.
  void turn_rings() {
    for (unsigned i = 0; i < 6144; i += 32) {
      for (unsigned k = 0; k < 32; ++k) peer_.send(0);
      Burst burst;
      io_.receive(Side::core, burst, Time{});
      for (Sdu* sdu : burst.sdus()) {
        if (sdu->frame_len != length_) give_up("a frame was received cut");
        fill(mbuf_of(*sdu));
      }
      received_ += burst.size();
      send(burst.sdus());
    }
  }

  // Receives with a few mbufs left, and then the other frames; true if none is lost.
  bool receives_by_the_few() {
    constexpr std::size_t kFew = 7, kFrames = 2 * kBurst;
    std::vector<rte_mbuf*> came, taken;
    receive(came, ~std::size_t{0});
    for (rte_mbuf* mbuf : std::exchange(came, {})) rte_pktmbuf_free(mbuf);
    while (rte_mbuf* mbuf = rte_pktmbuf_alloc(&pool_.mempool())) taken.push_back(mbuf);
    if (taken.size() < kFew) return false;
    for (std::size_t i = 0; i < kFew; ++i, taken.pop_back()) rte_pktmbuf_free(taken.back());
    for (std::size_t i = 0; i < kFrames; ++i) peer_.send(0);
    receive(came, kFew);
    const std::size_t few = came.size();
    for (rte_mbuf* mbuf : taken) rte_pktmbuf_free(mbuf);
    receive(came, kFrames);
    const bool good = few == kFew && came.size() == kFrames;
    if (!good) std::printf("with %zu mbufs: %zu frames, then %zu of %zu\n", kFew, few, came.size(), kFrames);
    for (rte_mbuf* mbuf : came) rte_pktmbuf_free(mbuf);
    return good;
  }

  std::uint64_t received() const { return received_; }
  std::uint64_t count_seen() const {
    return static_cast<std::uint64_t>(std::count(seen_.begin(), seen_.end(), true));
  }

 private:
  // Receives up to `most` frames, or until none comes for a tenth of a second.
  void receive(std::vector<rte_mbuf*>& came, std::size_t most) {
    for (int idle = 0; idle < 100 && came.size() < most; ++idle) {
      Burst burst;
      io_.receive(Side::core, burst, Time{});
      for (Sdu* sdu : burst.sdus()) came.push_back(&mbuf_of(*sdu));
      if (burst.empty()) {
        usleep(1000);
      } else {
        idle = 0;
      }
    }
  }

  Sdu& fill(rte_mbuf& mbuf) {
    Sdu& sdu = sdu_of(mbuf);
    sdu.frame_len = length_;
    sdu.segments = 1;
    write_frame(rte_pktmbuf_mtod(&mbuf, std::byte*), ids_.at(&mbuf), length_);
    return sdu;
  }

  void send(std::span<Sdu* const> frames) {
    while (!frames.empty()) {
      frames = frames.subspan(io_.transmit(Side::core, frames));
      peer_.collect(seen_);
    }
  }

  Pool& pool_;
  DpdkIo io_;
  Peer& peer_;
  std::uint32_t length_;
  std::vector<bool> seen_;
  std::unordered_map<void*, std::uint32_t> ids_;
  std::uint64_t received_ = 0;
};

// One memory mode and one MTU; true if every mbuf's frame arrived.
bool try_mode(bool huge_pages, unsigned mtu) {
  const std::string text = std::to_string(mtu);
  shell("ip link add rnd-a mtu " + text + " type veth peer name rnd-b mtu " + text);
  for (const char* end : {"rnd-a", "rnd-b"}) {
    std::ofstream("/proc/sys/net/ipv6/conf/" + std::string(end) + "/disable_ipv6") << 1;
    shell("ip link set " + std::string(end) + " up");
  }
  bool good = false;
  {
    auto plans = need(plan_ports({"af_xdp:rnd-a", "null"}, huge_pages, 1));
    const auto plan = need(plan_pool(plans, kMbufs, 0, 1));
    need(start_eal({huge_pages, std::uint64_t{kMbufs} * 4096, 0, {}, {}}));
    auto pool = need(Pool::create(plan));
    need(pool->park(plans));
    const auto wire = plans[0].wire;
    auto port = need(Port::attach(std::move(plans[0])));
    need(port->start(pool->mempool(), pool->data_room(), false));
    wire->heartbeat(0)->beat = UINT64_MAX;  // as of a worker that makes progress for ever
    need(port->feed());
    Peer peer("rnd-b", mtu + ETH_HLEN);
    Experiment experiment(*pool, *port, peer, mtu + ETH_HLEN);
    const auto usable = pool->report().mbufs;
    for (int round = 0; round < 8 && experiment.count_seen() < usable; ++round) {
      experiment.send_all();
      experiment.turn_rings();
    }
    good = experiment.count_seen() == usable && experiment.received() > 0 && experiment.receives_by_the_few();
    std::printf("%s pages, MTU %u: %lu mbufs, %lu parked, frames of %lu arrived, %lu received: %s\n",
                huge_pages ? "huge" : "small", mtu, usable, pool->report().parked, experiment.count_seen(),
                experiment.received(), good ? "ok" : "LOST");
    port->close();
  }
  if (std::system("ip -d link show rnd-a | grep -q xdp") == 0) give_up("an XDP program was left behind");
  shell("ip link del rnd-a");
  return good;
}

// EAL starts once a process, so each try has one of its own.
bool try_in_child(bool huge, unsigned mtu) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNET) != 0) give_up("a network namespace needs root");
    std::exit(try_mode(huge, mtu) ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> modes(argv + 1, argv + argc);
  if (modes.empty()) modes = {"small", "huge"};
  bool good = true;
  for (const auto& mode : modes) {
    if (mode != "huge" && mode != "small") give_up("unknown mode " + mode + "; there are huge and small");
    const std::unique_ptr<MorePages> pages(mode == "huge" ? new MorePages : nullptr);
    for (const unsigned mtu : {1500u, max_frame_of("af_xdp:rnd-a") - kLinkBytes}) {
      good = try_in_child(mode == "huge", mtu) && good;
    }
  }
  return good ? 0 : 1;
}

// A wire with a delay, for kernels without netem: makes a tap interface, and delays every frame between it
// and another interface, in order, each way, until SIGTERM. On SIGUSR1 reports its lateness since the last
// one. With a share it is a radio: it loses that share of the IP packets from the interface to the tap, each
// by a draw of its own. With `data` it is a network before a server: it loses that share of the TCP segments
// with data from the tap to the interface, and nothing the other way.
//   live_wire TAP INTERFACE MILLISECONDS [SHARE SEED [data]]
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t ended = 0, asked = 0;
void end(int) { ended = 1; }
void ask(int) { asked = 1; }

int must(int result, const std::string& what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

ifreq request_of(const std::string& name) {
  ifreq request{};
  if (name.size() >= sizeof(request.ifr_name)) throw std::runtime_error(name + ": too long for an interface");
  std::memcpy(request.ifr_name, name.data(), name.size());
  return request;
}

int open_tap(const std::string& name) {
  const int fd = must(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "/dev/net/tun");
  ifreq request = request_of(name);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  must(ioctl(fd, TUNSETIFF, &request), "tap " + name);
  return fd;
}

// A socket for the frames that the interface receives, without those that it sends.
int open_interface(const std::string& name) {
  const int fd = must(socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "packet socket");
  const int on = 1, buffer_bytes = 64 << 20;
  must(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)), "PACKET_IGNORE_OUTGOING");
  must(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof(buffer_bytes)), "SO_RCVBUFFORCE");
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(name.c_str()));
  if (address.sll_ifindex == 0) throw std::runtime_error(name + ": no such interface");
  must(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), "bind to " + name);
  return fd;
}

unsigned lost_by(int packet_socket) {
  tpacket_stats seen{};
  socklen_t size = sizeof(seen);
  must(getsockopt(packet_socket, SOL_PACKET, PACKET_STATISTICS, &seen, &size), "PACKET_STATISTICS");
  return seen.tp_drops;
}

// ARP is spared: an address that is not found in time would cost a second.
bool is_ip(const std::uint8_t* frame, std::size_t size) {
  if (size < sizeof(ethhdr)) return false;
  const unsigned protocol = frame[offsetof(ethhdr, h_proto)] << 8 | frame[offsetof(ethhdr, h_proto) + 1];
  return protocol == ETH_P_IP || protocol == ETH_P_IPV6;
}

bool is_tcp_data(const std::uint8_t* frame, std::size_t size) {
  constexpr std::size_t kTcp = 20;
  const std::uint8_t* ip = frame + sizeof(ethhdr);
  if (!is_ip(frame, size) || size < sizeof(ethhdr) + 40) return false;
  const bool v6 = ip[0] >> 4 == 6;
  const std::size_t head = v6 ? 40 : (ip[0] & 15) * 4u;
  const std::size_t whole = v6 ? 40u + (ip[4] << 8 | ip[5]) : static_cast<std::size_t>(ip[2] << 8 | ip[3]);
  if (ip[v6 ? 6 : 9] != IPPROTO_TCP || size < sizeof(ethhdr) + head + kTcp) return false;
  return whole > head + (ip[head + 12] >> 4) * 4u;
}

struct Losses {
  double share = 0;
  std::uint64_t seed = 1;
  bool data_only = false;
};

// One way.
class Lane {
 public:
  Lane(int from, int to, Clock::duration delay, Losses losses)
      : from_(from), to_(to), delay_(delay), losses_(losses), random_(losses.seed) {}

  void take() {
    for (;;) {
      const ssize_t size = read(from_, buffer_.data(), buffer_.size());
      if (size <= 0) return;
      if (fades(static_cast<std::size_t>(size))) {
        ++record_.faded;
        continue;
      }
      under_way_.push_back({Clock::now() + delay_, {buffer_.begin(), buffer_.begin() + size}});
    }
  }
  void deliver() {
    while (!under_way_.empty() && under_way_.front().due <= Clock::now()) {
      const Frame& frame = under_way_.front();
      note_lateness(Clock::now() - frame.due);
      if (write(to_, frame.bytes.data(), frame.bytes.size()) < 0) ++record_.lost;
      under_way_.pop_front();
    }
  }
  Clock::time_point next() const {
    return under_way_.empty() ? Clock::time_point::max() : under_way_.front().due;
  }

  struct Record {
    unsigned long frames = 0, lost = 0, late = 0;
    unsigned long faded = 0;  // lost because that is wanted
    Clock::duration latest{};
  };
  // Since the last report.
  Record record() { return std::exchange(record_, {}); }

 private:
  struct Frame {
    Clock::time_point due;
    std::vector<std::uint8_t> bytes;
  };
  bool fades(std::size_t size) {
    if (losses_.share <= 0) return false;
    const bool meant = losses_.data_only ? is_tcp_data(buffer_.data(), size) : is_ip(buffer_.data(), size);
    return meant && uniform_(random_) < losses_.share;
  }
  void note_lateness(Clock::duration by) {
    ++record_.frames;
    if (by > std::chrono::milliseconds{1}) ++record_.late;
    record_.latest = std::max(record_.latest, by);
  }

  int from_, to_;
  Clock::duration delay_;
  Losses losses_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<> uniform_{0, 1};
  std::deque<Frame> under_way_;
  std::array<std::uint8_t, 65536> buffer_;
  Record record_;
};

// Never for long: a signal that comes just before the wait does not end it.
void wait(std::array<pollfd, 2>& fds, Clock::time_point until) {
  const auto left = std::clamp(until - Clock::now(), Clock::duration{}, Clock::duration{100'000'000});
  const timespec timeout{0, std::chrono::nanoseconds{left}.count()};
  ppoll(fds.data(), fds.size(), &timeout, nullptr);
}

void say(std::array<Lane, 2>& lanes, unsigned missed) {
  const Lane::Record there = lanes[0].record(), back = lanes[1].record();
  const auto latest =
      std::chrono::duration_cast<std::chrono::microseconds>(std::max(there.latest, back.latest));
  std::printf("{\"frames\": %lu, \"lost\": %lu, \"faded\": %lu, \"late_1ms\": %lu, \"latest_us\": %lld}\n",
              there.frames + back.frames, there.lost + back.lost + missed, there.faded + back.faded,
              there.late + back.late, static_cast<long long>(latest.count()));
  std::fflush(stdout);
}

void run(const std::string& tap_name, const std::string& interface_name, Clock::duration delay,
         Losses losses) {
  const int tap = open_tap(tap_name), interface = open_interface(interface_name);
  const Losses none{};
  std::array lanes{Lane(tap, interface, delay, losses.data_only ? losses : none),
                   Lane(interface, tap, delay, losses.data_only ? none : losses)};
  std::array<pollfd, 2> fds{{{tap, POLLIN, 0}, {interface, POLLIN, 0}}};
  std::puts("ready");
  std::fflush(stdout);
  while (!ended) {
    for (Lane& lane : lanes) {
      lane.take();
      lane.deliver();
    }
    if (asked) {
      asked = 0;
      say(lanes, lost_by(interface));
    }
    wait(fds, std::min(lanes[0].next(), lanes[1].next()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool data = argc == 7 && std::string(argv[6]) == "data";
  const bool all = argc == 4 || argc == 6 || data;
  const double ms = all ? std::atof(argv[3]) : 0;
  const Losses losses =
      argc >= 6 ? Losses{std::atof(argv[4]), std::strtoull(argv[5], nullptr, 10), data} : Losses{};
  if (ms <= 0 || ms > 10'000 || losses.share < 0 || losses.share >= 1) {
    std::fprintf(
        stderr,
        "usage: live_wire TAP INTERFACE MILLISECONDS [SHARE SEED [data]] (more than 0, at most 10000; "
        "from 0 to below 1)\n");
    return 2;
  }
  signal(SIGTERM, end);
  signal(SIGUSR1, ask);
  // In time is all that this is for, and it sleeps mostly. Where it may not be urgent its report shows how
  // late it is.
  prctl(PR_SET_TIMERSLACK, 1UL);
  sched_param urgent{};
  urgent.sched_priority = 1;
  sched_setscheduler(0, SCHED_RR, &urgent);
  try {
    run(argv[1], argv[2],
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(ms)), losses);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "live_wire: %s\n", error.what());
    return 1;
  }
}

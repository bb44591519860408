// The time that frames take from one interface to another, which may be in another network namespace: sends a
// frame at a rate and probes among them, and prints the delays of the probes as JSON. A probe is the same
// frame with a mark and a number in its last eight bytes. The kernel says when it arrived, so that no wait
// for a CPU of this program counts.
//   live_probe FROM TO NETNS HEX RATE PROBES SECONDS
// NETNS is the file of TO's namespace, HEX the frame; RATE and PROBES are frames a second, 0 for none.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

namespace {

using Nanoseconds = std::int64_t;
constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Nanoseconds kGrace = kSecond / 2;  // for the last probes to arrive
constexpr Nanoseconds kSpin = 100'000;       // the end of a wait, since a sleep may end late
constexpr Nanoseconds kMostLate = kSpin;     // frames that are due for longer are left out
constexpr std::uint32_t kMark = 0x70726f62;

volatile sig_atomic_t ended = 0;
void end(int) { ended = 1; }

int must(int result, const std::string& what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

Nanoseconds nanoseconds(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

// The clock by which the kernel stamps frames.
Nanoseconds now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return nanoseconds(time);
}

void wait_until(Nanoseconds due) {
  for (Nanoseconds left = due - now(); left > 0 && !ended; left = due - now()) {
    if (left <= kSpin) continue;
    const timespec rest{0, std::min(left - kSpin, kSecond - 1)};
    nanosleep(&rest, nullptr);
  }
}

void listen_to(int fd, const std::string& name, std::uint16_t protocol) {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(protocol);
  address.sll_ifindex = static_cast<int>(if_nametoindex(name.c_str()));
  if (address.sll_ifindex == 0) throw std::runtime_error(name + ": no such interface");
  must(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), "bind to " + name);
}

int packet_socket() { return must(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), "packet socket"); }

// A socket for the probes that the interface receives.
int open_receiver(const std::string& name, const std::string& netns) {
  const int there = must(open(netns.c_str(), O_RDONLY | O_CLOEXEC), netns);
  must(setns(there, CLONE_NEWNET), netns);
  close(there);
  const int fd = packet_socket();
  std::array<sock_filter, 7> code{{{BPF_LD | BPF_W | BPF_LEN, 0, 0, 0},
                                   {BPF_ALU | BPF_SUB | BPF_K, 0, 0, 8},
                                   {BPF_MISC | BPF_TAX, 0, 0, 0},
                                   {BPF_LD | BPF_W | BPF_IND, 0, 0, 0},
                                   {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, kMark},
                                   {BPF_RET | BPF_K, 0, 0, 0xffff},
                                   {BPF_RET | BPF_K, 0, 0, 0}}};
  const sock_fprog filter{code.size(), code.data()};
  const int on = 1, buffer_bytes = 64 << 20;
  must(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)), "SO_ATTACH_FILTER");
  must(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)), "PACKET_IGNORE_OUTGOING");
  must(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof(buffer_bytes)), "SO_RCVBUFFORCE");
  must(setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)), "SO_TIMESTAMPNS");
  listen_to(fd, name, ETH_P_ALL);
  return fd;
}

struct Plan {
  double rate = 0, probes = 0, seconds = 0;
};

class Probe {
 public:
  Probe(const std::string& from, const std::string& to, const std::string& netns,
        std::vector<std::uint8_t> frame)
      : sender_(packet_socket()), frame_(std::move(frame)) {
    listen_to(sender_, from, 0);
    receiver_ = open_receiver(to, netns);
  }

  // Frames at an even pace, probes at random distances, so that these keep no step with anything.
  void run(const Plan& plan) {
    const Nanoseconds begun = now();
    const double until = plan.seconds * kSecond, pace = kSecond / plan.rate, gap = kSecond / plan.probes;
    double frame_due = plan.rate > 0 ? 0 : until, probe_due = plan.probes > 0 ? 0 : until;  // since `begun`
    while (!ended) {
      const double due = std::min(frame_due, probe_due);
      wait_until(begun + static_cast<Nanoseconds>(due));
      const auto late_most = static_cast<double>(now() - begun - kMostLate);
      if (due >= until || late_most >= until) break;
      if (probe_due <= due) {
        send_probe();
        probe_due = std::max(due, late_most) + gap * distance_(random_);
      } else {
        frames_ += send_frame();
        frame_due = std::max(due + pace, late_most);
      }
    }
    seconds_ = static_cast<double>(now() - begun) / kSecond;
    for (const Nanoseconds last = now() + kGrace; delays_.size() < sent_.size() && now() < last && !ended;) {
      wait_until(std::min(last, now() + kSecond / 100));
      receive();
    }
  }

  void print() const {
    std::printf("{\"seconds\": %.6f, \"frames\": %lu, \"probes\": %zu, \"delays\": [", seconds_, frames_,
                sent_.size());
    const char* comma = "";
    for (const Nanoseconds delay : delays_) {
      std::printf("%s%lld", comma, static_cast<long long>(delay));
      comma = ", ";
    }
    std::puts("]}");
  }

 private:
  // True if the interface took it.
  bool send_frame() {
    if (send(sender_, frame_.data(), frame_.size(), 0) >= 0) return true;
    if (errno != ENOBUFS && errno != EINTR) must(-1, "send");
    return false;
  }

  void send_probe() {
    const std::uint32_t mark[2] = {htonl(kMark), htonl(static_cast<std::uint32_t>(sent_.size()))};
    std::uint8_t* const end_of_frame = frame_.data() + frame_.size() - sizeof(mark);
    std::memcpy(end_of_frame, mark, sizeof(mark));
    sent_.push_back(now());
    send_frame();
    std::memset(end_of_frame, 0, sizeof(mark));
    receive();
  }

  // Takes the probes that have arrived.
  void receive() {
    for (;;) {
      std::array<std::uint8_t, 2048> frame;
      alignas(cmsghdr) std::array<char, 256> control;
      iovec part{frame.data(), frame.size()};
      msghdr message{};
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      const ssize_t size = recvmsg(receiver_, &message, MSG_DONTWAIT);
      if (size < 0) return;
      if (static_cast<std::size_t>(size) != frame_.size()) continue;
      std::uint32_t number = 0;
      std::memcpy(&number, frame.data() + size - sizeof(number), sizeof(number));
      note(ntohl(number), message);
    }
  }

  void note(std::uint32_t number, msghdr& message) {
    for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
      if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_TIMESTAMPNS || number >= sent_.size())
        continue;
      timespec arrived{};
      std::memcpy(&arrived, CMSG_DATA(one), sizeof(arrived));
      delays_.push_back(nanoseconds(arrived) - sent_[number]);
    }
  }

  int sender_, receiver_ = -1;
  std::vector<std::uint8_t> frame_;
  std::minstd_rand random_{1};
  std::uniform_real_distribution<> distance_{0.5, 1.5};
  std::vector<Nanoseconds> sent_, delays_;
  unsigned long frames_ = 0;  // without probes
  double seconds_ = 0;
};

std::vector<std::uint8_t> bytes_of(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(at, 2), nullptr, 16)));
  }
  if (bytes.size() < ETH_ZLEN || bytes.size() > 2048)
    throw std::runtime_error("expected a frame of 60 to 2048 bytes");
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr, "usage: live_probe FROM TO NETNS HEX RATE PROBES SECONDS\n");
    return 2;
  }
  signal(SIGTERM, end);
  signal(SIGINT, end);
  prctl(PR_SET_TIMERSLACK, 1UL);
  try {
    Probe probe(argv[1], argv[2], argv[3], bytes_of(argv[4]));
    probe.run({std::atof(argv[5]), std::atof(argv[6]), std::atof(argv[7])});
    probe.print();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "live_probe: %s\n", error.what());
    return 1;
  }
}

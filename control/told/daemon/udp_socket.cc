#include "control/told/daemon/udp_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "control/told/daemon/settings.h"

namespace control::told {
namespace {

constexpr std::size_t kMostBytes = 4096;  // a RADIUS packet has no more (RFC 2866 section 3)
constexpr std::size_t kControlBytes = 256;

std::uint64_t load_be64(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}
void store_be64(std::uint64_t value, std::uint8_t* bytes) {
  for (int i = 7; i >= 0; --i, value >>= 8) bytes[i] = static_cast<std::uint8_t>(value);
}

socklen_t address_of(const Endpoint& endpoint, sockaddr_storage& into) {
  if (endpoint.ipv6) {
    auto& address = reinterpret_cast<sockaddr_in6&>(into);
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(endpoint.port);
    store_be64(endpoint.hi, address.sin6_addr.s6_addr);
    store_be64(endpoint.lo, address.sin6_addr.s6_addr + 8);
    return sizeof(sockaddr_in6);
  }
  auto& address = reinterpret_cast<sockaddr_in&>(into);
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  address.sin_addr.s_addr = htonl(static_cast<std::uint32_t>(endpoint.lo));
  return sizeof(sockaddr_in);
}

Endpoint endpoint_of(const sockaddr_storage& from) {
  if (from.ss_family == AF_INET6) {
    const auto& address = reinterpret_cast<const sockaddr_in6&>(from);
    const std::uint8_t* const bytes = address.sin6_addr.s6_addr;
    return {load_be64(bytes), load_be64(bytes + 8), ntohs(address.sin6_port), true};
  }
  const auto& address = reinterpret_cast<const sockaddr_in&>(from);
  return {0, ntohl(address.sin_addr.s_addr), ntohs(address.sin_port), false};
}

std::int64_t ns_of(const timespec& time) { return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec; }

void set_option(int fd, int level, int name, int value) {
  if (::setsockopt(fd, level, name, &value, sizeof(value)) != 0) throw_errno("setsockopt");
}

}  // namespace

struct UdpSocket::Batch {
  std::array<mmsghdr, kBatch> messages{};
  std::array<iovec, kBatch> vectors{};
  std::array<sockaddr_storage, kBatch> from{};
  std::array<std::array<std::byte, kMostBytes>, kBatch> bytes;
  struct alignas(cmsghdr) Control {
    std::array<std::byte, kControlBytes> bytes;
  };
  std::array<Control, kBatch> control;

  void prepare() {
    for (std::size_t i = 0; i < kBatch; ++i) {
      vectors[i] = {bytes[i].data(), kMostBytes};
      msghdr& header = messages[i].msg_hdr;
      header = {};
      header.msg_name = &from[i];
      header.msg_namelen = sizeof(from[i]);
      header.msg_iov = &vectors[i];
      header.msg_iovlen = 1;
      header.msg_control = control[i].bytes.data();
      header.msg_controllen = kControlBytes;
    }
  }
};

UdpSocket::UdpSocket(const Endpoint& at) : at_(at), batch_(std::make_shared<Batch>()) {
  const int family = at.ipv6 ? AF_INET6 : AF_INET;
  fd_ = Fd(::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd_) throw_errno("socket");
  if (at.ipv6) set_option(fd_.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
  const int bytes = kBufferBytes;
  // Beyond net.core.rmem_max only with CAP_NET_ADMIN.
  if (::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) != 0) {
    set_option(fd_.get(), SOL_SOCKET, SO_RCVBUF, bytes);
  }
  set_option(fd_.get(), SOL_SOCKET, SO_TIMESTAMPNS, 1);
  set_option(fd_.get(), SOL_SOCKET, SO_RXQ_OVFL, 1);
  set_option(fd_.get(), at.ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, at.ipv6 ? IPV6_RECVPKTINFO : IP_PKTINFO, 1);
  sockaddr_storage address{};
  const socklen_t length = address_of(at, address);
  if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) throw_errno(to_string(at));
}

void UdpSocket::receive(dp::Time now, const Take& take) {
  timespec wall{};
  ::clock_gettime(CLOCK_REALTIME, &wall);
  for (std::size_t batch = 0; batch < kMostBatches; ++batch) {
    batch_->prepare();
    const int n = ::recvmmsg(fd_.get(), batch_->messages.data(), kBatch, MSG_DONTWAIT, nullptr);
    if (n <= 0) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      if ((batch_->messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0) {
        ++dropped_;
      } else {
        take_one(i, batch_->messages[i].msg_len, now, ns_of(wall), take);
      }
    }
    if (static_cast<std::size_t>(n) < kBatch) return;
  }
}

// The wall clock may be set, so a datagram's time is at most now and not before that of the one before it.
void UdpSocket::take_one(std::size_t i, std::size_t size, dp::Time now, std::int64_t wall_ns,
                         const Take& take) {
  msghdr& header = batch_->messages[i].msg_hdr;
  Datagram datagram{now, endpoint_of(batch_->from[i]), at_, {batch_->bytes[i].data(), size}};
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
      timespec stamp{};
      std::memcpy(&stamp, CMSG_DATA(part), sizeof(stamp));
      const std::int64_t age = std::clamp<std::int64_t>(wall_ns - ns_of(stamp), 0, 10'000'000'000);
      datagram.at = now - dp::Duration{age};
    } else if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SO_RXQ_OVFL) {
      std::uint32_t count = 0;
      std::memcpy(&count, CMSG_DATA(part), sizeof(count));
      dropped_ += count - overflow_;
      overflow_ = count;
    }
  }
  datagram.at = last_ = std::max(last_, datagram.at);
  const auto text = take(datagram);
  if (!text.empty()) answer(i, text);
}

// The request's own packet information says from where the answer leaves.
void UdpSocket::answer(std::size_t i, std::span<const std::byte> text) {
  msghdr& request = batch_->messages[i].msg_hdr;
  iovec vector{const_cast<std::byte*>(text.data()), text.size()};
  Batch::Control control{};
  msghdr header{};
  header.msg_name = request.msg_name;
  header.msg_namelen = request.msg_namelen;
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  for (cmsghdr* part = CMSG_FIRSTHDR(&request); part != nullptr; part = CMSG_NXTHDR(&request, part)) {
    const bool ipv4 = part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO;
    const bool ipv6 = part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO;
    if (!ipv4 && !ipv6) continue;
    std::memcpy(control.bytes.data(), part, part->cmsg_len);
    header.msg_control = control.bytes.data();
    header.msg_controllen = ipv4 ? CMSG_SPACE(sizeof(in_pktinfo)) : CMSG_SPACE(sizeof(in6_pktinfo));
    // The kernel shall choose the interface by its routes.
    if (ipv4) reinterpret_cast<in_pktinfo*>(CMSG_DATA(CMSG_FIRSTHDR(&header)))->ipi_ifindex = 0;
  }
  if (::sendmsg(fd_.get(), &header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) ++answers_lost_;
}

}  // namespace control::told

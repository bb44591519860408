#include "control/ports/link_watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace control {
namespace {

constexpr std::size_t kBuffer = 65536;
constexpr int kReadsAtOnce = 64;
constexpr unsigned kLowerUp = 1u << 16;  // IFF_LOWER_UP, which <net/if.h> lacks

using Bytes = std::span<const std::byte>;

template <class T>
T read(Bytes bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof(value), bytes.size()));
  return value;
}

// Calls `f` with type and content of each attribute.
template <class F>
void each_attribute(Bytes bytes, F&& f) {
  while (bytes.size() >= sizeof(rtattr)) {
    const auto head = read<rtattr>(bytes);
    if (head.rta_len < sizeof(rtattr) || head.rta_len > bytes.size()) return;
    f(head.rta_type & NLA_TYPE_MASK, bytes.subspan(RTA_LENGTH(0), head.rta_len - RTA_LENGTH(0)));
    bytes = bytes.subspan(std::min<std::size_t>(RTA_ALIGN(head.rta_len), bytes.size()));
  }
}

// Programs in the driver and in the generic place at once are named by their own attributes only.
std::uint32_t xdp_program(Bytes nested) {
  std::uint32_t program = 0;
  each_attribute(nested, [&](int type, Bytes value) {
    const bool names =
        type == IFLA_XDP_PROG_ID || type == IFLA_XDP_DRV_PROG_ID || type == IFLA_XDP_SKB_PROG_ID;
    if (names && program == 0) program = read<std::uint32_t>(value);
  });
  return program;
}

std::string address_text(Bytes address) {
  std::string text;
  for (const std::byte b : address) {
    std::array<char, 4> octet{};
    std::snprintf(octet.data(), octet.size(), "%02x", std::to_integer<unsigned>(b));
    text += (text.empty() ? "" : ":") + std::string(octet.data());
  }
  return text;
}

Link link_of(const ifinfomsg& info, Bytes attributes) {
  Link link;
  link.index = static_cast<unsigned>(info.ifi_index);
  link.up = (info.ifi_flags & IFF_UP) != 0;
  link.carrier = (info.ifi_flags & kLowerUp) != 0;
  each_attribute(attributes, [&](int type, Bytes value) {
    const auto* const text = reinterpret_cast<const char*>(value.data());
    if (type == IFLA_IFNAME) link.name = std::string(text, ::strnlen(text, value.size()));
    if (type == IFLA_MTU) link.mtu = read<std::uint32_t>(value);
    if (type == IFLA_ADDRESS) link.address = address_text(value);
    if (type == IFLA_XDP) link.xdp_program = xdp_program(value);
  });
  return link;
}

// Calls `f` with header and content of each message.
template <class F>
void each_message(Bytes bytes, F&& f) {
  while (bytes.size() >= sizeof(nlmsghdr)) {
    const auto head = read<nlmsghdr>(bytes);
    if (head.nlmsg_len < sizeof(nlmsghdr) || head.nlmsg_len > bytes.size()) return;
    f(head, bytes.subspan(NLMSG_HDRLEN, head.nlmsg_len - NLMSG_HDRLEN));
    bytes = bytes.subspan(std::min<std::size_t>(NLMSG_ALIGN(head.nlmsg_len), bytes.size()));
  }
}

Fd open_socket(int flags, unsigned groups) {
  Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | flags, NETLINK_ROUTE));
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = groups;
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    throw_errno("rtnetlink");
  }
  return socket;
}

struct Question {
  nlmsghdr head;
  ifinfomsg info;
  rtattr name_head;
  std::array<char, IFNAMSIZ> name;
};

Question question(unsigned index, const std::string& name, unsigned sequence) {
  Question q{};
  q.head.nlmsg_type = RTM_GETLINK;
  q.head.nlmsg_flags = NLM_F_REQUEST;
  q.head.nlmsg_seq = sequence;
  q.head.nlmsg_len = NLMSG_LENGTH(sizeof(q.info));
  q.info.ifi_family = AF_UNSPEC;
  q.info.ifi_index = static_cast<int>(index);
  if (index != 0) return q;
  q.name_head = {static_cast<unsigned short>(RTA_LENGTH(name.size() + 1)), IFLA_IFNAME};
  name.copy(q.name.data(), q.name.size() - 1);
  q.head.nlmsg_len += RTA_ALIGN(q.name_head.rta_len);
  return q;
}

}  // namespace

// A port that left a bridge is reported as the deletion of a link of the family AF_BRIDGE.
std::vector<LinkMessage> parse_link_messages(Bytes bytes) {
  std::vector<LinkMessage> found;
  each_message(bytes, [&](const nlmsghdr& head, Bytes body) {
    if (head.nlmsg_type != RTM_NEWLINK && head.nlmsg_type != RTM_DELLINK) return;
    if (body.size() < sizeof(ifinfomsg)) return;
    const auto info = read<ifinfomsg>(body);
    if (info.ifi_family != AF_UNSPEC) return;
    const std::size_t skip = std::min<std::size_t>(NLMSG_ALIGN(sizeof(ifinfomsg)), body.size());
    found.push_back({head.nlmsg_type == RTM_DELLINK, link_of(info, body.subspan(skip))});
  });
  return found;
}

LinkWatch::LinkWatch(EventLoop& loop, OnChange on_change)
    : loop_(loop),
      on_change_(std::move(on_change)),
      events_(open_socket(SOCK_NONBLOCK, RTMGRP_LINK)),
      questions_(open_socket(0, 0)),
      buffer_(kBuffer) {
  const timeval patience{0, 200'000};
  ::setsockopt(questions_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  loop_.add(events_.get(), EPOLLIN, [this](std::uint32_t) { on_readable(); });
}

LinkWatch::~LinkWatch() { loop_.remove(events_.get()); }

// An error, such as an overflow of the socket's buffer, means that a message was lost: reported once, like
// every other change.
void LinkWatch::on_readable() {
  std::vector<unsigned> deleted;
  for (int i = 0; i < kReadsAtOnce; ++i) {
    const ssize_t size = ::recv(events_.get(), buffer_.data(), buffer_.size(), 0);
    if (size < 0 && errno == EAGAIN) break;
    if (size <= 0) continue;
    for (const LinkMessage& message :
         parse_link_messages(Bytes(buffer_).first(static_cast<std::size_t>(size)))) {
      if (message.deleted) deleted.push_back(message.link.index);
    }
  }
  on_change_(deleted);
}

std::optional<Link> LinkWatch::by_index(unsigned index) {
  return index == 0 ? std::optional<Link>(Link{}) : ask(index, {});
}
std::optional<Link> LinkWatch::by_name(const std::string& name) {
  return name.empty() || name.size() >= IFNAMSIZ ? std::optional<Link>(Link{}) : ask(0, name);
}

std::optional<Link> LinkWatch::ask(unsigned index, const std::string& name) {
  const Question q = question(index, name, ++sequence_);
  if (::send(questions_.get(), &q, q.head.nlmsg_len, 0) < 0) return std::nullopt;
  for (;;) {
    const ssize_t size = ::recv(questions_.get(), buffer_.data(), buffer_.size(), 0);
    if (size <= 0) return std::nullopt;
    const Bytes answer = Bytes(buffer_).first(static_cast<std::size_t>(size));
    const auto head = read<nlmsghdr>(answer);
    if (head.nlmsg_seq != sequence_) continue;  // the answer to a request that was given up
    if (head.nlmsg_type == NLMSG_ERROR && answer.size() >= NLMSG_LENGTH(sizeof(int))) {
      const int error = read<int>(answer.subspan(NLMSG_HDRLEN));
      return error == -ENODEV ? std::optional<Link>(Link{}) : std::nullopt;
    }
    const auto links = parse_link_messages(answer);
    return links.empty() ? std::nullopt : std::optional<Link>(links.front().link);
  }
}

}  // namespace control

#include "dataplane/xdp/vlan_tags.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "dataplane/xdp/descriptor.h"

namespace dp::xdp {
namespace {

// <linux/netdev.h> of the kernel since 6.8.
constexpr std::uint8_t kNetdevGetDevice = 1;
constexpr std::uint16_t kNetdevInterface = 1, kNetdevMetadata = 5;
constexpr std::uint64_t kMetadataVlanTag = 1u << 2;

using Bytes = std::span<const std::byte>;

template <class T>
T read(Bytes bytes) {
  T value{};
  if (bytes.size() >= sizeof(value)) std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

// The value of an attribute; empty if there is none of that type.
Bytes attribute(Bytes bytes, std::uint16_t type) {
  while (bytes.size() >= NLA_HDRLEN) {
    const auto head = read<nlattr>(bytes);
    if (head.nla_len < NLA_HDRLEN || head.nla_len > bytes.size()) break;
    if ((head.nla_type & NLA_TYPE_MASK) == type)
      return bytes.subspan(NLA_HDRLEN, head.nla_len - std::size_t{NLA_HDRLEN});
    bytes = bytes.subspan(std::min<std::size_t>(NLA_ALIGN(head.nla_len), bytes.size()));
  }
  return {};
}

// Sends requests of generic netlink, one after another.
class GenericNetlink {
 public:
  GenericNetlink() : socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC)) {
    const timeval patience{5, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }

  // The attributes of the answer, valid until the next request; empty if the request is refused.
  Bytes ask(std::uint16_t family, std::uint8_t command, std::uint16_t type, Bytes value) {
    std::array<std::byte, 64> request{};
    const nlattr attribute{static_cast<std::uint16_t>(NLA_HDRLEN + value.size()), type};
    const std::size_t size = kHeads + NLA_ALIGN(attribute.nla_len);
    if (size > request.size()) return {};
    nlmsghdr head{};
    head.nlmsg_len = static_cast<std::uint32_t>(size);
    head.nlmsg_type = family;
    head.nlmsg_flags = NLM_F_REQUEST;
    const genlmsghdr generic{command, 1, 0};
    std::memcpy(request.data(), &head, sizeof(head));
    std::memcpy(request.data() + NLMSG_HDRLEN, &generic, sizeof(generic));
    std::memcpy(request.data() + kHeads, &attribute, sizeof(attribute));
    std::memcpy(request.data() + kHeads + NLA_HDRLEN, value.data(), value.size());
    if (::send(socket_.get(), request.data(), size, 0) < 0) return {};
    const ssize_t got = ::recv(socket_.get(), answer_.data(), answer_.size(), 0);
    if (got < static_cast<ssize_t>(kHeads)) return {};
    const auto answered = Bytes(answer_).first(static_cast<std::size_t>(got));
    return read<nlmsghdr>(answered).nlmsg_type == family ? answered.subspan(kHeads) : Bytes{};
  }

 private:
  static constexpr std::size_t kHeads = NLMSG_HDRLEN + GENL_HDRLEN;

  Descriptor socket_;
  std::array<std::byte, 4096> answer_{};
};

// Sends ethtool's requests for one interface.
class Ethtool {
 public:
  explicit Ethtool(const std::string& interface) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    interface.copy(request_.ifr_name, IFNAMSIZ - 1);
  }
  // `command` begins with the structure of that command.
  template <class Command>
  bool ask(std::vector<std::uint32_t>& memory, const Command& command) {
    std::memcpy(memory.data(), &command, sizeof(command));
    request_.ifr_data = reinterpret_cast<char*>(memory.data());
    return ::ioctl(socket_.get(), SIOCETHTOOL, &request_) == 0;
  }

 private:
  Descriptor socket_;
  ifreq request_{};
};

// The kernel's names of features, in the order of their bits.
std::vector<std::string> feature_names(Ethtool& ethtool) {
  std::vector<std::uint32_t> count(sizeof(ethtool_sset_info) / 4 + 1);
  ethtool_sset_info which{};
  which.cmd = ETHTOOL_GSSET_INFO;
  which.sset_mask = std::uint64_t{1} << ETH_SS_FEATURES;
  if (!ethtool.ask(count, which) || count.back() == 0 || count.back() > 1024) return {};
  const std::size_t names = count.back();
  std::vector<std::uint32_t> strings((sizeof(ethtool_gstrings) + names * ETH_GSTRING_LEN) / 4 + 1);
  ethtool_gstrings head{};
  head.cmd = ETHTOOL_GSTRINGS;
  head.string_set = ETH_SS_FEATURES;
  head.len = count.back();
  if (!ethtool.ask(strings, head)) return {};
  const char* const text = reinterpret_cast<const char*>(strings.data()) + sizeof(ethtool_gstrings);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < names; ++i)
    found.emplace_back(text + i * ETH_GSTRING_LEN, ::strnlen(text + i * ETH_GSTRING_LEN, ETH_GSTRING_LEN));
  return found;
}

// A feature by the kernel's name, and by the word of ethtool -K.
struct Feature {
  std::string_view name, word;
};

std::string switch_off(const std::string& interface, std::span<const Feature> which) {
  Ethtool ethtool(interface);
  const std::vector<std::string> names = feature_names(ethtool);
  const std::size_t blocks = (names.size() + 31) / 32;
  constexpr std::size_t kBlock = sizeof(ethtool_get_features_block) / 4;
  std::vector<std::uint32_t> states(sizeof(ethtool_gfeatures) / 4 + blocks * kBlock);
  ethtool_gfeatures head{};
  head.cmd = ETHTOOL_GFEATURES;
  head.size = static_cast<std::uint32_t>(blocks);
  if (blocks == 0 || !ethtool.ask(states, head)) return {};
  std::string words;
  for (std::size_t i = 0; i < names.size(); ++i) {
    ethtool_get_features_block block;
    std::memcpy(&block, states.data() + sizeof(ethtool_gfeatures) / 4 + i / 32 * kBlock, sizeof(block));
    if ((block.active >> i % 32 & 1) == 0) continue;
    for (const Feature& feature : which) {
      if (names[i] == feature.name) words += (words.empty() ? "" : " ") + std::string(feature.word) + " off";
    }
  }
  return words;
}

}  // namespace

bool gives_vlan_tags(unsigned interface) {
  GenericNetlink netlink;
  constexpr std::string_view kFamily{"netdev", 7};  // with the octet that ends it
  const Bytes found =
      netlink.ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, std::as_bytes(std::span(kFamily)));
  const auto family = read<std::uint16_t>(attribute(found, CTRL_ATTR_FAMILY_ID));
  if (family == 0) return false;
  const auto index = static_cast<std::uint32_t>(interface);
  const Bytes device =
      netlink.ask(family, kNetdevGetDevice, kNetdevInterface, std::as_bytes(std::span(&index, 1)));
  return (read<std::uint64_t>(attribute(device, kNetdevMetadata)) & kMetadataVlanTag) != 0;
}

std::string rx_vlan_off(const std::string& interface) {
  constexpr std::array<Feature, 2> kFeatures{
      {{"rx-vlan-hw-parse", "rxvlan"}, {"rx-vlan-stag-hw-parse", "rx-vlan-stag-hw-parse"}}};
  return switch_off(interface, kFeatures);
}

std::string tx_vlan_off(const std::string& interface) {
  constexpr std::array<Feature, 2> kFeatures{
      {{"tx-vlan-hw-insert", "txvlan"}, {"tx-vlan-stag-hw-insert", "tx-vlan-stag-hw-insert"}}};
  return switch_off(interface, kFeatures);
}

}  // namespace dp::xdp

// The kernel's messages about interfaces, whole, cut and strange; and the kernel itself about `lo`.
#include "control/ports/link_watch.h"

#include <cstring>
#include <string>

#include <gtest/gtest.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "control/ports/port_binder.h"

namespace control {
namespace {

// Attributes and messages, padded as the kernel pads them.
std::string padded(std::string bytes) {
  bytes.resize(NLMSG_ALIGN(bytes.size()));
  return bytes;
}
template <class T>
std::string raw(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}
std::string attribute(unsigned short type, const std::string& value) {
  return padded(raw(rtattr{static_cast<unsigned short>(RTA_LENGTH(value.size())), type}) + value);
}
std::string message(unsigned short type, const std::string& attributes, unsigned char family = AF_UNSPEC,
                    unsigned flags = IFF_UP | 1u << 16) {
  ifinfomsg info{};
  info.ifi_family = family;
  info.ifi_index = 7;
  info.ifi_flags = flags;
  nlmsghdr head{};
  head.nlmsg_type = type;
  head.nlmsg_len = static_cast<unsigned>(NLMSG_LENGTH(sizeof(info)) + attributes.size());
  return padded(raw(head) + padded(raw(info)) + attributes);
}
std::vector<LinkMessage> parse_links(const std::string& bytes) {
  return parse_link_messages(std::as_bytes(std::span(bytes)));
}

const std::string kAll =
    attribute(IFLA_IFNAME, std::string("d0") + '\0') + attribute(IFLA_MTU, raw(std::uint32_t{1500})) +
    attribute(IFLA_ADDRESS, std::string("\x02\x00\x00\x00\x00\x0a", 6)) +
    attribute(IFLA_XDP | NLA_F_NESTED, attribute(IFLA_XDP_ATTACHED, std::string(1, '\1')) +
                                           attribute(IFLA_XDP_PROG_ID, raw(std::uint32_t{33})));

TEST(LinkMessages, AllThatIsNeededIsRead) {
  const auto found = parse_links(message(RTM_NEWLINK, kAll));
  ASSERT_EQ(found.size(), 1u);
  Link expected;
  expected.index = 7;
  expected.name = "d0";
  expected.up = expected.carrier = true;
  expected.mtu = 1500;
  expected.address = "02:00:00:00:00:0a";
  expected.xdp_program = 33;
  EXPECT_EQ(found[0].link, expected);
  EXPECT_FALSE(found[0].deleted);
}

TEST(LinkMessages, TwoInOneReadAreBothHeard) {
  const auto found = parse_links(message(RTM_DELLINK, kAll) + message(RTM_NEWLINK, kAll, AF_UNSPEC, IFF_UP));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].deleted);
  EXPECT_FALSE(found[1].link.carrier);
}

TEST(LinkMessages, LeavingABridgeIsNoDeletion) {
  EXPECT_TRUE(parse_links(message(RTM_DELLINK, kAll, AF_BRIDGE)).empty());
}

TEST(LinkMessages, OtherMessagesAreSkipped) {
  EXPECT_EQ(parse_links(message(RTM_NEWADDR, kAll) + message(RTM_NEWLINK, kAll)).size(), 1u);
}

TEST(LinkMessages, NoCutOrGarbledMessageIsReadBeyondItsEnd) {
  const std::string whole = message(RTM_NEWLINK, kAll);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::string cut(whole, 0, size);
    cut.shrink_to_fit();
    EXPECT_TRUE(parse_links(cut).empty()) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char c : {'\0', '\1', '\x7f', '\xff'}) {
      std::string garbled = whole;
      garbled[at] = c;
      garbled.shrink_to_fit();
      EXPECT_LE(parse_links(garbled).size(), 2u);
    }
  }
}

TEST(LinkWatch, TheKernelKnowsTheLoopbackAndNoStranger) {
  EventLoop loop;
  LinkWatch watch(loop, [](const auto&) {});
  const auto lo = watch.by_name("lo");
  ASSERT_TRUE(lo);
  EXPECT_EQ(lo->name, "lo");
  EXPECT_EQ(lo->index, ::if_nametoindex("lo"));
  EXPECT_EQ(watch.by_index(lo->index), lo);
  EXPECT_EQ(watch.by_name("no-such-one"), Link{});
  EXPECT_EQ(watch.by_name("a name that is far too long"), Link{});
  EXPECT_EQ(watch.by_index(0x7ffffff0), Link{});
}

TEST(PortBinder, JobsRunElsewhereAndAreHeardOfOnTheLoop) {
  EventLoop loop;
  int done = 0;
  std::thread::id where{};
  PortBinder binder(loop);
  for (int i = 1; i <= 3; ++i) {
    binder.start([&] { where = std::this_thread::get_id(); }, [&] { ++done; });
    EXPECT_TRUE(binder.busy());
    for (int wait = 0; wait < 1000 && binder.busy(); ++wait) loop.run_once(std::chrono::milliseconds(10));
    EXPECT_FALSE(binder.busy());
    EXPECT_EQ(done, i);
    EXPECT_NE(where, std::this_thread::get_id());
  }
}

}  // namespace
}  // namespace control

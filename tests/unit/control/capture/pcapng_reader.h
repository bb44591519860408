// Reads pcapng as control writes it: the names of the interfaces, and the packets. A block that is no block
// fails the test.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace control {

struct PcapngPacket {
  std::uint32_t interface = 0, length = 0;
  std::int64_t at = 0;
  std::string bytes{}, comment{};
  std::uint64_t id = 0;
};

struct PcapngContent {
  std::vector<std::string> interfaces{};
  std::vector<PcapngPacket> packets{};
  std::size_t statistics = 0;
};

namespace pcapng {

template <class Number>
Number at(std::string_view bytes, std::size_t offset) {
  Number number{};
  EXPECT_LE(offset + sizeof number, bytes.size());
  if (offset + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

// The value of an option; empty without one.
inline std::string option(std::string_view options, std::uint16_t wanted) {
  while (options.size() >= 4) {
    const auto code = at<std::uint16_t>(options, 0);
    const std::size_t size = at<std::uint16_t>(options, 2);
    if (code == 0) break;
    if (code == wanted) return std::string(options.substr(4, size));
    options.remove_prefix(std::min(options.size(), 4 + (size + 3) / 4 * 4));
  }
  return {};
}

inline PcapngPacket packet(std::string_view body) {
  PcapngPacket one{.interface = at<std::uint32_t>(body, 0), .length = at<std::uint32_t>(body, 16)};
  one.at =
      static_cast<std::int64_t>(std::uint64_t{at<std::uint32_t>(body, 4)} << 32 | at<std::uint32_t>(body, 8));
  const std::size_t size = at<std::uint32_t>(body, 12);
  one.bytes = body.substr(20, size);
  const std::string_view options = body.substr(20 + (size + 3) / 4 * 4);
  one.comment = option(options, 1);
  if (const std::string id = option(options, 5); id.size() == 8) one.id = at<std::uint64_t>(id, 0);
  return one;
}

}  // namespace pcapng

inline PcapngContent read_pcapng(std::string_view file) {
  using namespace pcapng;
  PcapngContent content;
  while (!file.empty()) {
    const auto type = at<std::uint32_t>(file, 0), length = at<std::uint32_t>(file, 4);
    if (length < 12 || length > file.size() || length % 4 != 0 ||
        at<std::uint32_t>(file, length - 4) != length) {
      ADD_FAILURE() << "no block: type " << type << ", length " << length << " of " << file.size();
      break;
    }
    const std::string_view body = file.substr(8, length - 12);
    if (type == 1) content.interfaces.push_back(option(body.substr(8), 2));
    if (type == 6) content.packets.push_back(packet(body));
    content.statistics += type == 5;
    file.remove_prefix(length);
  }
  return content;
}

}  // namespace control

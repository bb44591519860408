#include "tools/lab/replay/pcapng_ports.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

namespace lab {
namespace {

// Types of blocks, and the code of an interface's name.
constexpr std::uint32_t kSection = 0x0a0d0d0a, kInterface = 1, kPacket = 6;
constexpr std::uint16_t kName = 2;
constexpr std::uint32_t kLongestBlock = std::uint32_t{1} << 20;

template <class Number>
Number number_at(std::string_view bytes, std::size_t offset) {
  Number number{};
  if (offset + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

// The body of the next block; none at the end, and where no block is.
std::optional<std::string> next_block(std::istream& in, std::uint32_t& type) {
  std::string head(8, '\0');
  if (!in.read(head.data(), 8)) return std::nullopt;
  type = number_at<std::uint32_t>(head, 0);
  const auto length = number_at<std::uint32_t>(head, 4);
  if (length < 12 || length > kLongestBlock || length % 4 != 0) return std::nullopt;
  std::string body(length - 8, '\0');
  if (!in.read(body.data(), static_cast<std::streamsize>(body.size()))) return std::nullopt;
  body.resize(length - 12);
  return body;
}

std::string_view name_in(std::string_view interface) {
  std::string_view options = interface.substr(std::min<std::size_t>(8, interface.size()));
  while (options.size() >= 4) {
    const auto code = number_at<std::uint16_t>(options, 0);
    const std::size_t size = number_at<std::uint16_t>(options, 2);
    if (code == kName) return options.substr(4, size);
    if (code == 0) break;
    options.remove_prefix(std::min(options.size(), 4 + (size + 3) / 4 * 4));
  }
  return {};
}

SeenAt port_of(std::string_view name) {
  if (name == "core-in" || name == "core-out") return SeenAt::core;
  return name == "radio-in" || name == "radio-out" ? SeenAt::radio : SeenAt::neither;
}

}  // namespace

std::vector<SeenAt> ports_of_frames(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<SeenAt> interfaces, frames;
  std::uint32_t type = 0;
  for (bool first = true; const auto body = next_block(in, type); first = false) {
    if (first && type != kSection) return {};
    if (type == kInterface) interfaces.push_back(port_of(name_in(*body)));
    if (type != kPacket) continue;
    const auto interface = number_at<std::uint32_t>(*body, 0);
    if (interface >= interfaces.size()) return {};
    frames.push_back(interfaces[interface]);
  }
  const bool ours = std::ranges::any_of(interfaces, [](SeenAt at) { return at != SeenAt::neither; });
  return ours ? frames : std::vector<SeenAt>{};
}

}  // namespace lab

#include "control/told/radius/clients.h"

#include <algorithm>
#include <functional>

#include "dataplane/base/expect.h"

namespace control::told::radius {
namespace {

std::uint64_t first_bits(std::uint64_t value, unsigned bits) {
  return bits == 0 ? 0 : bits >= 64 ? value : value & ~std::uint64_t{0} << (64 - bits);
}

dp::Prefix around(const Endpoint& endpoint, std::uint8_t length) {
  if (!endpoint.ipv6) return {false, length, 0, first_bits(endpoint.lo << 32, length) >> 32};
  const unsigned of_lo = length > 64 ? length - 64u : 0;
  return {true, length, first_bits(endpoint.hi, length), first_bits(endpoint.lo, of_lo)};
}

}  // namespace

Clients::Clients(const std::vector<Client>& clients) {
  for (const Client& client : clients) {
    DP_EXPECT(!client.secret.empty());
    secrets_.insert_or_assign(client.network, client.secret);
    auto& lengths = lengths_[client.network.ipv6];
    if (std::ranges::find(lengths, client.network.length) == lengths.end()) {
      lengths.push_back(client.network.length);
    }
  }
  for (auto& lengths : lengths_) std::ranges::sort(lengths, std::greater<>());
}

const std::string* Clients::secret_of(const Endpoint& endpoint) const {
  for (const std::uint8_t length : lengths_[endpoint.ipv6]) {
    const auto found = secrets_.find(around(endpoint, length));
    if (found != secrets_.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace control::told::radius

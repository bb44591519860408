// Clients of a RADIUS server: those who may send requests, and the secrets that they share with it.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "control/told/source.h"
#include "dataplane/base/address.h"

namespace control::told::radius {

struct Client {
  dp::Prefix network;
  std::string secret;  // not empty
};

// A table by longest prefix. A lookup takes a step a length that occurs in it, and a logarithm of its size
// each. Never changes.
class Clients {
 public:
  // Requires: no secret is empty. The later one of two with one prefix counts.
  explicit Clients(const std::vector<Client>& clients);
  // The secret of the longest prefix around the address; null if there is none.
  const std::string* secret_of(const Endpoint& endpoint) const;

 private:
  std::map<dp::Prefix, std::string> secrets_;
  std::array<std::vector<std::uint8_t>, 2> lengths_;  // by ipv6, the longest first
};

}  // namespace control::told::radius

// Mikrotik-Rate-Limit (vendor 14988, type 8): rates as the router sees them, so that rx is the subscriber's
// upload.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace control::told::radius {

// bit/s; 0: no limit.
struct RateLimit {
  std::uint64_t rx = 0, tx = 0;
  friend bool operator==(const RateLimit&, const RateLimit&) = default;
};

// "10M/5M", "512k/2M 1M/4M ...": bit/s, with a suffix k, M or G of 1000. A single rate is for both ways.
// Words behind the first are bursts, thresholds and priorities, which are skipped. None if it cannot be read.
std::optional<RateLimit> parse_rate_limit(std::string_view text);

}  // namespace control::told::radius

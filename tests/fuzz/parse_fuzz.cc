// libFuzzer target. Input: a byte of which the low five bits are the bytes behind the first segment, in units
// of 8; then the first segment. Bit 7: with tunnels; bit 6: sequence numbers in them are ignored.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/parse_check.h"

namespace {

dp::GtpUSettings tunnels(dp::GtpUSequence sequence) {
  dp::GtpUSettings settings = dp::test::tunnels_of_tests();
  settings.peers.push_back({.prefix = {.ipv6 = false, .length = 8, .hi = 0, .lo = 10u << 24}, .network = 3});
  settings.ports.push_back(2153);
  settings.sequence = sequence;
  return settings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dp::GtpUSettings observing = tunnels(dp::GtpUSequence::observe),
                                ignoring = tunnels(dp::GtpUSequence::ignore);
  if (size == 0) return 0;
  const dp::Bytes head = std::as_bytes(std::span(data + 1, size - 1));
  const dp::GtpUSettings* const with = (data[0] & 0x40) != 0 ? &ignoring : &observing;
  const char* const fault =
      dp::test::parse_fault(head, (data[0] & 0x1f) * 8u, (data[0] & 0x80) != 0 ? with : nullptr);
  if (fault != nullptr) {
    std::fprintf(stderr, "parse: %s\n", fault);
    std::abort();
  }
  return 0;
}

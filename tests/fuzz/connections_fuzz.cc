// libFuzzer target: connections through a bearer and what befalls them, as connections_check.h reads it. With
// CONNECTIONS_TRACE in the environment it prints what comes to the box and what leaves it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/connections_check.h"

namespace {

void print(dp::Time now, dp::Side side, bool to_box, dp::Bytes frame) {
  const auto s = dp::read_tcp(frame.subspan(dp::test::kEthernet));
  std::printf("%12.6f %s %s", static_cast<double>(now.time_since_epoch().count()) / 1e9,
              side == dp::Side::core ? "core " : "radio", to_box ? "->box" : "<-box");
  if (!s) return void(std::printf(" no TCP segment, %zu bytes\n", frame.size()));
  std::printf(" %u > %u flags %02x seq %u+%zu ack %u window %u", s->source_port, s->destination_port,
              s->flags, s->seq, s->payload.size(), s->ack, s->window);
  for (unsigned i = 0; i < s->block_count; ++i)
    std::printf(" [%u, %u)", s->blocks[i].left, s->blocks[i].right);
  std::printf("\n");
}

}  // namespace

// Failures that the bench reports count as well.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  GTEST_FLAG_SET(break_on_failure, true);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool traces = std::getenv("CONNECTIONS_TRACE") != nullptr;
  const dp::Bytes input = std::as_bytes(std::span(data, size));
  if (const char* fault = dp::test::connections_fault(input, traces ? print : nullptr)) {
    std::fprintf(stderr, "connections: %s\n", fault);
    std::abort();
  }
  return 0;
}

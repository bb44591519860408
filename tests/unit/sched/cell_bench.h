// A worker with one cell on the test bench, and bearers in it whose slots are easy to count: an SDU of 1024
// bytes takes two slots of 1/600 s at the highest rate.
#pragma once
#include <string>

#include "tests/support/worker_bench.h"

namespace dp::test {

constexpr std::uint64_t kTopRate = 2'457'600;  // bit/s

inline RadioConfig constant_radio(std::uint64_t rate = kTopRate) {
  RadioConfig radio;
  radio.radio = static_cast<RadioChoice>(RadioList::index_of("constant"));
  radio.rate = rate;
  return radio;
}
inline RadioConfig reported_radio(std::uint64_t initial, Duration valid) {
  RadioConfig radio;
  radio.radio = static_cast<RadioChoice>(RadioList::index_of("reported"));
  radio.initial = initial;
  radio.valid = valid;
  return radio;
}

class CellBench : public WorkerBench {
 protected:
  static UeAddress ue(std::uint32_t n) { return ue_ipv4(0x0a2d0000 + n); }
  static BearerSettings in_cell(const RadioConfig& radio = constant_radio(), std::uint64_t rate = kMaxRate) {
    return {.downlink = {.link = radio, .rate = rate, .buffer = {4000, 1u << 24}}};
  }
  Cell& make_cell(const CellSettings& settings) {
    cells.push_back(std::make_unique<Cell>(settings));
    command(AddCell{cells.back().get()});
    return *cells.back();
  }
  Bearer& join(Cell& cell, std::uint32_t n, const RadioConfig& radio = constant_radio(),
               std::uint64_t rate = kMaxRate) {
    return add(ue(n), in_cell(radio, rate), 0, &cell);
  }
  void offer(std::uint32_t n, int packets, std::uint32_t bytes = 1024) {
    const std::string to = "10.45." + std::to_string(n / 256) + "." + std::to_string(n % 256);
    for (int i = 0; i < packets; ++i) {
      io.offer(Side::core, {.dst = Ip(to.c_str()), .ident = next_ident++, .payload = bytes - 40});
    }
  }
  void wait(Duration time) { run_until(clock.now() + time); }
  static std::uint64_t slots_of(const Bearer& bearer) { return bearer.downlink.member()->slots(); }

  std::vector<std::unique_ptr<Cell>> cells;
  std::uint32_t next_ident = 0;
};

inline constexpr Duration kMs{1'000'000};

}  // namespace dp::test

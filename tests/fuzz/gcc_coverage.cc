// The support that libFuzzer needs to follow code that GCC compiled with -fsanitize-coverage=trace-pc: a
// counter for each place, found by its address. Compiled without that option.
#include <array>
#include <cstddef>
#include <cstdint>

extern "C" {
void __sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end);
void __sanitizer_cov_trace_pc();
void __sanitizer_cov_trace_cmpf(float, float);
void __sanitizer_cov_trace_cmpd(double, double);
}

namespace {

constexpr std::size_t kPlaces = std::size_t{1} << 18;  // two places may share a counter
std::array<std::uint8_t, kPlaces> counters;

[[gnu::constructor]] void announce() {
  __sanitizer_cov_8bit_counters_init(counters.data(), counters.data() + counters.size());
}

}  // namespace

void __sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  ++counters[(place * 0x9e3779b97f4a7c15u) >> 46];
}

// Compared floating point numbers, of which libFuzzer takes no note.
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}

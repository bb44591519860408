#include "tools/lab/figures/sizes.h"

#include <algorithm>
#include <cmath>

#include "tools/lab/figures/stats.h"

namespace lab {
namespace {

double over(double sum, std::uint64_t n) { return n == 0 ? kNaN : sum / static_cast<double>(n); }

}  // namespace

void ResponseSum::add(const Transfer& transfer) noexcept {
  ++transfers;
  seconds += transfer.response();
  seconds_per_kB += transfer.response() * 1e3 / static_cast<double>(transfer.bytes);
  from_request += transfer.finished - transfer.started;
}

ResponseSum& ResponseSum::operator+=(const ResponseSum& other) noexcept {
  transfers += other.transfers;
  seconds += other.seconds;
  seconds_per_kB += other.seconds_per_kB;
  from_request += other.from_request;
  return *this;
}

double ResponseSum::mean() const noexcept { return over(seconds, transfers); }
double ResponseSum::mean_per_kB() const noexcept { return over(seconds_per_kB, transfers); }
double ResponseSum::mean_from_request() const noexcept { return over(from_request, transfers); }

ResponsesBySize responses_by_size(std::span<const FlowResult> flows) {
  ResponsesBySize sizes;
  for (const FlowResult& flow : flows) {
    for (const Transfer& transfer : flow.transfers) {
      if (std::isnan(transfer.response())) continue;
      const auto bin = std::ranges::lower_bound(kSizeBins, transfer.bytes);
      sizes[static_cast<std::size_t>(bin - kSizeBins.begin())].add(transfer);
    }
  }
  return sizes;
}

ResponseSum responses_up_to(const ResponsesBySize& sizes, std::uint64_t bytes) noexcept {
  ResponseSum sum;
  for (std::size_t bin = 0; bin < sizes.size() && kSizeBins[bin] <= bytes; ++bin) sum += sizes[bin];
  return sum;
}

}  // namespace lab

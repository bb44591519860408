#include "tools/bench/dpdk/cells.h"

#include <rte_cycles.h>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/fetch.h"
#include "dataplane/worker/prepare.h"

namespace dp::yardstick {
namespace {

constexpr std::uint32_t kLongest = 65'535;  // bytes

class Cells final : public CellSubject {
 public:
  explicit Cells(const CellPlan& plan) : sdus_(std::size_t{plan.cells} * plan.bearers) {
    const CellSettings settings{.scheduler = plan.scheduler, .members = plan.bearers};
    const auto phase = [&](std::uint32_t n) {
      return Duration{static_cast<std::int64_t>(1'666'666) * n / plan.cells};
    };
    for (std::uint32_t c = 0; c < plan.cells; ++c) {
      cells_.push_back(std::make_unique<Cell>(settings, 0, phase(c)));
      for (std::uint32_t b = 0; b < plan.bearers; ++b) add(*cells_.back(), plan);
    }
  }
  ~Cells() override {
    for (const auto& bearer : bearers_) bearer->send_all(context_);
  }
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;

  std::uint64_t round() noexcept override {
    context_.now += Duration{1'666'667};
    const std::uint64_t begun = rte_rdtsc();
    context_.timers.expire(context_.now, context_);
    return rte_rdtsc() - begun;
  }
  std::uint64_t given() const noexcept override {
    std::uint64_t sum = 0;
    for (const auto& cell : cells_) sum += cell->counters().slots_long.get();
    return sum;
  }

 private:
  void add(Cell& cell, const CellPlan& plan) {
    const std::size_t number = bearers_.size();
    // At 8 bit/s an SDU takes 18 hours.
    bearers_.push_back(
        prepare_bearer({.downlink = {.link = plan.radio, .rate = 8, .buffer = {4, 1u << 20}}}, number));
    Bearer& bearer = *bearers_.back();
    [[maybe_unused]] const bool admitted = cell.admit(*bearer.downlink.member());
    DP_EXPECT(admitted);
    bearer.downlink.count_in(counters_);
    bearer.downlink.enter_cell(context_);
    if (plan.radio.radio == static_cast<RadioChoice>(RadioList::index_of("reported"))) {
      bearer.downlink.member()->report(1'000'000 + number % 7 * 100'000, time_ns(1));
    }
    Sdu& sdu = sdus_[number];
    sdu.ip_len = sdu.frame_len = kLongest;
    sdu.segments = 1;
    if (bearer.downlink.enqueue(sdu, context_))
      kLegHandlers.downlink(bearer.downlink, context_.now, context_);
  }

  Context context_{};
  ClassLegCounters counters_;
  std::vector<Sdu> sdus_;
  std::vector<std::unique_ptr<Cell>> cells_;
  std::vector<PreparedBearer> bearers_;
};

}  // namespace

std::unique_ptr<CellSubject> make_cells(const CellPlan& plan) { return std::make_unique<Cells>(plan); }

}  // namespace dp::yardstick

#include "control/metrics/box_watch.h"

#include <algorithm>
#include <array>

#include "control/metrics/account_sum.h"

namespace control {
namespace {

constexpr std::array kOfPorts{dp::DropReason::egress_full, dp::DropReason::worker_full, dp::DropReason::pool};

}  // namespace

void BoxWatch::sample(dp::Runtime& runtime, Clock::time_point now) {
  load_.sample(runtime);
  const dp::FrameAccount account = sum_accounts(runtime);
  Sample sample{.at = now};
  for (const dp::Side side : dp::kSides) {
    const dp::PortLosses losses = runtime.losses(side);
    sample.received += account.received[dp::index(side)].frames;
    sample.missed += losses.missed;
    sample.dropped += losses.errors + losses.no_mbuf + losses.transmit_errors;
    for (const dp::DropReason reason : kOfPorts)
      sample.dropped += account.dropped[dp::index(side)][dp::index(reason)].frames;
  }
  for (const WorkerLoad& worker : load()) sample.stolen_ns.push_back(worker.stolen_ns.value_or(0));
  samples_.push_back(std::move(sample));
  if (samples_.size() > kSamples) samples_.pop_front();
}

BusyRatios BoxWatch::busy_ratios() const {
  BusyRatios busy;
  for (const WorkerLoad& worker : load()) busy.push_back(worker.busy_ratio);
  return busy;
}

// A port that was bound again counts from 0.
BoxWatch::Reading BoxWatch::read() const {
  if (samples_.size() < 2) return {};
  const Sample &first = samples_.front(), &last = samples_.back();
  Reading reading{.seconds = std::chrono::duration<double>(last.at - first.at).count(),
                  .received = last.received - first.received,
                  .dropped_at_ports = last.dropped - std::min(first.dropped, last.dropped),
                  .missed = last.missed - std::min(first.missed, last.missed)};
  const std::size_t workers = std::min(first.stolen_ns.size(), last.stolen_ns.size());
  for (std::size_t w = 0; w < workers; ++w) {
    const std::uint64_t stolen = last.stolen_ns[w] - std::min(first.stolen_ns[w], last.stolen_ns[w]);
    reading.stolen_ratio.push_back(static_cast<double>(stolen) / 1e9 / std::max(reading.seconds, 1e-9));
  }
  return reading;
}

}  // namespace control

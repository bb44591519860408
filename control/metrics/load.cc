#include "control/metrics/load.h"

#include "control/loop/log.h"
#include "control/metrics/stolen_time.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

std::uint64_t received(const dp::WorkerSnapshot& s) {
  return s.account.received[0].frames + s.account.received[1].frames;
}

}  // namespace

WorkerLoad load_between(const dp::WorkerSnapshot& before, const dp::WorkerSnapshot& after,
                        double cycles_per_ns, const WorkerLoad& last) {
  DP_EXPECT(after.busy_ns >= before.busy_ns && after.idle_ns >= before.idle_ns);
  WorkerLoad load = last;
  const auto busy = static_cast<double>(after.busy_ns - before.busy_ns);
  const auto idle = static_cast<double>(after.idle_ns - before.idle_ns);
  const auto frames = static_cast<double>(received(after) - received(before));
  if (busy + idle > 0) load.busy_ratio = busy / (busy + idle);
  load.polling = after.polls != before.polls;
  if (frames > 0) load.cycles_per_packet = busy * cycles_per_ns / frames;
  return load;
}

void SilenceLog::sample(const std::vector<WorkerLoad>& load) {
  silent_.resize(load.size());
  for (std::size_t w = 0; w < load.size(); ++w) {
    if (silent_[w] != load[w].polling) continue;
    silent_[w] = !load[w].polling;
    if (load[w].polling) {
      log::info(Event::worker_polls_again, {{"worker", w}});
    } else {
      log::warning(Event::worker_silent,
                   {{"worker", w},
                    {"found", "no poll for a second: its UEs' frames wait, and are dropped as worker_full"},
                    {"expected", "a CPU of its own (dataplane.cpus) that nothing stops"}});
    }
  }
}

void LoadSampler::sample(dp::Runtime& runtime) {
  before_.resize(runtime.workers());
  load_.resize(runtime.workers());
  for (std::size_t w = 0; w < runtime.workers(); ++w) {
    const dp::WorkerSnapshot now = runtime.shared(w).snapshot.read();
    load_[w] = load_between(before_[w], now, runtime.cycles_per_ns(), load_[w]);
    load_[w].stolen_ns = stolen_ns(runtime.thread_id(w));
    before_[w] = now;
  }
}

}  // namespace control

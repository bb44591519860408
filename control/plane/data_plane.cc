#include "control/plane/data_plane.h"

#include <utility>

namespace control {

DataPlane::DataPlane(dp::Runtime& runtime, config::Config config, std::uint32_t capacity,
                     std::chrono::milliseconds patience, std::function<std::uint64_t()> available)
    : running_(runtime, jobs_, std::move(config), [this](dp::Bearer& bearer) { bearers_.on_learnt(bearer); }),
      bearers_(running_, moves_, capacity, available),
      captures_(runtime, running_.sender, std::move(available)),
      jobs_(patience) {}

config::TraceFolder& DataPlane::traces() const {
  traces_.look_in(config().control.traces);
  return traces_;
}

void DataPlane::set_port(const dp::SetPort& command, std::function<void()> done) {
  running_.sender.send(command, [done = std::move(done)](const dp::Answer&) { done(); });
}

bool DataPlane::poll(Slices::Clock::time_point until) {
  const bool progress = running_.sender.poll(until);
  jobs_.poll(running_.sender.slowest(), Jobs::Clock::now(), until);
  modes_.poll(until);
  bearers_.age();
  moves_.poll(until);
  bearers_.refill(until);
  reloader_.poll();
  sampling_ = running_.registry.meter().proceed(until);
  captures_.poll(until);
  return progress;
}

bool DataPlane::ready() const {
  return jobs_.ready() || running_.sender.ready() || moves_.ready() || modes_.ready() || bearers_.ready() ||
         sampling_ || captures_.ready();
}

}  // namespace control

#include "control/life_log.h"

#include "control/leave.h"
#include "control/loop/log.h"
#include "control/loop/version.h"

namespace control {

void tell_started(const dp::Runtime& runtime, const DataPlane& plane, const Ready& ready) {
  const dp::PoolReport pool = runtime.pool();
  log::info(Event::started, {{"version", kVersion},
                             {"core", ready.settings.devices[0]},
                             {"core_driver", runtime.port(dp::Side::core).driver},
                             {"radio", ready.settings.devices[1]},
                             {"radio_driver", runtime.port(dp::Side::radio).driver},
                             {"mode", dp::name(plane.modes().mode())},
                             {"huge_pages", ready.settings.huge_pages ? "yes" : "no"},
                             {"workers", ready.settings.workers},
                             {"power", ready.settings.power == dp::dpdk::Power::poll ? "poll" : "adaptive"},
                             {"mbufs", pool.mbufs},
                             {"sdu_capacity", pool.buffer_cap},
                             {"bearer_capacity", plane.bearers().capacity()},
                             {"bearers", plane.registry().size()},
                             {"environment", runtime.environment()},
                             {"socket", ready.config.control.socket},
                             {"read_only_socket", ready.config.control.read_only},
                             {"metrics", ready.config.metrics.listen}});
}

bool tell_stopped(const dp::FrameAccount& account, bool drained) {
  const std::int64_t residue = account.residue();
  const bool well = residue == 0 && drained;
  log::write(well ? log::Level::info : log::Level::error, Event::stopped,
             {{"received", account.received[0].frames + account.received[1].frames},
              {"sent", account.sent[0].frames + account.sent[1].frames},
              {"dropped", account.drops()},
              {"left_behind", frames_held(account)},
              {"residue", residue}});
  if (residue != 0) log::error(Event::frames_unaccounted, {{"frames", residue}});
  if (!drained) log::error(Event::queue_left_behind, {{"frames", frames_held(account)}});
  return well;
}

}  // namespace control

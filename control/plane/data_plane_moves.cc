// Moves of bearers to another worker.
#include <utility>

#include <fmt/core.h>

#include "control/loop/log.h"
#include "control/plane/data_plane.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/worker/limits.h"

namespace control {

void DataPlane::move(const dp::UeAddress& ue, unsigned worker, OnMoved done, Client client) {
  move_for(MovedFor::request, ue, worker, std::move(done), std::move(client));
}

void DataPlane::move_for(MovedFor why, const dp::UeAddress& ue, unsigned worker, OnMoved done,
                         Client client) {
  const auto was = std::make_shared<unsigned>();
  jobs_.submit(
      [this, why, ue, worker, was](const JobEnd& finish) {
        const Record* record = registry_.find(ue);
        if (record == nullptr) throw Refusal(Refusal::Why::no_bearer, "no bearer " + text_of(ue));
        if (record->cell != nullptr) {
          throw Refusal(Refusal::Why::no_worker,
                        fmt::format("{} is in the cell {}, and stays on that one's worker, {}", text_of(ue),
                                    record->cell->name, record->cell->cell->worker()));
        }
        check_host(ue, *record->bearer, worker);
        *was = worker_of(ue);
        sender_.move(*record->bearer, worker, [this, why, moved = *was != worker, finish] {
          moved_[dp::index(why)] += moved ? 1 : 0;
          finish(nullptr);
        });
      },
      end_with(std::move(done), was), std::move(client));
}

// A bearer that is gone by its turn, or whose worker does not answer, is left out.
void DataPlane::rebalance(const Rebalancing& found) {
  log::info("workers_rebalanced", {{"from", found.from}, {"to", found.to}, {"bearers", found.ues.size()}});
  for (const dp::UeAddress& ue : found.ues) {
    move_for(
        MovedFor::load, ue, found.to, [](const Ended<unsigned>&) {}, Client());
  }
}

// A bearer whose move was given up, as its worker did not answer, may still be on its way.
void DataPlane::check_host(const dp::UeAddress& ue, const dp::Bearer& bearer, unsigned worker) const {
  const unsigned workers = sender_.workers();
  if (worker >= workers) {
    throw Refusal(Refusal::Why::no_worker, workers == 1 ? fmt::format("no worker {}: there is one, 0", worker)
                                                        : fmt::format("no worker {}: there are {}, 0 to {}",
                                                                      worker, workers, workers - 1));
  }
  if (sender_.moving(ue)) {
    throw Refusal(
        Refusal::Why::no_answer,
        fmt::format("{} is on its way to worker {}, which has not taken it", text_of(ue), worker_of(ue)));
  }
  const bool visits = worker != worker_of(ue) && worker != sender_.home_of(ue);
  if (visits && sender_.visitors(worker) >= dp::kMostVisitors) {
    throw Refusal(Refusal::Why::no_worker,
                  fmt::format("worker {} has {} bearers of other workers, the most it may; move some home",
                              worker, sender_.visitors(worker)));
  }
  // Each worker has its part of the memory for the SDUs of bearers.
  const std::uint64_t most = runtime_.pool().buffer_cap / workers;
  const std::uint64_t held = runtime_.shared(worker).snapshot.read().account.mbufs_held;
  const std::uint64_t coming = std::uint64_t{bearer.downlink.buffer().sdus()} + bearer.uplink.buffer().sdus();
  if (worker != worker_of(ue) && coming != 0 && most != 0 && held + coming > most) {
    throw Refusal(
        Refusal::Why::no_memory,
        fmt::format("worker {} holds {} of the {} frames that it may, and {} holds {}; ask again when "
                    "they have been sent",
                    worker, held, most, text_of(ue), coming));
  }
}

}  // namespace control

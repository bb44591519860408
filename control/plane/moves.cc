#include "control/plane/moves.h"

#include <utility>

#include <fmt/core.h>

#include "control/bearers/dedicated.h"
#include "control/loop/log.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/worker/limits.h"

namespace control {

void Moves::move(const dp::UeAddress& ue, unsigned worker, OnMoved done, Client client) {
  move_for(MovedFor::request, ue, worker, std::move(done), std::move(client));
}

void Moves::move_for(MovedFor why, const dp::UeAddress& ue, unsigned worker, OnMoved done, Client client) {
  const auto was = std::make_shared<unsigned>();
  running_.jobs.submit(
      [this, why, ue, worker, was](const JobEnd& finish) {
        const BearerRegistry& registry = running_.registry;
        const Record* record = registry.find(ue);
        if (record == nullptr) throw Refusal(Refusal::Why::no_bearer, no_bearer(registry, ue));
        if (record->cell != nullptr) {
          throw Refusal(Refusal::Why::no_worker,
                        fmt::format("{} is in the cell {}, and stays on that one's worker, {}",
                                    registry.text_of(ue), record->cell->name, record->cell->cell->worker()));
        }
        admit(ue, *record->bearer, worker);
        *was = worker_of(ue);
        running_.sender.move(*record->bearer, worker, [this, why, moved = *was != worker, finish] {
          count(why, moved ? 1 : 0);
          finish(nullptr);
        });
      },
      end_with(std::move(done), was), std::move(client));
}

void Moves::poll(Slices::Clock::time_point until) {
  if (const auto found = balancer_.poll(until)) rebalance(*found);
}

// A bearer that is gone by its turn, or whose worker does not answer, is left out.
void Moves::rebalance(const Rebalancing& found) {
  log::info(Event::workers_rebalanced,
            {{"from", found.from}, {"to", found.to}, {"bearers", found.ues.size()}});
  for (const dp::UeAddress& ue : found.ues) {
    move_for(
        MovedFor::load, ue, found.to, [](const Ended<unsigned>&) {}, Client());
  }
}

// Throws Refusal if the bearer cannot go to that worker. A bearer whose move was given up, as its worker did
// not answer, may still be on its way.
void Moves::admit(const dp::UeAddress& ue, const dp::Bearer& bearer, unsigned worker) const {
  const CommandSender& sender = running_.sender;
  const unsigned workers = sender.workers();
  if (worker >= workers) {
    throw Refusal(Refusal::Why::no_worker, workers == 1 ? fmt::format("no worker {}: there is one, 0", worker)
                                                        : fmt::format("no worker {}: there are {}, 0 to {}",
                                                                      worker, workers, workers - 1));
  }
  if (sender.moving(ue)) {
    throw Refusal(Refusal::Why::no_answer,
                  fmt::format("{} is on its way to worker {}, which has not taken it",
                              running_.registry.text_of(ue), worker_of(ue)));
  }
  const bool visits = worker != worker_of(ue) && worker != sender.home_of(ue);
  if (visits && sender.visitors(worker) >= dp::kMostVisitors) {
    throw Refusal(Refusal::Why::no_worker,
                  fmt::format("worker {} has {} bearers of other workers, the most it may; move some home",
                              worker, sender.visitors(worker)));
  }
  if (worker != worker_of(ue)) admit_frames(ue, bearer, worker);
}

// Each worker has its part of the memory for the SDUs of bearers.
void Moves::admit_frames(const dp::UeAddress& ue, const dp::Bearer& bearer, unsigned worker) const {
  const std::uint64_t most = running_.runtime.pool().buffer_cap / running_.sender.workers();
  const std::uint64_t held = running_.runtime.shared(worker).snapshot.read().account.mbufs_held;
  const std::uint64_t coming = std::uint64_t{bearer.downlink.buffer().sdus()} + bearer.uplink.buffer().sdus();
  if (coming == 0 || most == 0 || held + coming <= most) return;
  throw Refusal(
      Refusal::Why::no_memory,
      fmt::format("worker {} holds {} of the {} frames that it may, and {} holds {}; ask again when "
                  "they have been sent",
                  worker, held, most, running_.registry.text_of(ue), coming));
}

}  // namespace control

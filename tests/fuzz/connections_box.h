// The box of the target `connections`: one worker, or two that hand the bearer to each other, with one
// bearer, and what control does with it.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "dataplane/mesh/peers.h"
#include "dataplane/worker/prepare.h"
#include "dataplane/worker/worker.h"
#include "tests/fuzz/input.h"
#include "tests/support/memory_io.h"

namespace dp::test {

class ConnectionsBox {
 public:
  using BoxWorker = Worker<ManualClock, MemoryIo>;

  ConnectionsBox(const UeAddress& ue, bool two, const BearerSettings& settings) : ue_(ue) {
    if (two) mesh_.emplace(2u, std::array{1u, 1u});
    for (unsigned w = 0; w < (two ? 2u : 1u); ++w) {
      Peers* const peers = two ? &ends_.emplace_back(*mesh_, w) : nullptr;
      shared_.push_back(std::make_unique<WorkerShared>());
      workers_.push_back(std::make_unique<BoxWorker>(clock, io, *shared_.back(),
                                                     WorkerLimits{.max_bearers = 2,
                                                                  .peers = peers,
                                                                  .gtp_u = TunnelWire::settings(),
                                                                  .wheel = Calendar<Context>::kSmallWheel}));
    }
    home_ = at_ = two ? owner_of(ue, 2) : 0;
    if (!two) command(0, AddCell{&cell_});
    add(settings);
  }

  bool roams() const { return workers_.size() > 1; }
  const BearerSettings& settings() const { return settings_.back(); }

  // Control's.

  void set_mode(Mode mode) {
    for (unsigned w = 0; w < workers_.size(); ++w) command(w, SetMode{mode});
  }
  void set_port(Side side, bool up) {
    for (unsigned w = 0; w < workers_.size(); ++w) {
      command(w, SetPort{side, up, up ? PortLimit{} : kPortDown});
    }
  }
  void drain(bool on) {
    for (unsigned w = 0; w < workers_.size(); ++w) command(w, DrainProxies{.on = on});
  }
  void reconfigure(const BearerSettings& to) {
    if (under_way_) return;
    ++number_;
    fresh_.push_back(prepare_change(settings(), to, number_, number_));
    const std::unique_ptr<CellMember>& member = fresh_.back().of<MemberPart>();
    if (member != nullptr && !uses_cell(settings())) cell_.admit(*member);
    settings_.push_back(to);
    command(at_, Reconfigure{bearers_.back().get(), &settings_.back(), fresh_.back().get()});
  }
  // With its bearer's end everything of it ends; then the UE has another.
  void replace(const BearerSettings& by) {
    if (under_way_ || at_ != home_) return;
    command(at_, RemoveBearer{bearers_.back().get()});
    add(by);
  }
  // The bearer sets out for the other worker, or home.
  void roam() {
    if (!roams() || under_way_) return;
    const unsigned to = 1 - at_;
    if (at_ == home_) {
      command(home_, LendBearer{bearers_.back().get(), to});
    } else {
      command(home_, CallHome{bearers_.back().get(), at_});
    }
    under_way_ = true;
  }

  // Limits frames to those that are there now and `more`, or lifts the limit.
  void limit_frames(bool on, std::size_t more = 0) { io.max_frames = on ? io.outstanding() + more : kPlenty; }
  bool frames_are_scarce() const { return io.max_frames != kPlenty; }

  // Time.

  Time next_deadline() {
    Time next = kNever;
    for (const auto& worker : workers_) next = std::min(next, worker->next_deadline());
    return next;
  }
  void settle() {
    unsigned polls = 0;
    for (bool busy = true; busy && polls < kPolls; ++polls) {
      busy = false;
      for (const auto& worker : workers_) busy = worker->poll_once() || busy;
    }
    endless_ = endless_ || polls == kPolls;
    for (unsigned w = 0; w < workers_.size(); ++w) {
      Arrived arrived;
      if (!shared_[w]->mailbox.arrived.pop(arrived)) continue;
      at_ = w;
      under_way_ = false;
    }
  }

  // The rule that was broken of those that hold whenever nothing is left to do; null if none was.
  const char* fault() const {
    if (endless_) return "workers are busy for ever";
    std::int64_t residue = 0;
    std::uint64_t here = 0;
    for (const auto& worker : workers_) {
      const FrameAccount& account = worker->context().account;
      residue += account.residue();
      here += account.buffered + account.held + account.retained + account.egress;
      here += account.given - account.taken;  // to the other, of whose account it is not yet
    }
    if (residue != 0) return "frames unaccounted for";
    if (under_way_) return nullptr;  // frames kept with the bearer are in no account meanwhile
    return io.outstanding() <= here ? nullptr : "frames that nobody counts";
  }
  // Null, or a description of the state that is still kept of connections whose ends are gone.
  const char* kept() const {
    for (const auto& worker : workers_) {
      const FrameAccount& account = worker->context().account;
      if (account.held != 0) return "ACKs are held for ever";
      if (account.buffered != 0) return "frames are buffered for ever";
      if (account.retained != 0) return "segments are kept for ever";
      if (worker->context().proxy_store.taken() != 0) return "a connection is split for ever";
    }
    return io.outstanding() == 0 ? nullptr : "frames have leaked";
  }
  // Null, or what is left behind when everything was let go.
  const char* left() const {
    for (unsigned w = 0; w < workers_.size(); ++w) {
      const ClassSplitCounters& split = shared_[w]->classes[0].split;
      if (split.stored_bytes.get() != 0 || split.at_risk_bytes.get() != 0)
        return "octets are counted at the end";
      if (workers_[w]->context().account.mbufs_held != 0) return "mbufs are counted at the end";
      if (workers_[w]->context().timers.size() != 0) return "a timer runs at the end";
    }
    return kept();
  }

  ManualClock clock{time_ns(1'000'000)};
  MemoryIo io{clock};

 private:
  static constexpr std::size_t kPlenty = ~std::size_t{0};
  static constexpr unsigned kPolls = 10'000;  // at one time

  template <class Body>
  Answer command(unsigned worker, const Body& body) {
    shared_[worker]->mailbox.commands.push({++sequence_, body});
    workers_[worker]->poll_once();
    Answer answer;
    expect(shared_[worker]->mailbox.answers.pop(answer), "a command is answered in the next poll");
    return answer;
  }
  void add(const BearerSettings& settings) {
    settings_.push_back(settings);
    ++number_;
    bearers_.push_back(prepare_bearer(settings_.back(), number_, number_));
    Bearer& bearer = *bearers_.back();
    bearer.ue = ue_;
    if (uses_cell(settings)) cell_.admit(*bearer.downlink.member());
    expect(command(home_, AddBearer{&bearer}).status == CommandStatus::done, "the bearer is added");
  }

  // Bearers and their parts live as long as the workers, which live as long as the cell.
  std::optional<Mesh> mesh_;
  std::deque<Peers> ends_;
  Cell cell_{CellSettings{.members = 2}};
  std::vector<std::unique_ptr<WorkerShared>> shared_;
  std::deque<BearerSettings> settings_;
  std::deque<OwnedParts> fresh_;
  std::deque<PreparedBearer> bearers_;
  std::vector<std::unique_ptr<BoxWorker>> workers_;
  const UeAddress ue_;
  std::uint64_t sequence_ = 0, number_ = 0;
  unsigned home_ = 0, at_ = 0;  // the worker that its address names, and the one that has the bearer
  bool under_way_ = false;      // between the two
  bool endless_ = false;        // there was always something to do
};

}  // namespace dp::test

// The captures that run: tells the workers which frames they want, reads the workers' taps, and ends a
// capture after its time or its frames, at the client's request, or when the client has left. At most
// dp::kMostCaptures, one for each connection. The taps exist only while there is a capture. Belongs to the
// control thread. Requires: it outlives the workers' last poll.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "control/capture/capture.h"
#include "control/workers/command_sender.h"
#include "dataplane/tap/tap.h"
#include "dataplane/worker/runtime.h"

namespace control {

// what() is for the operator.
struct CaptureRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Captures {
 public:
  using Clock = std::chrono::steady_clock;
  using OnBegun = std::function<void(std::uint64_t id)>;

  // A part of the file, and how far the capture is; `ended`: nothing comes behind it.
  struct Piece {
    std::string bytes{};
    std::uint64_t frames = 0, lost = 0;
    bool ended = false;
    std::string_view why{};  // once it has ended: "time", "frames", "stopped" or "client left"
  };

  // `available`: bytes of memory that there are.
  Captures(dp::Runtime& runtime, CommandSender& sender, std::function<std::uint64_t()> available)
      : runtime_(runtime), sender_(sender), available_(std::move(available)) {}
  Captures(const Captures&) = delete;
  Captures& operator=(const Captures&) = delete;

  // These throw CaptureRefused. A capture belongs to its connection: for another it does not exist. It has
  // begun when all workers have answered.
  void begin(CaptureWish wish, OnBegun begun);
  Piece read(std::uint64_t id, const Client& by);
  void stop(std::uint64_t id, const Client& by);

  // Works until the time has come.
  void poll(Clock::time_point until);
  // Records wait for the next poll().
  bool ready() const { return more_; }
  std::size_t running() const { return captures_.size(); }

 private:
  enum class Stage { beginning, running, ending, drained, over };
  struct Entry {
    std::uint64_t id;
    std::size_t slot;  // its bit in a record
    Capture capture;
    Stage stage = Stage::beginning;
    Clock::time_point until{};  // running: its end; over: until it is forgotten
    std::string_view why{};
    std::vector<std::size_t> last_marks{};  // drained: the ends of its records in the rings, by worker
    std::array<std::uint64_t, dp::kTapPoints> lost_before{};
  };
  // The plan and the taps that are lent to the workers.
  struct Lent {
    dp::TapPlan plan{};
    std::vector<dp::Tap*> taps{};
  };

  Entry& find(std::uint64_t id, const Client& by);
  void admit(const CaptureWish& wish) const;
  std::size_t free_slot() const;
  void make_taps();
  void tell_workers(std::function<void()> answered);
  void end(Entry& entry, std::string_view why);
  void check_ends(Clock::time_point now);
  bool drain(Clock::time_point until);
  dp::TapRing* ring_with_oldest(dp::Time horizon);
  dp::Time horizon() const;
  void deliver(const dp::TapRecord& record);
  void count_losses(Entry& entry);
  std::uint64_t lost_in_taps(std::size_t slot, std::size_t point) const;
  void finish_ended(Clock::time_point now);
  template <class Which>
  void forget(Which which);

  dp::Runtime& runtime_;
  CommandSender& sender_;
  std::function<std::uint64_t()> available_;
  std::list<Entry> captures_;
  std::vector<std::unique_ptr<dp::Tap>> taps_;  // by worker; none without captures
  std::shared_ptr<Lent> lent_;                  // the last that was sent; null: none
  std::uint64_t next_id_ = 1;
  bool more_ = false;
};

}  // namespace control

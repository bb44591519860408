// Keeps the saved state on disk as it runs: every ten seconds if something has changed, when it is asked to,
// and at the end. The file is whole at every moment: it is written beside, brought to the disk, and then
// takes the place of the one before. Belongs to the control thread.
// Tests: tests/system/test_state.py
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "control/loop/background.h"
#include "control/loop/last_outcome.h"
#include "control/loop/slices.h"
#include "control/plane/data_plane.h"

namespace control {

struct Saved {
  std::string file;
  std::size_t bytes = 0;
};

class StateKeeper {
 public:
  using Clock = Slices::Clock;
  using OnSaved = std::function<void(dp::Result<Saved>)>;

  static constexpr std::chrono::seconds kEvery{10};

  // `path` empty: nothing is saved. `disk`: fingerprint() of the configuration file. Requires: plane and
  // beside outlive this.
  StateKeeper(const DataPlane& plane, Background& beside, std::string path, std::uint64_t disk)
      : plane_(plane), beside_(beside), path_(std::move(path)), disk_(disk) {}

  // The configuration file was read again.
  void file_read(std::uint64_t disk) { disk_ = disk; }
  // While a change waits to be confirmed, what ran before it stays saved.
  void pause(bool paused) { paused_ = paused; }

  // `done` is called once, from poll() or from the call itself.
  void save(OnSaved done);
  // Once a second.
  void tick(Clock::time_point now);
  // Goes on with what has been begun.
  void poll(Clock::time_point until);
  // Work waits for the next poll(), and for nothing else.
  bool ready() const { return static_cast<bool>(walk_); }

  // The end of the last saving; none: nothing is saved.
  std::optional<LastOutcome> last() const { return path_.empty() ? std::nullopt : std::optional(outcome_); }

  // The text of what runs, at once.
  std::string text() const;
  // Saves at once, where there is a path and no change is to be confirmed.
  void save_at_end();

 private:
  void begin();
  bool wait_for_writing();
  void write();
  void end(const dp::Result<Saved>& result);

  const DataPlane& plane_;
  Background& beside_;
  std::string path_;
  std::uint64_t disk_;
  bool paused_ = false;
  bool busy_ = false;  // from the walk to the end of the writing
  Slices walk_{};
  std::string text_;
  std::vector<OnSaved> waiting_;
  std::uint64_t last_ = 0;  // fingerprint() of the text on disk
  std::string told_;        // the error that was last logged
  LastOutcome outcome_{};
  Clock::time_point began_{};
  Clock::time_point next_ = Clock::now() + kEvery;
};

}  // namespace control

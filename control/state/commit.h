// Applies a configuration received over the socket, for good or until it is confirmed: a change that locks
// its operator out takes itself back. Belongs to the control thread.
// Tests: tests/system/test_state.py
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "control/plane/data_plane.h"
#include "control/state/state_keeper.h"

namespace control {

class Commit {
 public:
  using Clock = std::chrono::steady_clock;
  struct Outcome {
    Applied applied{};
    std::vector<std::string> kept;  // keys that cannot change while rncd runs, and why
  };
  using OnDone = std::function<void(Ended<Outcome>)>;

  // `changed`: after each change of the configuration. Requires: plane and keeper outlive this.
  Commit(DataPlane& plane, StateKeeper& keeper, std::function<void()> changed)
      : plane_(plane), keeper_(keeper), changed_(std::move(changed)) {}

  // Throws Refusal while another change is in progress or unconfirmed. With `within` the previous
  // configuration is restored unless confirm() is called in time, counted from the end of the change.
  void apply(config::Config file, std::optional<std::chrono::seconds> within, OnDone done);
  // Both throw Refusal if no change is unconfirmed.
  void confirm();
  void roll_back(OnDone done);

  // True while a change is in progress or unconfirmed.
  bool pending() const { return before_.has_value(); }
  // Time left for confirm().
  std::optional<std::chrono::seconds> left(Clock::time_point now) const;

  // To be called once a second.
  void tick(Clock::time_point now);
  // Continues work in progress.
  void poll(Clock::time_point until);
  bool ready() const { return static_cast<bool>(noting_); }

 private:
  struct Noted {
    dp::UeAddress ue;
    SharedSettings settings;
    Origin origin;
    std::string cell;             // empty: none
    std::uint32_t downlink_teid;  // TEID of the downlink of a bearer by TEID; 0: not known
  };
  // The previous configurations and, in order of address, the bearers that the configuration alone would not
  // restore: those that differ from their class, share slots, have a downlink TEID, or are not listed in it.
  struct Before {
    config::Config running, file;
    std::vector<Noted> bearers;
  };
  enum class Stage : std::uint8_t { noting, applying, waiting, rolling_back };

  void need_waiting() const;
  void reload(const config::Config& file, Against against, OnDone done);
  void begin();
  static Slices note(const DataPlane& plane, std::vector<Noted>& out);
  void restore_bearers();
  Slices wish(Wish& wish) const;
  Slices wish_back(Wish& wish) const;
  bool noted(const dp::UeAddress& ue) const;
  void on_applied(Ended<Outcome> ended);
  void forget();

  DataPlane& plane_;
  StateKeeper& keeper_;
  std::function<void()> changed_;
  std::optional<Before> before_;
  Stage stage_ = Stage::noting;
  config::Config wanted_;
  std::optional<std::chrono::seconds> within_;
  OnDone done_{};
  Slices noting_{};
  Clock::time_point deadline_{};
};

}  // namespace control

// The part of the control thread's state that readers on other threads (the metrics) need: an immutable copy,
// replaced as a whole once a second and after changes.
// Tests: tests/unit/control/metrics/metrics_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/bearers/aged.h"
#include "control/bearers/bearer_registry.h"
#include "control/bearers/cell_records.h"
#include "control/loop/last_outcome.h"
#include "control/loop/server_stats.h"
#include "control/metrics/load.h"
#include "control/plane/data_plane.h"
#include "control/plane/moved.h"
#include "control/ports/port_state.h"
#include "dataplane/base/counter.h"
#include "dataplane/base/histogram.h"
#include "dataplane/bearer/tunnel_book.h"
#include "dataplane/rlc/am_event_totals.h"

namespace control {

// One of the bearers with the most bytes queued.
struct TopBearer {
  std::string ue;
  struct Leg {
    std::uint64_t queued_sdus, queued_bytes, delivered_bytes, dropped_sdus;
    std::optional<dp::AmEventTotals> am{};  // counters of its air
  };
  std::array<Leg, 2> legs;  // by Direction
};

// The counters of a cell.
struct CellView {
  std::string name;
  std::array<std::uint64_t, 3> slots{};  // by kSlotsTo
  std::uint64_t bits = 0, members = 0, backlogged = 0, stale_reports = 0, refused = 0;
};
inline constexpr std::array<std::string_view, 3> kSlotsTo{"short", "long", "nobody"};

// The state of rncd's own tasks: start, reload, save.
struct LifeView {
  LastOutcome::Moment started{};
  LastOutcome reload{};
  std::optional<LastOutcome> save{};  // none: control.state is none
  bool on_trial = false;              // a change of the configuration waits to be confirmed
};

// The counters of GTP-U that the workers' records have, summed.
struct GtpUView {
  std::array<std::array<std::uint64_t, dp::kGtpUMessages>, 2>
      messages{};             // by receiving port and GtpUMessage
  std::uint64_t changes = 0;  // of bearers' tunnels
  std::vector<EchoPath> echoes{};
  std::uint64_t echoes_unmeasured = 0;
};

struct View {
  std::vector<std::string> classes;  // by ClassId
  std::vector<WorkerLoad> load;      // by worker
  std::vector<TopBearer> top;
  std::vector<CellView> cells;  // in order of name
  std::uint32_t capacity = 0;
  PolicyCounts policies{};
  std::vector<bool> proxied;  // by ClassId: it has a split proxy, or a bearer of it does
  AgedCounts aged{};
  MovedCounts moved{};
  std::vector<ServerStats> sockets;
  std::array<PortView, 2> ports{};  // by Side
  LifeView life{};
  GtpUView gtp_u{};
};

GtpUView gtp_u_of(const std::vector<dp::TunnelBook*>& books);

// The durations of changes to running bearers, and the frames that they lost; written by the control thread.
struct ChangeStats {
  dp::DurationHistogram seconds;
  dp::Counter lost_frames;
};

class LatestView {
 public:
  ChangeStats changes;

  void set(View view) {
    auto made = std::make_shared<const View>(std::move(view));
    const std::lock_guard lock(mutex_);
    view_.swap(made);
  }
  std::shared_ptr<const View> get() const {
    const std::lock_guard lock(mutex_);
    return view_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const View> view_ = std::make_shared<const View>();
};

// The `count` bearers with the most bytes queued at the meter's last sample, fullest first.
std::vector<TopBearer> top_bearers(const BearerRegistry& registry, std::size_t count);
CellView view_of(const CellRecord& record);
std::vector<CellView> view_of(const Cells& cells);
// The view without the workers' load, the sockets, the ports and rncd's own life.
View view_of(const DataPlane& plane);

}  // namespace control

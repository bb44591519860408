// Watches the interfaces behind the ports and keeps the ports bound to them: notifies the worker when frames
// cannot pass, closes devices that are dead, binds again interfaces that have come back, and logs each step.
// By dataplane.link_propagation it takes an interface down because of the other, and brings it up again.
// Belongs to the control thread (dataplane/decisions/034).
#pragma once
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/host/taken_link.h"
#include "control/plane/data_plane.h"
#include "control/ports/link_propagation.h"
#include "control/ports/link_watch.h"
#include "control/ports/port_binder.h"
#include "control/ports/port_state.h"

namespace control {

class PortKeeper {
 public:
  // The reason why the port could not be started on the interface that has its name now; empty: it could.
  // Called on the binder's thread.
  using Check = std::function<std::string(dp::Side)>;

  // Throws std::system_error when the kernel's messages cannot be had. `changed`: called after every change
  // of a view. `taken`: no interface is. `unfit`: the reason why frames of the interface that the port is
  // bound to are lost, or come changed; empty: neither. Called on the binder's thread too.
  PortKeeper(EventLoop& loop, DataPlane& plane, TakenLink taken, Check check, Check unfit,
             std::function<void()> changed);
  ~PortKeeper() {
    changed_ = [] {};  // nobody reads views any more
    stop();
  }

  // Waits for the job under way, brings up the interface that was taken down, and begins no more jobs.
  void stop();

  // To be called once a second: checks for missed messages, and tries again.
  void tick();
  // Does the work due between two ticks. For every turn of the control thread.
  void poll() {
    if (Clock::now() >= propagate_again_) propagate();
  }

  const PortView& view(dp::Side side) const { return ports_[dp::index(side)].view; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Port {
    SeenLinks seen;
    PortView view;
    Gate gate = Gate::open;
    bool waiting = false;  // for the worker's answer
    bool deleted = false;  // the interface it is bound to was deleted, even if its index is in use again
    bool unsure = false;   // the kernel has reported a change since its interface was judged
    unsigned failures = 0;
    Clock::time_point next_try{};
  };
  // The result of the binder's job.
  struct Outcome {
    dp::Side side{};
    bool attach = false;
    std::string complaint;
    bool tried = false;  // opening the device itself was attempted, and failed
  };

  void on_change(const std::vector<unsigned>& deleted);
  void look_at_both();
  void judge_bound();
  void note_judgement(dp::Side side);
  void look(dp::Side side);
  void step(dp::Side side);
  void tell(dp::Side side, Gate gate, const dp::SetPort& command);
  void bind(dp::Side side, bool attach);
  void attach(Outcome& outcome);
  void on_bound();
  void note_state(dp::Side side, PortState state);
  void note_changes(dp::Side side, const Link& was, const Link& is);
  void note_refusal(Port& port, const Outcome& outcome);
  void propagate();
  void on_propagated(const LinkStep& step, unsigned index);
  void note_propagated(dp::Side side, bool down, std::string_view why);
  Port& port(dp::Side side) { return ports_[dp::index(side)]; }

  DataPlane& plane_;
  const Check check_, unfit_;
  std::function<void()> changed_;
  std::array<Port, 2> ports_;
  Outcome outcome_;
  LinkWatch links_;
  LinkPropagation propagation_{Clock::now()};
  TakenLink taken_;  // owned by the binder while it is busy
  dp::Status propagated_ = dp::ok();
  std::string not_propagated_;  // the reason, already logged
  std::string judgement_;       // by unfit_; owned by the binder while it is busy
  Clock::time_point propagate_again_ = Clock::time_point::max();
  std::unique_ptr<PortBinder> binder_;  // null: stopped
};

}  // namespace control

// The known state of a port's kernel interface, the port's state that follows from it, and the next step.
// Pure: values in, values out.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/base/named_enum.h"
#include "dataplane/worker/runtime.h"

namespace control {

#define CONTROL_PORT_STATES(X)                                                 \
  X(up, "frames pass")                                                         \
  X(no_carrier, "the interface is down, or has no carrier")                    \
  X(gone, "the interface was deleted, or moved to another network namespace")  \
  X(program_lost, "the XDP program was taken off the interface")               \
  X(program_foreign, "the interface carries the XDP program of somebody else") \
  X(unbound, "the interface is there, but the port is not, or could not be, bound to it yet")

DP_NAMED_ENUM(PortState, CONTROL_PORT_STATES)
constexpr std::string_view name(PortState s) { return kPortStateNames[static_cast<std::size_t>(s)]; }

// A network interface as the kernel describes it.
struct Link {
  unsigned index = 0;  // 0: there is none
  std::string name{};
  bool up = false;
  bool carrier = false;
  std::uint32_t mtu = 0;
  std::string address{};  // "02:00:00:00:00:01"
  std::uint32_t xdp_program = 0;
  friend bool operator==(const Link&, const Link&) = default;
};

struct SeenLinks {
  Link bound;  // the interface that the port is, or was last, bound to; by its index
  Link named;  // the interface that has the configured name now
  friend bool operator==(const SeenLinks&, const SeenLinks&) = default;
};

PortState judge(const dp::PortBinding& binding, const SeenLinks& seen);

// The state of a port that was sent to the worker last.
enum class Gate : std::uint8_t { open, muted, closed };

enum class PortStep : std::uint8_t {
  stay,
  open,    // notify the worker that frames pass
  mute,    // command it to send nothing
  let_go,  // command it not to touch the device
  detach,  // close the device
  attach,  // open it again
};
PortStep next_step(PortState state, const dp::PortBinding& binding, const SeenLinks& seen, Gate gate);

// The state of a port as readers see it.
struct PortView {
  bool watched = false;  // false: a device without a kernel interface; its driver has the state
  PortState state = PortState::up;
  std::uint64_t rebinds = 0;
  std::string reason{};      // why it could not be bound; empty when it is
  std::string taken_down{};  // why rncd has taken the interface down; empty: it has not
  std::string unfit{};       // the fault of the interface that it is bound to; empty: none
  Link link{};
};
PortState state_of(const PortView& view, bool carrier_up);

}  // namespace control

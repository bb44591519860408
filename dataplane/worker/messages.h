// Commands from control to a worker, and their answers. Control allocates all memory; a command hands an
// object over, and its answer returns the object that is no longer in use. A worker neither allocates nor
// frees.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "dataplane/base/address.h"
#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/ring.h"
#include "dataplane/base/time.h"
#include "dataplane/bearer/learn.h"
#include "dataplane/bearer/parts.h"
#include "dataplane/bearer/tunnel_told.h"
#include "dataplane/mesh/handed.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/tunnel_key.h"

namespace dp {

struct Bearer;
struct BearerSettings;
class Cell;
struct CellSettings;
struct FlowSheet;
struct RateSheet;
class Tap;
struct TapPlan;

// For a bearer with the downlink `cell`, control takes a reservation in the cell and sets it in the bearer's
// member before AddBearer or Reconfigure. The worker returns the reservation when the bearer is removed,
// changes its link, or moves to another cell; control does so if AddBearer is refused.
struct AddBearer {  // bearer->ue is set. Refused if that UE has a bearer or the table is full
  Bearer* bearer;
};
struct RemoveBearer {  // queued frames are sent first (dropped in `block`). The answer returns the bearer
  Bearer* bearer;
};
// Removes a bearer only if it had no frame after `since`, in the directions of `from`, and has nothing queued
// or held; otherwise refused. So a packet that arrives before this command keeps the bearer.
struct RemoveSilent {
  Bearer* bearer;
  Time since;
  LearnFrom from;
};
struct Reconfigure {  // in place; the answer returns the settings and the unused parts
  Bearer* bearer;
  const BearerSettings* settings;
  BearerParts parts{};  // Bearer::reconfigure
};
// The bearer of the /64 around this UE releases its connections (Bearer::let_go_of), for a worker that has
// that bearer and is not its home. AddBearer and RemoveBearer do it at home. Requires: the UE is one IPv6
// address.
struct LetUeGo {
  UeAddress ue;
};
struct PoolBearer {  // a prepared bearer for UEs to be learnt, of class `bearer->cls`
  Bearer* bearer;
};
struct SetLearnRules {  // the answer returns the replaced rules (null at first)
  const LearnRules* rules;
};
// The answer returns the replaced map (null at first). Bearers whose frames came by a VLAN that now belongs
// to another network release their connections. Until then a worker may hand over frames with the old
// network, so control sends the command again, with this map, once all workers have answered.
struct SetNetworks {
  const NetworkMap* networks;
};
// The answer returns the replaced settings (null: without tunnels). A worker that has no book takes its own.
// Bearers whose frames came by a tunnel that is no longer looked into, or belongs to another network,
// release their connections; control sends the command again as SetNetworks.
struct SetGtpU {
  const GtpUSettings* settings;
  std::span<TunnelBook* const> books;  // by worker; they outlive the workers
};
// Packets of the direction come by this tunnel from now on (TunnelBook::tell). The answer has the effect.
// Requires: the worker has had GtpUSettings.
struct SetTunnel {
  Bearer* bearer;
  Direction direction;
  TunnelKey tunnel;
  std::uint8_t qfi;
  OnHandover way;
};
struct SetMode {  // leaving `inline` sends queued frames first, in order; `block` keeps them
  Mode mode;
};
struct SetUnknown {
  Unknown unknown;
};
struct SetPort {  // after the answer the worker accesses the device only if `attached`
  Side side;
  bool attached;    // if false, `limit` is kPortDown
  PortLimit limit;  // kPortDown: frames for this port are dropped
};
// Moves a bearer, with everything that it holds, to another worker, which reports its arrival
// (Mailbox::arrived). Requires (both commands): sent to the worker of the UE's address, with no other command
// for the bearer pending.
struct LendBearer {
  Bearer* bearer;
  unsigned to;
};
struct CallHome {  // moves it back from the worker that has it
  Bearer* bearer;
  unsigned from;
};
struct ReadFlows {  // refused if the UE has no bearer; the answer returns the sheet
  UeAddress ue;
  FlowSheet* sheet;
};
// Starts or ends draining: split proxies of the bearer, else of the class, else of all bearers, advertise to
// servers only what UEs have acknowledged, release connections once no data is at risk, and split no others.
// Remaining connections are in ClassSplitCounters.
struct DrainProxies {
  bool on;
  std::optional<ClassId> cls{};
  Bearer* bearer = nullptr;
};
struct AddCell {
  Cell* cell;
};
struct RemoveCell {  // refused while a bearer has a reservation; otherwise control owns it again
  Cell* cell;
};
struct ReconfigureCell {  // from its next slot on; the answer returns the settings. Requires: an unchanged
                          // number of members
  Cell* cell;
  const CellSettings* settings;
};
struct Relocate {  // moves a bearer to another cell, in which control has taken a reservation, with its queue
                   // and the carried part of an SDU. Refused, with the reservation returned, if its downlink
                   // is not `cell`
  Bearer* bearer;
  Cell* to;
};
struct ReportRates {  // the answer returns the sheet
  RateSheet* sheet;
};
// The captures that run from now on (null: none), and each worker's tap: both control's. From the answer on
// the worker uses no plan before.
struct SetTap {
  const TapPlan* plan;
  std::span<Tap* const> taps;  // by worker
};

struct Command {
  std::uint64_t sequence = 0;
  std::variant<AddBearer, RemoveBearer, RemoveSilent, Reconfigure, PoolBearer, SetLearnRules, SetMode,
               SetUnknown, SetPort, LendBearer, CallHome, ReadFlows, AddCell, RemoveCell, ReconfigureCell,
               Relocate, ReportRates, DrainProxies, LetUeGo, SetNetworks, SetGtpU, SetTunnel, SetTap>
      body;
};

enum class CommandStatus : std::uint8_t { done, ue_exists, table_full, no_bearer, in_use };

struct Answer {
  std::uint64_t sequence = 0;
  CommandStatus status = CommandStatus::done;
  TunnelTold told = TunnelTold::unchanged;  // SetTunnel
  Bearer* bearer =
      nullptr;  // RemoveBearer, RemoveSilent, a refused AddBearer, Reconfigure (still in use there)
  const BearerSettings* settings = nullptr;     // Reconfigure
  std::uint64_t lost = 0;                       // frames that a Reconfigure dropped, as `block` does
  BearerParts parts{};                          // Reconfigure: those no longer in use
  BearerParts in_use{};                         // and those in use from now on
  const LearnRules* rules = nullptr;            // SetLearnRules
  const NetworkMap* networks = nullptr;         // SetNetworks
  const GtpUSettings* gtp_u = nullptr;          // SetGtpU
  FlowSheet* sheet = nullptr;                   // ReadFlows
  Cell* cell = nullptr;                         // RemoveCell, if not refused
  const CellSettings* cell_settings = nullptr;  // ReconfigureCell
  RateSheet* rates = nullptr;                   // ReportRates
};

// A learnt bearer, from the pool; `ue` is set. The worker has it as if it had been added.
struct Learnt {
  Bearer* bearer = nullptr;
};

// A bearer that arrived from another worker.
struct Arrived {
  Bearer* bearer = nullptr;
};

// One per worker. Requires: control has at most kDepth unanswered commands, so that an answer always finds
// room; and at most kMostRoaming bearers in transit between workers whose arrival it has not read.
struct Mailbox {
  static constexpr std::size_t kDepth = 256;
  SpscRing<Command, kDepth> commands;       // control -> worker
  SpscRing<Answer, kDepth> answers;         // worker -> control
  SpscRing<Learnt, 1024> learnt;            // worker -> control; if full the worker reports later
  SpscRing<Arrived, kMostRoaming> arrived;  // worker -> control
};

}  // namespace dp

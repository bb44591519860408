// What control tells a worker and what comes back. Control allocates everything; a command hands an object
// over, its answer brings the object that is no longer in use home. A worker neither allocates nor frees.
#pragma once
#include <cstdint>
#include <optional>
#include <variant>

#include "dataplane/base/address.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/ring.h"
#include "dataplane/base/time.h"
#include "dataplane/bearer/learn.h"
#include "dataplane/bearer/parts.h"
#include "dataplane/mesh/handed.h"
#include "dataplane/packet/context.h"

namespace dp {

struct Bearer;
struct BearerSettings;
class Cell;
struct CellSettings;
struct FlowSheet;
struct RateSheet;

// Where a bearer's downlink is `cell`, control has taken a room in a cell for it, and has told its member so,
// before AddBearer or a Reconfigure that makes it so; the worker gives the room back when the bearer is
// removed, is another link's, or moves on, and control when AddBearer is refused.
struct AddBearer {  // bearer->ue is set. Refused when that UE has a bearer or the table is full
  Bearer* bearer;
};
struct RemoveBearer {  // what it queues is sent first (dropped in `block`). The answer brings the bearer home
  Bearer* bearer;
};
// The same, but only if it was not heard of after `since`, as `from` says, and nothing of it is queued or
// held; else it stays, refused. So a packet that comes while this is on its way keeps it.
struct RemoveSilent {
  Bearer* bearer;
  Time since;
  LearnFrom from;
};
struct Reconfigure {  // in place; the answer brings the settings home, and the parts that are no longer in
                      // use
  Bearer* bearer;
  const BearerSettings* settings;
  BearerParts parts{};  // Bearer::reconfigure
};
// The bearer of the /64 around this UE lets go of its connections (Bearer::let_go_of), where a worker has
// that bearer which is not its home. AddBearer and RemoveBearer do it at home. Requires: the UE is one IPv6
// address.
struct LetUeGo {
  UeAddress ue;
};
struct StockBearer {  // a prepared bearer for UEs to be learnt, `bearer->cls` says of which class
  Bearer* bearer;
};
struct SetLearnRules {  // the answer brings the rules replaced home (null at first)
  const LearnRules* rules;
};
// The answer brings the map replaced home (null at first). Bearers whose frames came by a VLAN that is of
// another network now let go of their connections. A worker may still hand frames to another that it gave the
// network of before: so this is sent once more, with the same map, when all workers have answered.
struct SetNetworks {
  const NetworkMap* networks;
};
struct SetMode {  // leaving `inline` sends what is queued first, in order; `block` keeps it
  Mode mode;
};
struct SetUnknown {
  Unknown unknown;
};
struct SetPort {  // once it is answered the worker touches the device only if it is `attached`
  Side side;
  bool attached;    // else `limit` is kPortDown
  PortLimit limit;  // kPortDown: what would leave there is dropped
};
// To another worker, with everything it holds; which says when it is there (Mailbox::arrived). These two are
// for the worker that the UE's address names, and require: nothing else about the bearer is under way.
struct LendBearer {
  Bearer* bearer;
  unsigned to;
};
struct CallHome {  // from the worker that has it
  Bearer* bearer;
  unsigned from;
};
struct ReadFlows {  // refused when the UE has no bearer; the answer brings the sheet home
  UeAddress ue;
  FlowSheet* sheet;
};
// From here on, or from here on no more, the split proxies of the bearer, or else of the class, or else of
// all bearers, tell servers only what UEs have acknowledged, let connections go as soon as nothing is at
// risk, and split no others. What is left is in ClassSplitCounters.
struct DrainProxies {
  bool on;
  std::optional<ClassId> cls{};
  Bearer* bearer = nullptr;
};
struct AddCell {
  Cell* cell;
};
struct RemoveCell {  // refused while a bearer has a room in it; else it is control's again
  Cell* cell;
};
struct ReconfigureCell {  // from its next slot on; the answer brings the settings home. Requires: as many
                          // members as it was made with
  Cell* cell;
  const CellSettings* settings;
};
struct Relocate {  // to another cell, in which control has taken a room, with what it queues and what was
                   // carried of an SDU. Refused when its downlink is not `cell`: the room is given back
  Bearer* bearer;
  Cell* to;
};
struct ReportRates {  // the answer brings the sheet home
  RateSheet* sheet;
};

struct Command {
  std::uint64_t sequence = 0;
  std::variant<AddBearer, RemoveBearer, RemoveSilent, Reconfigure, StockBearer, SetLearnRules, SetMode,
               SetUnknown, SetPort, LendBearer, CallHome, ReadFlows, AddCell, RemoveCell, ReconfigureCell,
               Relocate, ReportRates, DrainProxies, LetUeGo, SetNetworks>
      body;
};

enum class CommandStatus : std::uint8_t { done, ue_exists, table_full, no_bearer, in_use };

struct Answer {
  std::uint64_t sequence = 0;
  CommandStatus status = CommandStatus::done;
  Bearer* bearer =
      nullptr;  // RemoveBearer, RemoveSilent, a refused AddBearer, Reconfigure (still in use there)
  const BearerSettings* settings = nullptr;     // Reconfigure
  std::uint64_t lost = 0;                       // frames that a Reconfigure dropped, as `block` does
  BearerParts parts{};                          // Reconfigure: those in use no more
  BearerParts in_use{};                         // and those in use from now on
  const LearnRules* rules = nullptr;            // SetLearnRules
  const NetworkMap* networks = nullptr;         // SetNetworks
  FlowSheet* sheet = nullptr;                   // ReadFlows
  Cell* cell = nullptr;                         // RemoveCell, if not refused
  const CellSettings* cell_settings = nullptr;  // ReconfigureCell
  RateSheet* rates = nullptr;                   // ReportRates
};

// A bearer taken from the stock; `ue` is set. It belongs to the worker like one that was added.
struct Learnt {
  Bearer* bearer = nullptr;
};

// A bearer that has come from another worker.
struct Arrived {
  Bearer* bearer = nullptr;
};

// One per worker. Requires: control has no more than kDepth commands unanswered, so that an answer always
// finds room; and no more than kMostRoaming bearers on their way between workers, until it has read of their
// arrival.
struct Mailbox {
  static constexpr std::size_t kDepth = 256;
  SpscRing<Command, kDepth> commands;       // control -> worker
  SpscRing<Answer, kDepth> answers;         // worker -> control
  SpscRing<Learnt, 1024> learnt;            // worker -> control; when it is full the worker tells later
  SpscRing<Arrived, kMostRoaming> arrived;  // worker -> control
};

}  // namespace dp

// The session of a subscriber (control/told/session.h) that the rules of a PFCP session amount to.
#pragma once
#include "control/told/pfcp/rule_set.h"
#include "control/told/session.h"

namespace control::told::pfcp {

// Sets addresses, limits, gates, tunnels, QFI, flows and `idle` from the rules; leaves the rest.
//
// The PDRs of a direction are those from the access side, or those from the core's; not those to and from the
// CP function (router advertisements) or lawful interception. The default flow is that of the PDR that is
// looked at last. A limit of the session is the least MBR of the QERs that all PDRs of its default flow refer
// to: those include the QERs that all PDRs of the direction refer to, the session's AMBR, and cores that know
// no such QER give the default flow the AMBR. A limit of another flow is the least of the QERs that all its
// PDRs refer to. No MBR is no limit, and an MBR of 0 is none either: cores send it for the direction that has
// no limit, and block by the gate.
//
// The work is at most the number of PDRs times that of their QERs, times the 64 QFIs.
void describe(const RuleSet& rules, Session& session);

}  // namespace control::told::pfcp

// The only unit of the data plane's that compiles the spines and the calendar for all bearers of a program.
// Units that make bearers or arm timers, such as control's, are optimised less, and of an inline function
// that several units have the linker takes one copy.
#include "dataplane/downlink/downlink.h"
#include "dataplane/uplink/uplink.h"
#include "dataplane/worker/prepare.h"

namespace dp {

constinit const LegHandlers kLegHandlers{&downlink::serve, &uplink::serve};
constinit const SplitProxy::Send kSendFromProxy = &downlink::enqueue_from_proxy;

template class TimerLinks<Context>;
template class MovingTimers<Context>;
template class DueTimers<Context>;
template class Calendar<Context>;

}  // namespace dp

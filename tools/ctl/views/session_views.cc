// The table of the sessions of rncd-told.
#include <array>

#include "tools/ctl/members.h"
#include "tools/ctl/views.h"

namespace ctl::views {
namespace {

bool is_not_applied(const Json& row) { return look(row, "/state") != "applied"; }

constexpr std::array kSessionColumns{
    Column{"ue", Kind::text, "/ue"},
    Column{"source", Kind::text, "/source"},
    Column{"peer", Kind::text, "/peer"},
    Column{"told", Kind::rate, "/told/downlink"},
    Column{"up_told", Kind::rate, "/told/uplink"},
    Column{"applied", Kind::rate, "/applied/downlink"},
    Column{"up_applied", Kind::rate, "/applied/uplink"},
    Column{"since", Kind::age, "/since_seconds", Place::second},
    Column{"why", Kind::text, "/why", Place::second, "", nullptr, is_not_applied},
    Column{"class", Kind::text, "/class", Place::wide},
    Column{"state", Kind::text, "/state", Place::wide},
    Column{"identity", Kind::text, "/identity", Place::wide},
    Column{"session", Kind::text, "/session", Place::wide},
    Column{"session_state", Kind::text, "/session_state", Place::wide},
    Column{"flows", Kind::count, "/flows", Place::wide},
    Column{"heard", Kind::age, "/told_seconds", Place::wide},
};

}  // namespace

const ListView kSessions{"sessions", kSessionColumns};

}  // namespace ctl::views

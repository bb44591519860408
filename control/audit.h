// Who changed what over the socket, for the log.
#pragma once
#include <string_view>

#include "control/log.h"
#include "control/methods.h"

namespace control::rpc {

// The members of a result as fields of an event.
void append_result(log::Fields& fields, const Json& result);

// The request's Done, which first writes the event with the peer's credentials and the outcome.
Done logged(const Request& request, std::string_view event, std::string_view what);

}  // namespace control::rpc

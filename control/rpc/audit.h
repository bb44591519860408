// Log entries for changes over the socket: the client, the change, and refused requests.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/loop/log.h"
#include "control/rpc/methods.h"

namespace control::rpc {

// UEs that one line names; of more it gives the number.
inline constexpr std::size_t kMostNamed = 8;

// Appends the members of a result as fields of an event.
void append_result(log::Fields& fields, const Json& result);

// A description of the changes, known at their end: "10.45.0.2 downlink.rate 8M to 2M; 10.45.0.3 removed".
using Changes = std::shared_ptr<std::string>;

// The request's Done, which first logs the event with the peer's credentials, the subject of the request, the
// program that sets it, its changes and its outcome. A program that changes nothing is logged as debug.
Done logged(const Request& request, std::string_view event, std::string_view what, Changes changes = nullptr);

// Runs the body of a change; a Fault that it throws is an outcome, and so in the log.
template <class Body>
void audited(const Request& request, std::string_view event, std::string_view what, Body body,
             Changes changes = nullptr) {
  const Done done = logged(request, event, what, std::move(changes));
  try {
    body(done);
  } catch (const Fault& fault) {
    done(fault);
  }
}

// The subject of a request: text in `one`, or a list in `many` of texts and of objects with the text in
// `member`.
std::string named_in(const Json& params, const char* one, const char* many, const char* member);

// {"downlink": {"rate": {"was": "8M", "now": "2M"}}}: every value that differs, in the configuration's
// notation.
Json difference(const dp::BearerSettings& was, const dp::BearerSettings& now);
std::string describe(const Applied& applied, const config::Config& config);

}  // namespace control::rpc

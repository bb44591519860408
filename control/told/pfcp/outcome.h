// Words for metrics: results of messages (control/told/source.h, MessageCounts).
#pragma once
#include <string_view>

namespace control::told::pfcp::outcome {

inline constexpr std::string_view kAwaited = "awaited";  // a request: its response is
inline constexpr std::string_view kApplied = "applied";
inline constexpr std::string_view kAssumed = "assumed";        // applied without a response
inline constexpr std::string_view kRejected = "rejected";      // the response says so
inline constexpr std::string_view kRepeated = "repeated";      // a retransmission, or a copy of the mirror's
inline constexpr std::string_view kLate = "late";              // a response after the request was assumed
inline constexpr std::string_view kUnmatched = "unmatched";    // a response without its request
inline constexpr std::string_view kSuperseded = "superseded";  // an establishment that another one follows
inline constexpr std::string_view kUnknownSession = "unknown_session";
inline constexpr std::string_view kIncomplete = "incomplete";  // an element that must be there is not
inline constexpr std::string_view kMalformed = "malformed";
inline constexpr std::string_view kVersion = "version";  // not version 1
inline constexpr std::string_view kFull = "full";        // a table is
inline constexpr std::string_view kSeen = "seen";        // nothing follows from it

}  // namespace control::told::pfcp::outcome

// The answers of rncd as text for people. Each function takes the JSON that `--json` would have printed. A
// missing member prints as "-", so that answers of a newer or older rncd can still be read.
#pragma once
#include <string>

#include "tools/ctl/client.h"
#include "tools/ctl/table/column.h"

namespace ctl::views {

// The tables, of rows as the methods that list answer them.
extern const ListView kBearers, kTunnels, kFlows, kCells, kProxies, kWorkers, kDrops, kPorts, kClasses,
    kSessions;

// Rows of the answer of stats.get.
Json drops_in(const Json& stats);
Json ports_in(const Json& stats);

std::string bearer(const Json& bearer);
std::string cell(const Json& cell);
std::string draining(const Json& result);      // result of proxy.drain
std::string wires(const Json& result);         // result of `wire show`
std::string wire_removed(const Json& result);  // result of `wire remove`
std::string mode(const Json& mode);
std::string stats(const Json& stats, tools::Form form);
std::string methods(const Json& result);  // result of rpc.methods
std::string document(const Json& any);    // indented JSON
std::string fields(const Json& object);   // "name value" lines

std::string changed(const Json& result);  // result of bearer.set
std::string profiles(const Json& result);
std::string reconfigured(const Json& result);  // result of rrc.reconfigure
std::string cell_changed(const Json& result);  // result of cell.set
std::string mode_changed(const Json& result);  // result of mode.set
std::string checked(const Json& result);       // result of config.check
std::string difference(const Json& result);    // result of config.diff
std::string applied(const Json& result);       // of config.apply and config.rollback

}  // namespace ctl::views

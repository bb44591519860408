// The answers of rncd as text for people. Each function takes the JSON that `--json` would have printed. A
// missing member prints as "-", so that answers of a newer or older rncd can still be read.
#pragma once
#include <string>
#include <vector>

#include "tools/ctl/client.h"

namespace ctl::views {

// The widths that the columns of a table printed in parts have come to.
using Widths = std::vector<std::size_t>;
// A part of the list; the first, for which `widths` are empty, has the headings.
std::string bearers(const Json& list, Widths& widths);
std::string tunnels(const Json& list, Widths& widths);
std::string bearer(const Json& bearer);
std::string flows(const Json& result);
std::string cells(const Json& list);
std::string cell(const Json& cell);
std::string proxies(const Json& result);       // result of proxy.show
std::string draining(const Json& result);      // result of proxy.drain
std::string wires(const Json& result);         // result of `wire show`
std::string wire_removed(const Json& result);  // result of `wire remove`
std::string workers(const Json& list);
std::string drops(const Json& ports);
std::string ports(const Json& ports);
std::string classes(const Json& list);
std::string mode(const Json& mode);
std::string stats(const Json& stats);
std::string methods(const Json& list);
std::string document(const Json& any);   // indented JSON
std::string fields(const Json& object);  // "name value" lines

std::string changed(const Json& result);  // result of bearer.set
std::string profiles(const Json& result);
std::string reconfigured(const Json& result);  // result of rrc.reconfigure
std::string cell_changed(const Json& result);  // result of cell.set
std::string mode_changed(const Json& result);  // result of mode.set
std::string checked(const Json& result);       // result of config.check
std::string difference(const Json& result);    // result of config.diff
std::string applied(const Json& result);       // of config.apply and config.rollback

}  // namespace ctl::views

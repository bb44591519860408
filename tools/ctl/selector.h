// The options by which a command names a dedicated bearer of a UE.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

#include "tools/ctl/client.h"

namespace ctl {

struct Selector {
  std::string qfi, teid;  // empty: not given

  bool given() const { return !qfi.empty() || !teid.empty(); }
  // Adds "qfi" or "teid" to the parameters of a call, if one is given.
  void add_to(Json& params) const;
};

// Adds --qfi and --teid, one of which may be given.
void add_selector(CLI::App& command, Selector& selector);

// Text such as 0x21 or 33.
Json teid_of(const std::string& text);

}  // namespace ctl

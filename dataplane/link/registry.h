// The link models as configuration and control know them: their names, texts and settings. link/engines.h is
// the same list for the data plane. A new one is a file of its settings, a file of the link, and its name in
// both.
// Tests: tests/contract/link_contract_test.cc
#pragma once
#include <array>

#include "dataplane/base/typelist.h"
#include "dataplane/link/am/settings.h"
#include "dataplane/link/cell_config.h"
#include "dataplane/link/shaper_config.h"
#include "dataplane/link/um/settings.h"
#include "dataplane/link/wire_config.h"

namespace dp {

using LinkList = TypeList<WireSpec, ShaperSpec, AmSpec, CellSpec, UmSpec>;
using LinkConfig = LinkList::Configs;

// False for links that hold nothing back.
inline bool buffers(const LinkConfig& link) {
  static constexpr std::array kBuffers = LinkList::each([]<class L>(TypeTag<L>) { return L::kBuffers; });
  return kBuffers[link.index()];
}

}  // namespace dp

// The link models as the data plane runs them, in the order of link/registry.h.
// Tests: tests/contract/link_contract_test.cc
#pragma once
#include "dataplane/buffer/link_room.h"
#include "dataplane/link/am/am.h"
#include "dataplane/link/cell.h"
#include "dataplane/link/link.h"
#include "dataplane/link/registry.h"
#include "dataplane/link/shaper.h"
#include "dataplane/link/um/um.h"
#include "dataplane/link/wire.h"

namespace dp {

using LinkEngines = TypeList<WireLink, ShaperLink, AmLink, CellLink, UmLink>;
static_assert(LinkEngines::kBytes == sizeof(LinkRoom) && LinkEngines::kAlignment <= alignof(LinkRoom));
static_assert(kRuns<LinkEngines, LinkList>);

template <LinkModel... Ls>
constexpr bool all_are_links(TypeList<Ls...>) {
  return true;
}
static_assert(all_are_links(LinkEngines{}));

}  // namespace dp

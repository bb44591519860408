// The link models. A new one is a file beside this and its name in the list.
#pragma once
#include "dataplane/base/typelist.h"
#include "dataplane/link/am/am.h"
#include "dataplane/link/cell.h"
#include "dataplane/link/link.h"
#include "dataplane/link/shaper.h"
#include "dataplane/link/wire.h"

namespace dp {

using LinkList = TypeList<WireLink, ShaperLink, AmLink, CellLink>;
using LinkSlot = LinkList::Variant;
using LinkConfig = LinkList::Configs;

template <LinkModel... Ls>
constexpr bool all_are_links(TypeList<Ls...>) {
  return true;
}
static_assert(all_are_links(LinkList{}));

// False for links that hold nothing back.
inline bool buffers(const LinkConfig& link) {
  bool yes = false;
  LinkList::visit_named(LinkList::kNames[link.index()], [&]<class Tag>(Tag) { yes = Tag::type::kBuffers; });
  return yes;
}

}  // namespace dp

// Prefixes that the wire's XDP program looks up: a trie of each IP version. The tries belong to the program,
// and outlive the process that fills them.
// Tests: tests/system/tunnels/wire_tunnels_test.cc
#pragma once
#include <cstddef>

#include "dataplane/base/address.h"
#include "dataplane/base/result.h"
#include "dataplane/xdp/descriptor.h"

namespace dp::xdp {

class PrefixTries {
 public:
  // `what` names them in errors. Requires: both tries are present; `what` outlives this.
  PrefixTries(Descriptor v4, Descriptor v6, const char* what);

  // add() keeps a prefix that is there already, remove() accepts one that is not.
  Status add(const Prefix& prefix);
  Status remove(const Prefix& prefix);
  // Removes up to `most` prefixes. False: none is left.
  Result<bool> clear(std::size_t most);

 private:
  Descriptor v4_, v6_;
  const char* what_;
};

}  // namespace dp::xdp

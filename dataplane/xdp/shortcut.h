// The short-cut of a wire as control configures it: the kinds of frames that take it, and the tries of the
// wire's XDP program, which list the known UEs. The tries belong to the program, and outlive the process that
// fills them. Belongs to a Wire.
// Tests: tests/system/test_wire_shortcut.py
#pragma once
#include <cstddef>
#include <functional>

#include "dataplane/base/address.h"
#include "dataplane/base/result.h"
#include "dataplane/base/wire.h"
#include "dataplane/xdp/descriptor.h"

namespace dp::xdp {

class KernelShortcut final : public WireShortcut {
 public:
  // Writes the program's settings, which hold from then on; called by the thread that calls take().
  using Write = std::function<Status(Shortcut)>;

  // The tries of both IP versions. Requires: all three arguments are present.
  KernelShortcut(Descriptor ues4, Descriptor ues6, Write write);

  Status take(Shortcut which) override { return write_(which); }
  Status add(const Prefix& ues) override;
  Status remove(const Prefix& ues) override;
  Result<bool> clear(std::size_t most) override;

 private:
  Descriptor ues4_, ues6_;
  Write write_;
};

}  // namespace dp::xdp

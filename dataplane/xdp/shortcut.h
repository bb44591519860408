// The short-cut of a wire as control configures it: the kinds of frames that take it, and the tries of the
// wire's XDP program, which list the known UEs. Belongs to a Wire.
// Tests: tests/system/test_wire_shortcut.py
#pragma once
#include <cstddef>
#include <functional>
#include <utility>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/result.h"
#include "dataplane/base/wire.h"
#include "dataplane/xdp/prefix_tries.h"

namespace dp::xdp {

class KernelShortcut final : public WireShortcut {
 public:
  // Writes the program's settings, which hold from then on; called by the thread that calls take().
  using Write = std::function<Status(Shortcut)>;

  // Requires: `write` is not empty.
  KernelShortcut(PrefixTries ues, Write write) : ues_(std::move(ues)), write_(std::move(write)) {
    DP_EXPECT(write_);
  }

  Status take(Shortcut which) override { return write_(which); }
  Status add(const Prefix& ues) override { return ues_.add(ues); }
  Status remove(const Prefix& ues) override { return ues_.remove(ues); }
  Result<bool> clear(std::size_t most) override { return ues_.clear(most); }

 private:
  PrefixTries ues_;
  Write write_;
};

}  // namespace dp::xdp

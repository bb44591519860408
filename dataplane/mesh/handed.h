// An entry that one worker hands to another which has, had or shall have a UE: frames of the UE, the bearer
// itself, or the request to return the bearer. All take one ring, so that they arrive in the order in which
// they were handed over.
// Tests: tests/unit/worker/mesh_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/mesh/frame_ring.h"
#include "dataplane/packet/sdu.h"

namespace dp {

struct Bearer;

// Bearers that may be on their way at a time, between all workers together.
inline constexpr std::size_t kMostRoaming = 64;

// A pointer with its kind in the lowest bits.
class Handed {
 public:
  enum class Kind : std::uint8_t {
    frame,
    bearer,    // and everything stored with it: the receiver has it from here on
    call_home  // from the home, to the worker that has the bearer: no more frames follow for it
  };

  Handed() = default;
  explicit Handed(Sdu& frame) : Handed(&frame, Kind::frame) {}
  Handed(Bearer& bearer, Kind kind) : Handed(static_cast<void*>(&bearer), kind) {
    DP_EXPECT(kind != Kind::frame);
  }

  Kind kind() const noexcept { return static_cast<Kind>(bits_ & kKindBits); }
  // Each requires: it is of that kind.
  Sdu& frame() const noexcept {
    DP_EXPECT_HOT(kind() == Kind::frame);
    return *reinterpret_cast<Sdu*>(bits_);
  }
  Bearer& bearer() const noexcept {
    DP_EXPECT(kind() != Kind::frame);
    return *reinterpret_cast<Bearer*>(bits_ & ~kKindBits);
  }

 private:
  static constexpr std::uintptr_t kKindBits = 3;
  Handed(void* what, Kind kind)
      : bits_(reinterpret_cast<std::uintptr_t>(what) | static_cast<std::uintptr_t>(kind)) {
    DP_EXPECT_HOT((reinterpret_cast<std::uintptr_t>(what) & kKindBits) == 0);
  }

  std::uintptr_t bits_ = 0;
};
static_assert(alignof(Sdu) > 3);

// Frames of both sides, and the other entries between them.
using HandRing = BatchRing<Handed, 1024>;

}  // namespace dp

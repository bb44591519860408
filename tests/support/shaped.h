// Settings of a bearer with a shaper, and addresses of UEs.
#pragma once

#include <cstdint>

#include "dataplane/base/address.h"
#include "dataplane/bearer/settings.h"

namespace dp::test {

// A downlink at this many bit/s; everything else as it is by default.
inline BearerSettings shaped_at(std::uint64_t rate) {
  return {.downlink = {.link = ShaperSpec::Config{}, .rate = rate}};
}

// The n-th of 10.45.0.0/16.
inline UeAddress ue(std::uint32_t n) { return ue_ipv4(0x0a2d0000 + n); }

}  // namespace dp::test

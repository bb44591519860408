// Settings of a bearer with a shaper.
#pragma once

#include <cstdint>

#include "dataplane/bearer/settings.h"

namespace dp::test {

// A downlink at this many bit/s; everything else as it is by default.
inline BearerSettings shaped_at(std::uint64_t rate) {
  return {.downlink = {.link = ShaperSpec::Config{}, .rate = rate}};
}

}  // namespace dp::test

// Rates that somebody who knows the radio reports, of several UEs at once. Control makes a sheet and lends it
// to the worker that has their cell (ReportRates); the answer brings it home.
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/base/address.h"

namespace dp {

struct RateSheet {
  static constexpr std::uint32_t kRoom = 256;

  struct Report {
    UeAddress ue;
    std::uint64_t rate = 0;  // bit/s that the next slot would carry; 0: nothing
  };
  std::uint32_t size = 0;
  std::array<Report, kRoom> reports{};
  // Written by the worker: reports of UEs without a bearer, in no cell, or whose radio takes none.
  std::uint32_t unknown = 0;
};

}  // namespace dp

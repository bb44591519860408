// Rates reported by a component that knows the radio, for several UEs at once. Control creates a sheet and
// lends it to the worker that has their cell (ReportRates); the answer returns it.
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/base/address.h"

namespace dp {

struct RateSheet {
  static constexpr std::uint32_t kCapacity = 256;

  struct Report {
    UeAddress ue;
    std::uint64_t rate = 0;  // bit/s of the next slot; 0: it carries nothing
  };
  std::uint32_t size = 0;
  std::array<Report, kCapacity> reports{};
  // Written by the worker: reports of UEs without a bearer, in no cell, or whose radio takes none.
  std::uint32_t unknown = 0;
};

}  // namespace dp

// The interface of a radio model: the rate to one bearer in each slot of a cell. A model is part of that
// bearer's Radio (sched/radio/radio.h); its cell calls it once a slot while the bearer is backlogged.
#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include "dataplane/base/counter.h"
#include "dataplane/base/time.h"
#include "dataplane/sched/radio/settings.h"

namespace dp {

// A slot of a cell. Begin and end are times of the cell, which stand still while the mode is `block`; slot n
// of a cell with `per_second` slots begins at n / per_second, rounded down to the nanosecond.
struct CellSlot {
  std::uint64_t number = 0;
  std::uint32_t per_second = 600;
  Time begin{}, end{};
  Time now{};                        // start by the worker's clock
  Counter* stale_reports = nullptr;  // counter of reports that have become too old; null: not counted
};

// rate(slot) is called in ascending order of slots, some of which may be skipped.
template <class R>
concept RadioModel =
    std::constructible_from<R, const RadioSettings&, std::uint64_t> &&  // number of the bearer
    std::same_as<typename R::Config, RadioSettings> && requires(R& radio, const CellSlot& slot) {
  { R::kName } -> std::convertible_to<std::string_view>;
  { R::kDoc } -> std::convertible_to<std::string_view>;
  R::kSettings;  // rows of kRadioFields that it uses
  // bit/s; 0 if the slot would carry nothing.
  { radio.rate(slot) }
  noexcept->std::same_as<std::uint64_t>;
};
// clang-format on

}  // namespace dp

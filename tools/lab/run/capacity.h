// The bits that a downlink could carry if it always had data to send.
#pragma once
#include <cstdint>
#include <variant>

#include "dataplane/link/registry.h"
#include "tools/lab/figures/stats.h"

namespace lab {

class LinkCapacity {
 public:
  explicit LinkCapacity(const dp::LinkConfig& link) noexcept { change(link); }
  void change(const dp::LinkConfig& link) noexcept {
    const auto* radio = std::get_if<dp::CellSpec::Config>(&link);
    in_cell_ = radio != nullptr;
    if (in_cell_) radio_ = *radio;
  }

  // Bits between `from` and `to` for a leg with that rate; in a cell, with all slots and without the cap that
  // `rate` is there. NaN if the radio fades at random.
  double bits(dp::Time from, dp::Time to, std::uint64_t rate) const noexcept {
    const double passed = seconds(to - from);
    if (!in_cell_) return passed * static_cast<double>(rate);
    if (radio_.trace != nullptr) {
      return static_cast<double>(radio_.trace->until(to) - radio_.trace->until(from)) * dp::RadioTrace::kBits;
    }
    const bool constant = static_cast<std::size_t>(radio_.radio) == dp::RadioList::index_of("constant");
    return constant ? passed * static_cast<double>(radio_.rate) : kNaN;
  }

 private:
  bool in_cell_ = false;
  dp::RadioConfig radio_;
};

}  // namespace lab

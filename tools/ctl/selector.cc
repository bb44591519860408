#include "tools/ctl/selector.h"

#include "tools/ctl/arguments.h"

namespace ctl {
namespace {

constexpr std::uint64_t kMostQfi = 63;  // TS 38.415 clause 5.5.3.3: 6 bits

}  // namespace

Json teid_of(const std::string& text) { return quantity(text); }

void Selector::add_to(Json& params) const {
  if (!qfi.empty()) params["qfi"] = quantity(qfi);
  if (!teid.empty()) params["teid"] = teid_of(teid);
}

void add_selector(CLI::App& command, Selector& selector) {
  auto* qfi = command.add_option("--qfi", selector.qfi, "the UE's dedicated bearer of this QFI (5G)")
                  ->check(whole_number(0, kMostQfi));
  command
      .add_option("--teid", selector.teid,
                  "the UE's dedicated bearer of this uplink TEID, as in 0x21 (3G, 4G)")
      ->excludes(qfi);
}

}  // namespace ctl

// The bearer that the target `connections` drives, by two octets of its input: which links, queue and AQM it
// has, and a split proxy or ACK stages.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "dataplane/bearer/settings.h"
#include "tests/fuzz/input.h"
#include "tests/support/ack_chains.h"

namespace dp::test {

inline LegSettings stack_leg(const LinkConfig& link, std::uint64_t rate) {
  return {.link = link, .rate = rate, .buffer = {24, 1u << 16}};
}

inline void choose_links(BearerSettings& out, unsigned how, bool cells) {
  constexpr std::uint64_t kDown = 1'000'000, kUp = 384'000;
  const RadioConfig radio = [] {
    RadioConfig r;
    r.radio = static_cast<RadioChoice>(RadioList::index_of("constant"));
    return r;
  }();
  switch (how) {
    case 0:
      out.downlink = stack_leg(ShaperSpec::Config{}, kDown);
      return;
    case 1:
      out.downlink = stack_leg(AmLinkConfig{}, kUp);
      out.uplink = stack_leg(AmLinkConfig{}, kUp);
      return;
    case 2:
      out.downlink = stack_leg(UmLinkConfig{}, kDown);
      out.uplink = stack_leg(UmLinkConfig{}, kUp);
      return;
    case 3:
      out.downlink = cells ? stack_leg(radio, kDown) : stack_leg(UmLinkConfig{}, kDown);
      return;
    case 4:
      out.downlink = stack_leg(ShaperSpec::Config{}, kDown);
      out.uplink = stack_leg(ShaperSpec::Config{}, kUp);
      return;
    case 5:
      out.downlink = cells ? stack_leg(radio, kDown) : stack_leg(ShaperSpec::Config{}, kDown);
      out.uplink = stack_leg(UmLinkConfig{}, kUp);
      return;
    case 6:
      out.downlink = stack_leg(UmLinkConfig{.loss = 0.1, .burst = 3}, kUp);
      return;
    default:
      return;  // wires
  }
}

// Each stage alone and every two that work together, with the defaults and with caches that are soon full.
inline const std::vector<AckSettings>& stack_chains() {
  static const std::vector<AckSettings> all = [] {
    std::vector<AckSettings> chains;
    for_each_chain([&](const std::vector<AckConfig>& stages, const std::string&) {
      AckSettings chain;
      chain.stages = static_cast<std::uint32_t>(stages.size());
      std::copy(stages.begin(), stages.end(), chain.stage.begin());
      chains.push_back(chain);
      chain.flows.flows = 2;
      chain.max_held = 4;
      for (AckConfig& stage : chain.stage) {
        std::visit(
            [](auto& config) {
              if constexpr (requires { config.cache; }) config.cache = 8;
            },
            stage);
      }
      chains.push_back(chain);
    });
    return chains;
  }();
  return all;
}

// The proxies: roomy, and with places for less than there are connections.
inline SplitConfig stack_proxy(bool small) {
  return small ? SplitConfig{.initial_window = 3, .window = 8192, .max_flows = 2, .store = 16'384}
               : SplitConfig{.window = 16'384};
}

// `cells`: there is a cell, which its downlink may share.
inline BearerSettings choose_stack(Input& input, bool cells) {
  BearerSettings out;
  const unsigned how = input.byte(), beside = input.byte();
  choose_links(out, how & 7, cells);
  std::size_t at = 0;
  AqmList::for_each([&]<class Aqm>(TypeTag<Aqm>) {
    if (at++ == (how >> 3) % (AqmList::kSize + 1)) out.downlink.aqm = typename Aqm::Config{};
  });
  if (how & 0x80) out.downlink.queue = SfpSpec::Config{};
  const std::size_t chains = stack_chains().size();
  if (beside >= 2 * chains) return out;
  if (beside >= chains || !buffers(out.downlink.link)) {
    out.uplink.ack = stack_chains()[beside % chains];
  } else {
    out.proxy = stack_proxy(beside & 1);
  }
  return out;
}

}  // namespace dp::test

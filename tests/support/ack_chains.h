// The chains of ACK stages that can be made of the list, for tests of all of them.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "dataplane/ack/engines.h"
#include "dataplane/ack/settings.h"
#include "tests/support/runs.h"

namespace dp::test {

// True if B cannot work behind A in one chain.
template <class A, class B>
constexpr bool excluded() {
  return std::is_same_v<A, B> || !excludes<B>(A::kName, true).empty() ||
         !excludes<A>(B::kName, false).empty();
}

// True if one of the stages holds ACKs.
inline bool any_holds(const std::vector<AckConfig>& stages) {
  static constexpr std::array kHolds = AckEngines::each([]<class S>(TypeTag<S>) { return S::kHoldsAcks; });
  return std::ranges::any_of(stages, [](const AckConfig& stage) { return kHolds[stage.index()]; });
}
inline bool any_holds(const AckSettings& settings) {
  return any_holds({settings.stage.begin(), settings.stage.begin() + settings.stages});
}

// f(chain of stages, what it is called) for every stage alone, and every two that can work together in both
// orders.
template <class F>
void for_each_chain(F&& f) {
  AckList::for_each([&]<class TagA>(TagA) {
    using A = typename TagA::type;
    f(std::vector<AckConfig>{typename A::Config{}}, std::string(A::kName));
    AckList::for_each([&]<class TagB>(TagB) {
      using B = typename TagB::type;
      if constexpr (!excluded<A, B>()) {
        f(std::vector<AckConfig>{typename A::Config{}, typename B::Config{}},
          std::string(A::kName) + ", " + std::string(B::kName));
      }
    });
  });
}

// Like for_each_chain(). Where runs are divided (runs.h), two of three chains of two stages are left out.
template <class F>
void for_chains(F&& f) {
  const std::uint32_t step = 3 / runs_of(3);
  std::uint32_t left_out = 0;
  for_each_chain([&](const std::vector<AckConfig>& stages, const std::string& name) {
    if (stages.size() == 1 || left_out++ % step == 0) f(stages, name);
  });
}

}  // namespace dp::test

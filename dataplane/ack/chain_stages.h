// Access to the stages, and to the worker's context during a call (Visit), for the sources of AckChain only.
// Tests: tests/unit/ack/chain_test.cc
#pragma once
#include <type_traits>
#include <variant>

#include "dataplane/ack/chain.h"
#include "dataplane/base/expect.h"
#include "dataplane/packet/visit.h"

namespace dp {

// Calls f(box) for the box of stage k.
template <class F>
decltype(auto) AckChain::at_stage(std::size_t k, F&& f) noexcept {
  DP_EXPECT(k < stages_);
  return std::visit(
      [&]<class B>(B& box) -> std::invoke_result_t<F, std::variant_alternative_t<1, AnyBox>&> {
        if constexpr (std::is_same_v<B, std::monostate>) {
          __builtin_unreachable();
        } else {
          return f(box);
        }
      },
      boxes_[k]);
}

// True if stage k processes the segment: a signed one only if the stage leaves it unchanged.
inline bool AckChain::asks(std::size_t k, bool is_signed) noexcept {
  return !is_signed || at_stage(k, []<class S>(Box<S>&) { return S::kOnlyDelays; });
}

// Calls f(stage, state of the flow, context) for every stage.
template <class F>
void AckChain::notify(Flow& flow, F&& f) noexcept {
  if (flow.asymmetric) return;
  for (std::size_t k = 0; k < stages_; ++k) {
    StageContext call(*this, k, context_->now, buffer_);
    at_stage(k, [&](auto& box) { f(box.stage, box.per_flow[flow.index].state, call); });
  }
}

}  // namespace dp

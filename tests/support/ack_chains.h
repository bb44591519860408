// The chains of ACK stages that can be made of the list, for tests of all of them.
#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include "dataplane/ack/registry.h"

namespace dp::test {

// Whether the two cannot work in one chain.
template <class A, class B>
constexpr bool excluded() {
  const auto names = []<class S, class T>(TypeTag<S>, TypeTag<T>) {
    if constexpr (requires { S::kExcludes; }) {
      for (const AckExclusion& one : S::kExcludes) {
        if (one.other == T::kName) return true;
      }
    }
    return false;
  };
  return std::is_same_v<A, B> || names(TypeTag<A>{}, TypeTag<B>{}) || names(TypeTag<B>{}, TypeTag<A>{});
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

}  // namespace dp::test

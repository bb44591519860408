// The members of a list as types of a typed test suite. A program whose list has toys, members of the tests'
// own (tests/contract/toy), tests those alone: contract_tests has the others.
#pragma once
#include <type_traits>

#include <gtest/gtest.h>

#include "dataplane/base/typelist.h"

namespace dp::test {

template <class T>
concept Toy = requires {
  T::kToy;
};

namespace detail {
template <class Found, class... Ts>
struct Toys {
  using Type = Found;
};
template <class... Found, class T, class... Ts>
struct Toys<::testing::Types<Found...>, T, Ts...>
    : std::conditional_t<Toy<T>, Toys<::testing::Types<Found..., T>, Ts...>,
                         Toys<::testing::Types<Found...>, Ts...>> {};
}  // namespace detail

template <class List>
struct Types;
template <class... Ts>
struct Types<TypeList<Ts...>> {
  using Type = std::conditional_t<(Toy<Ts> || ...), typename detail::Toys<::testing::Types<>, Ts...>::Type,
                                  ::testing::Types<Ts...>>;
};

}  // namespace dp::test

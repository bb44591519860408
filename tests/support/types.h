// The members of a list as types of a typed test suite.
#pragma once
#include <gtest/gtest.h>

#include "dataplane/base/typelist.h"

namespace dp::test {

template <class List>
struct Types;
template <class... Ts>
struct Types<TypeList<Ts...>> {
  using Type = ::testing::Types<Ts...>;
};

}  // namespace dp::test

#include "dataplane/base/typelist.h"

#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace dp {
namespace {

struct A {
  static constexpr std::string_view kName = "a";
  struct Config {
    int n = 1;
  };
  A(const Config& c, int plus) : value(c.n + plus) {}
  int value;
};
struct B {
  static constexpr std::string_view kName = "b";
  struct Config {
    int n = 2;
  };
  B(const Config& c, int plus) : value(c.n * plus) {}
  int value;
};
using List = TypeList<A, B>;

TEST(TypeList, MakesTheMemberThatTheConfigurationDescribes) {
  const List::Variant a = List::make(List::Configs{A::Config{5}}, 10);
  const List::Variant b = List::make(List::Configs{B::Config{5}}, 10);
  ASSERT_TRUE(std::holds_alternative<A>(a));
  ASSERT_TRUE(std::holds_alternative<B>(b));
  EXPECT_EQ(std::get<A>(a).value, 15);
  EXPECT_EQ(std::get<B>(b).value, 50);
}

TEST(TypeList, ARoomHoldsTheMemberThatWasPutThereLast) {
  alignas(int) List::Storage storage;
  static_assert(List::kBytes == sizeof(int), "nothing says which one is there");
  const auto value = [](const auto& member) { return member.value; };
  List::put(storage, List::Configs{A::Config{5}}, 10);
  EXPECT_EQ(List::visit(storage, 0, value), 15);
  List::put(storage, List::Configs{B::Config{5}}, 10);
  EXPECT_EQ(List::visit(storage, 1, value), 50);
  EXPECT_EQ(List::in<B>(storage).value, 50);
  EXPECT_EQ(List::in<B>(std::as_const(storage)).value, 50);
}

TEST(TypeList, AsksEachMemberInTheOrderOfTheList) {
  constexpr auto names = List::each([]<class T>(TypeTag<T>) { return T::kName; });
  EXPECT_EQ(names, List::kNames);
}

struct X {
  static constexpr std::string_view kName = "x";
  using Config = int;
  X(int n, int plus) : value(n + plus) {}
  int value;
};
struct Y {
  static constexpr std::string_view kName = "y";
  using Config = int;
  Y(int n, int times) : value(n * times) {}
  int value;
};

TEST(TypeList, MakesTheMemberOfAnIndexWhenAllTakeTheSameSettings) {
  const auto x = TypeList<X, Y>::make_named(0, 5, 10);
  const auto y = TypeList<X, Y>::make_named(1, 5, 10);
  ASSERT_TRUE(std::holds_alternative<X>(x));
  ASSERT_TRUE(std::holds_alternative<Y>(y));
  EXPECT_EQ(std::get<X>(x).value, 15);
  EXPECT_EQ(std::get<Y>(y).value, 50);
}

TEST(TypeList, FindsAMemberByItsNameAndNothingByAnother) {
  std::string found;
  auto note = [&]<class T>(TypeTag<T>) { found = T::kName; };
  EXPECT_TRUE(List::visit_named("b", note));
  EXPECT_EQ(found, "b");
  EXPECT_FALSE(List::visit_named("c", note));
}

TEST(TypeList, WalksItsMembersInOrder) {
  std::string names;
  List::for_each([&]<class T>(TypeTag<T>) { names += T::kName; });
  EXPECT_EQ(names, "ab");
}

}  // namespace
}  // namespace dp

// Rules for every radio model of the list.
#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/sched/radio/engines.h"
#include "tests/support/types.h"

namespace dp::test {
namespace {

// Settings by which every model has something to carry.
RadioSettings radio_settings() {
  RadioSettings s;
  s.trace = std::make_shared<const RadioTrace>(RadioTrace{"every other ms", {1, 3, 5, 6}});
  return s;
}

CellSlot slot_of(std::uint64_t number, std::uint32_t per_second = 600) {
  const auto begin = [&](std::uint64_t n) {
    return time_ns(static_cast<std::int64_t>(n * 1'000'000'000 / per_second));
  };
  return {number, per_second, begin(number), begin(number + 1), begin(number)};
}

template <class R>
std::vector<std::uint64_t> rates(R radio, std::uint64_t slots, std::uint64_t every = 1) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t n = 0; n < slots; n += every) out.push_back(radio.rate(slot_of(n)));
  return out;
}

template <class R>
class RadioContract : public ::testing::Test {};

TYPED_TEST_SUITE(RadioContract, Types<RadioEngines>::Type);

TYPED_TEST(RadioContract, HasANameOfItsOwnAndSaysWhatItDoes) {
  const std::set<std::string_view> names(RadioList::kNames.begin(), RadioList::kNames.end());
  EXPECT_EQ(names.size(), RadioList::kSize);
  EXPECT_FALSE(std::string_view(TypeParam::kDoc).empty());
}

TYPED_TEST(RadioContract, CarriesTheSameForTheSameSettingsAndNumber) {
  const auto once = rates(TypeParam(radio_settings(), 1), 10'000);
  EXPECT_EQ(once, rates(TypeParam(radio_settings(), 1), 10'000));
  EXPECT_NE(std::set(once.begin(), once.end()), std::set<std::uint64_t>{0}) << "it carries something";
}

// A cell does not ask while its bearer has nothing to send.
TYPED_TEST(RadioContract, SlotsThatNobodyAskedForChangeNothing) {
  const auto all = rates(TypeParam(radio_settings(), 1), 10'000);
  const auto some = rates(TypeParam(radio_settings(), 1), 10'000, 7);
  for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i], all[7 * i]) << i;
}

TYPED_TEST(RadioContract, WorksAtEachFieldsLimits) {
  const auto check = [](const auto& field) {
    EXPECT_FALSE(field.doc.empty());
    for (const auto limit : {field.min, field.max}) {
      RadioSettings at_limit = radio_settings();
      at_limit.*field.member = limit;
      EXPECT_EQ(rates(TypeParam(at_limit, 7), 1000), rates(TypeParam(at_limit, 7), 1000)) << field.name;
    }
  };
  kRadioFields.apply([&](const auto&... field) { (check(field), ...); });
}

TYPED_TEST(RadioContract, WorksWithAsManySlotsASecondAsACellMayHave) {
  for (const std::uint32_t per_second : {1u, 500u, 8000u}) {
    TypeParam radio(radio_settings(), 1);
    std::uint64_t bits = 0;
    for (std::uint64_t n = 0; n < 20 * per_second; ++n)
      bits += radio.rate(slot_of(n, per_second)) / per_second;
    EXPECT_GT(bits, 0u) << per_second;
  }
}

}  // namespace
}  // namespace dp::test

#include "control/state/claim_json.h"

#include <chrono>

#include <gtest/gtest.h>

namespace control {
namespace {

using std::chrono::seconds;

const Claim::Clock::time_point kSavedAt{std::chrono::hours(5)};

TEST(ClaimJsonTest, AClaimComesBackWithTheTimeThatWasLeft) {
  for (const Claim& claim : {Claim{Keeper::program, "radius", 7, kSavedAt + seconds(90), true},
                             Claim{Keeper::by_hand, "", 0, Claim::kNever, false},
                             Claim{Keeper::nobody, "", 0, kSavedAt + seconds(60), true}}) {
    const std::string text = claim_text(claim, kSavedAt);
    const auto later = kSavedAt + std::chrono::hours(1);
    const auto read = read_claim(nlohmann::json::parse(text), later);
    ASSERT_TRUE(read) << text;
    Claim expected = claim;
    if (claim.until != Claim::kNever) expected.until += std::chrono::hours(1);
    EXPECT_EQ(*read, expected) << text;
  }
}

TEST(ClaimJsonTest, ATimeThatIsOverIsNoneLeft) {
  const Claim claim{Keeper::nobody, "", 0, kSavedAt - seconds(1), true};
  EXPECT_EQ(read_claim(nlohmann::json::parse(claim_text(claim, kSavedAt)), kSavedAt)->until, kSavedAt);
}

TEST(ClaimJsonTest, OtherTextIsRefusedWithWhatWasFound) {
  for (const char* text :
       {"7", "{}", R"({"keeper":"none"})", R"({"keeper":"me"})", R"({"keeper":"program"})",
        R"({"keeper":"program","owner":"x","generation":-1})", R"({"keeper":"nobody","seconds":-1})",
        R"({"keeper":"nobody","seconds":1e300})", R"({"keeper":"by_hand","made":1})"}) {
    const auto read = read_claim(nlohmann::json::parse(text), kSavedAt);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message.find("the claim "), 0u);
  }
}

}  // namespace
}  // namespace control

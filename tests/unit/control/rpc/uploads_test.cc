#include "control/rpc/uploads.h"

#include <future>

#include <gtest/gtest.h>

#include "control/loop/sha256.h"
#include "control/rpc/codec.h"
#include "tests/support/rpc_bench.h"

namespace control::rpc {
namespace {

constexpr Uploads::Clock::time_point kNow{};

TEST(Uploads, PiecesComeBackInTheirOrderOnce) {
  Uploads uploads;
  const auto id = uploads.begin(7, "a", kNow).id;
  EXPECT_EQ(uploads.append(id, 7, "bc", kNow).bytes, 3u);
  EXPECT_EQ(*uploads.take(id, 7), (Uploads::Pieces{"a", "bc"}));
  EXPECT_THROW(uploads.take(id, 7), Fault);
}

TEST(Uploads, AnotherUsersUploadIsNotThere) {
  Uploads uploads;
  const auto id = uploads.begin(7, "a", kNow).id;
  EXPECT_THROW(uploads.append(id, 8, "b", kNow), Fault);
  EXPECT_THROW(uploads.take(id, 8), Fault);
  EXPECT_EQ(uploads.take(id, 7)->size(), 1u);
}

TEST(Uploads, AreFewAtATimeAndGivenUpWhenNoPieceComes) {
  Uploads uploads;
  for (std::size_t i = 0; i < Uploads::kMost; ++i) uploads.begin(7, "a", kNow);
  EXPECT_THROW(uploads.begin(7, "a", kNow + Uploads::kPatience), Fault);
  EXPECT_NO_THROW(uploads.begin(7, "a", kNow + Uploads::kPatience + std::chrono::seconds(1)));
}

TEST(Uploads, MoreThanMayBeTakenEndsTheUpload) {
  Uploads uploads;
  const std::string piece(Uploads::kPieceBytes, 'x');
  EXPECT_THROW(uploads.begin(7, piece + "x", kNow), Fault);
  const auto id = uploads.begin(7, piece, kNow).id;
  for (std::size_t at = piece.size(); at < Uploads::kMostBytes; at += piece.size()) {
    uploads.append(id, 7, piece, kNow);
  }
  EXPECT_THROW(uploads.append(id, 7, "x", kNow), Fault);
  EXPECT_THROW(uploads.take(id, 7), Fault);
  for (std::size_t i = 0; i < Uploads::kMost; ++i) EXPECT_NO_THROW(uploads.begin(7, "a", kNow));
}

constexpr const char* kUploadsFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes: {internet: {downlink: {rate: 8M}}}
)";

class UploadedTest : public dp::test::RpcBench {
 protected:
  UploadedTest() : RpcBench(kUploadsFile) {
    services.beside = &beside;
    services.beside_long = &beside_long;
  }
  // The result of a call that is answered from a thread beside.
  Json answered(const std::string& method, const Json& params) {
    Json answer;
    const Json request{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
    const auto work = dispatcher.handle(request.dump(), {1, 2},
                                        [&](const std::string& text) { answer = Json::parse(text); });
    for (int i = 0; i < 20'000 && answer.is_null(); ++i) {
      RpcBench::work();
      beside_long.poll();
    }
    return answer.value("result", answer);
  }
  Background beside, beside_long;
};

TEST_F(UploadedTest, ALongTextIsReadWhileAShortOneIsOnTheOtherThread) {
  std::promise<void> end;
  beside.submit(
      Client(), [ended = end.get_future().share()] { ended.wait(); }, [] {});
  const std::string text(kUploadsFile);
  const Json first = result("config.upload", {{"text", text.substr(0, 50)}});
  const Json second = result("config.upload", {{"text", text.substr(50)}, {"upload", first["upload"]}});
  EXPECT_EQ(second, (Json{{"upload", first["upload"]}, {"bytes", text.size()}}));
  EXPECT_EQ(answered("config.check", {{"upload", first["upload"]}})["ok"], true);
  EXPECT_TRUE(answered("config.check", {{"upload", first["upload"]}}).contains("error")) << "it has ended";
  EXPECT_TRUE(answered("config.check", Json::object()).contains("error"));
  end.set_value();
}

TEST_F(UploadedTest, TheDifferenceOfAnUploadIsToldAndNothingIsChanged) {
  std::string text(kUploadsFile);
  text.replace(text.find("8M"), 2, "2M");
  const Json upload = result("config.upload", {{"text", text}});
  const Json told = answered("config.diff", {{"upload", upload["upload"]}});
  ASSERT_EQ(told["keys"].size(), 1u) << told;
  EXPECT_EQ(told["keys"][0], (Json{{"key", "classes.internet.downlink.rate"}, {"was", "8M"}, {"now", "2M"}}));
  EXPECT_EQ(plane.config().classes[0].downlink.rate, 8'000'000u);
}

// FIPS 180-4, as NIST's examples have it.
TEST(Sha256, IsTheStandards) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace control::rpc

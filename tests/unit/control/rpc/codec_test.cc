#include "control/rpc/codec.h"

#include <gtest/gtest.h>

namespace control::rpc {
namespace {

int code_of(const std::string& text) {
  try {
    decode(text);
  } catch (const Fault& fault) {
    return fault.code;
  }
  return 0;
}

const BadCall& bad(const Message& message) { return std::get<BadCall>(message.calls.at(0)); }

TEST(Codec, ACallWithAnIdAndParametersIsRead) {
  const Message message =
      decode(R"({"jsonrpc":"2.0","id":7,"method":"bearer.get","params":{"ue":"10.0.0.1"}})");
  EXPECT_FALSE(message.batch);
  const Call& call = std::get<Call>(message.calls.at(0));
  EXPECT_EQ(*call.id, 7);
  EXPECT_EQ(call.method, "bearer.get");
  EXPECT_EQ(call.params["ue"], "10.0.0.1");
}

TEST(Codec, ACallWithoutAnIdIsANotification) {
  EXPECT_FALSE(std::get<Call>(decode(R"({"jsonrpc":"2.0","method":"x"})").calls[0]).id.has_value());
}

TEST(Codec, AnIdOfNullIsAnIdAndIsAnswered) {
  EXPECT_TRUE(std::get<Call>(decode(R"({"jsonrpc":"2.0","id":null,"method":"x"})").calls[0]).id.has_value());
}

TEST(Codec, TextThatIsNoJsonIsAParseError) {
  for (const char* text : {"{", "{\"a\":1}}", "nonsense", "", "\xff\xfe", "{\"a\":\"\xc3\x28\"}", "1e999"}) {
    EXPECT_EQ(code_of(text), kParseError) << text;
  }
}

TEST(Codec, ADocumentNestedTooDeepIsRefusedWithoutRunningOutOfStack) {
  EXPECT_EQ(code_of(std::string(2'000'000, '[')), kInvalidRequest);
}

TEST(Codec, ACallOfAnotherShapeIsAnInvalidRequestWithItsIdWhereItHasOne) {
  EXPECT_EQ(bad(decode("1")).fault.code, kInvalidRequest);
  EXPECT_EQ(bad(decode(R"({"id":3,"method":"x"})")).id, 3);
  EXPECT_EQ(bad(decode(R"({"jsonrpc":"1.0","id":3,"method":"x"})")).id, 3);
  EXPECT_TRUE(bad(decode(R"({"jsonrpc":"2.0","id":{},"method":"x"})")).id.is_null());
  EXPECT_EQ(bad(decode(R"({"jsonrpc":"2.0","id":3,"method":5})")).fault.code, kInvalidRequest);
  EXPECT_EQ(bad(decode(R"({"jsonrpc":"2.0","id":3,"method":"x","params":5})")).fault.code, kInvalidRequest);
}

TEST(Codec, AMisspeltMemberIsNamedWithTheNearest) {
  const Message message = decode(R"({"jsonrpc":"2.0","id":1,"method":"x","parms":{}})");
  EXPECT_NE(bad(message).fault.message.find("params"), std::string::npos);
}

TEST(Codec, ABatchKeepsItsOrderAndItsBadElements) {
  const Message message =
      decode(R"([{"jsonrpc":"2.0","id":1,"method":"a"},7,{"jsonrpc":"2.0","method":"b"}])");
  EXPECT_TRUE(message.batch);
  ASSERT_EQ(message.calls.size(), 3u);
  EXPECT_EQ(std::get<Call>(message.calls[0]).method, "a");
  EXPECT_TRUE(std::holds_alternative<BadCall>(message.calls[1]));
  EXPECT_EQ(std::get<Call>(message.calls[2]).method, "b");
}

TEST(Codec, AnEmptyOrAnEndlessBatchIsOneError) {
  EXPECT_EQ(code_of("[]"), kInvalidRequest);
  std::string text = "[1";
  for (std::size_t i = 0; i < kMaxBatch; ++i) text += ",1";
  EXPECT_EQ(code_of(text + "]"), kInvalidRequest);
}

TEST(Codec, ARequestOfTooManyValuesIsRefusedAndOneOfTenThousandBearersIsNot) {
  const std::string leg =
      R"({"rate":"8M","buffer":{"sdus":50,"bytes":90000},"aqm":{"codel":{"target":"5ms","interval":"99ms"}}})";
  std::string bearers = R"({"ue":"10.0.0.1","class":"a","downlink":)" + leg + R"(,"uplink":)" + leg + "}";
  for (int i = 1; i < 10'000; ++i) bearers += R"(,{"ue":"10.0.0.1","class":"a","downlink":)" + leg + "}";
  const std::string head = R"({"jsonrpc":"2.0","id":1,"method":"bearer.set","params":{"bearers":[)";
  EXPECT_EQ(code_of(head + bearers + "]}}"), 0);
  std::string many = "0";
  for (std::size_t i = 0; i < kMaxValues; ++i) many += ",0";
  EXPECT_EQ(code_of(head + many + "]}}"), kInvalidRequest);
}

TEST(Codec, AKeyThatStandsTwiceIsAnErrorThatSaysWhichAndWhere) {
  try {
    decode(R"([{"jsonrpc":"2.0","id":1,"method":"x","params":{"bearers":[{"rate":1,"rate":2}]}}])");
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.code, kInvalidRequest);
    EXPECT_NE(fault.message.find("[0].params.bearers[0].rate is given twice"), std::string::npos)
        << fault.message;
  }
}

TEST(Codec, AnswersAreOneLine) {
  const std::string text = encode_fault("a\nb", {kInvalidParams, "two\nlines", Json{{"n", 1}}});
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const Json json = Json::parse(text);
  EXPECT_EQ(json["error"]["code"], -32602);
  EXPECT_EQ(json["error"]["data"]["n"], 1);
  EXPECT_EQ(json["id"], "a\nb");
  EXPECT_EQ(Json::parse(encode_result(1, Json::array()))["result"], Json::array());
}

}  // namespace
}  // namespace control::rpc

#include "control/told/daemon/told_rpc.h"

#include <gtest/gtest.h>

#include "control/rpc/codec.h"

namespace control::told {
namespace {

Json told_answer(const std::string& line) {
  const auto list = [](const Json& params) -> Json {
    if (params.contains("limit")) throw rpc::Fault(rpc::kInvalidParams, "limit");
    return {{"items", Json::array()}};
  };
  const std::string text = answer_line(line, list);
  return text.empty() ? Json() : Json::parse(text);
}

TEST(ToldRpc, TheMethodsAnswer) {
  EXPECT_EQ(told_answer(R"({"jsonrpc":"2.0","id":1,"method":"version"})")["result"]["program"], "rncd-told");
  EXPECT_EQ(told_answer(R"({"jsonrpc":"2.0","id":"x","method":"session.list"})"),
            (Json{{"jsonrpc", "2.0"}, {"id", "x"}, {"result", {{"items", Json::array()}}}}));
  EXPECT_EQ(told_answer(R"({"jsonrpc":"2.0","method":"version"})"), Json());
}

TEST(ToldRpc, FaultsAreAnsweredWithTheirCode) {
  const auto code = [](const std::string& line) { return told_answer(line)["error"]["code"].get<int>(); };
  EXPECT_EQ(code("x"), rpc::kParseError);
  EXPECT_EQ(code("[{}]"), rpc::kInvalidRequest);
  EXPECT_EQ(code("{}"), rpc::kInvalidRequest);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"bearer.set"})"), rpc::kMethodNotFound);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"session.list","params":{"limit":1}})"),
            rpc::kInvalidParams);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"session.list","params":[1]})"), rpc::kInvalidParams);
}

}  // namespace
}  // namespace control::told

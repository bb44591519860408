// Parameters of every method of the control socket that are missing, or of another type: an error, and
// nothing else.
#include "control/rpc/params.h"

#include <string>

#include "control/rpc/methods.h"
#include "tests/support/rpc_bench.h"

namespace control::rpc {
namespace {

constexpr const char* kParamsFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes: {internet: {downlink: {rate: 10M, link: {cell: {radio: reported}}}}}
cells: {north: {members: 4}}
bearers: [{ue: 10.45.0.2, class: internet, cell: north}]
)";

class ParamsTest : public dp::test::RpcBench {
 protected:
  ParamsTest() : RpcBench(kParamsFile) {}

  // A value that suits a row of that name: a call is to get as far as it can without the others.
  static Json fitting(std::string_view name) {
    if (name == "cell") return "north";
    if (name == "ue" || name == "bearer") return "10.45.0.2";
    if (name == "class") return "internet";
    return nullptr;
  }
};

TEST_F(ParamsTest, OneThatIsMissingIsNamed) {
  int missing = 0;
  for (const Method& method : methods()) {
    for (const std::optional<Rows>& form : method.forms) {
      if (!form) continue;
      for (const Row& left_out : *form) {
        if (left_out.need != Need::must) continue;
        Json params = Json::object();
        for (const Row& row : *form) {
          if (row.need == Need::must && row.name != left_out.name) params[row.name] = fitting(row.name);
        }
        SCOPED_TRACE(std::string(method.name) + " " + params.dump());
        const Json answer = call(std::string(method.name), params);
        ASSERT_TRUE(answer.contains("error")) << answer;
        EXPECT_EQ(answer["error"]["code"], kInvalidParams) << answer;
        ++missing;
      }
    }
  }
  EXPECT_GT(missing, 15);
  expect_error(call("cell.report", {{"cell", "north"}}), kInvalidParams, "parameter \"rates\" is missing");
}

TEST_F(ParamsTest, OneOfAnotherTypeIsAnError) {
  for (const Method& method : methods()) {
    for (const std::optional<Rows>& form : method.forms) {
      if (!form) continue;
      for (const Row& odd : *form) {
        for (const Json& value : {Json(nullptr), Json(true), Json(-1), Json(1e300),
                                  Json::array({Json::object()}), Json::array({nullptr}), Json{{"x", 1}}}) {
          Json params = Json::object();
          for (const Row& row : *form) {
            if (row.need == Need::must) params[row.name] = fitting(row.name);
          }
          params[odd.name] = value;
          SCOPED_TRACE(std::string(method.name) + " " + params.dump());
          const Json answer = call(std::string(method.name), params);
          EXPECT_TRUE(answer.contains("error") || answer.contains("result")) << answer;
        }
      }
    }
  }
}

}  // namespace
}  // namespace control::rpc

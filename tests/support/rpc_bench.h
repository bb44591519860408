// The methods of the control socket on a test bench: a dispatcher over a running worker whose ports are
// memory, after a configuration was applied.
#pragma once
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "config/load.h"
#include "control/rpc/dispatcher.h"
#include "tests/support/test_runtime.h"

namespace dp::test {

class RpcBench : public ::testing::Test {
 protected:
  using Json = control::rpc::Json;

  explicit RpcBench(const char* file, std::uint32_t max_bearers = 4096)
      : runtime(max_bearers),
        plane(runtime, *config::load_text(file, "test.yaml"), max_bearers, std::chrono::seconds{5},
              [this] { return memory; }) {}

  void SetUp() override {
    bool ready = false;
    plane.reloader().begin([&](const control::Ended<control::Applied>&) { ready = true; });
    poll_until(ready);
  }
  void TearDown() override { runtime.stop(); }

  void poll_until(const bool& done) {
    for (int i = 0; i < 20'000 && !done; ++i) {
      work();
    }
    EXPECT_TRUE(done);
  }
  // One turn, like the daemon's loop.
  void work() {
    const bool came = plane.poll();
    dispatcher.run(control::Slices::Clock::now());
    if (!came && !dispatcher.ready()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::string answer(const std::string& line) {
    bool done = false;
    std::string out;
    const auto work = dispatcher.handle(line, {1, 2}, [&](std::string text) {
      out = std::move(text);
      done = true;
    });
    poll_until(done);
    return out;
  }
  Json call(const std::string& method, const Json& params = Json::object()) {
    return Json::parse(
        answer(Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}.dump()));
  }
  Json result(const std::string& method, const Json& params = Json::object()) {
    const Json json = call(method, params);
    EXPECT_TRUE(json.contains("result")) << json;
    return json.value("result", Json());
  }
  // Code and words of the error.
  void expect_error(const Json& json, int code, const std::string& words) {
    ASSERT_TRUE(json.contains("error")) << json;
    EXPECT_EQ(json["error"]["code"], code);
    EXPECT_NE(json["error"]["message"].get<std::string>().find(words), std::string::npos) << json;
  }

  std::uint64_t memory = std::uint64_t{1} << 40;  // bytes that there are
  TestRuntime runtime;
  control::DataPlane plane;
  control::LatestView view;
  control::Services services{plane, view};
  control::rpc::Dispatcher dispatcher{services};
};

}  // namespace dp::test

// A fixture for tests of control's data plane. The workers run on threads of the test (test_runtime.h). The
// test polls the data plane itself, as control's loop does in rncd.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "config/load.h"
#include "control/plane/data_plane.h"
#include "tests/support/test_runtime.h"

namespace control {

// The configuration of a text; each problem that it has fails the test.
inline config::Config config_of(const std::string& text) {
  const auto loaded = config::load_text(text, "test.yaml");
  for (const auto& problem : loaded.problems) ADD_FAILURE() << config::to_string(problem);
  return loaded ? *loaded : config::Config{};
}

// A test makes `runtime`, then `plane`. Afterwards the workers' books must balance.
class PolledPlane : public ::testing::Test {
 protected:
  void TearDown() override {
    runtime->stop();
    for (std::size_t w = 0; w < runtime->workers(); ++w) {
      EXPECT_EQ(runtime->shared(w).snapshot.read().account.residue(), 0);
    }
  }

  // False when it does not hold within 20 s.
  template <class Condition>
  bool poll_until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      if (!plane->poll()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  // Makes a request by ask(done), polls until it has ended, and answers how.
  template <class T, class Ask>
  Ended<T> wait_for(Ask ask) {
    std::optional<Ended<T>> ended;
    ask([&](Ended<T> how) { ended = std::move(how); });
    EXPECT_TRUE(poll_until([&] { return ended.has_value(); }));
    return ended.value_or(Ended<T>{});
  }
  void begin() {
    EXPECT_TRUE(
        wait_for<Applied>([&](auto done) { plane->reloader().begin(std::move(done)); }).done.has_value());
  }
  Ended<Applied> apply(const Wish& wish) {
    return wait_for<Applied>(
        [&](auto done) { plane->bearers().apply([wish] { return wish; }, std::move(done)); });
  }
  Ended<Applied> reload(const config::Config& file) {
    return wait_for<Applied>([&](auto done) {
      plane->reloader().reload(
          file, [this](const std::string& why) { kept.push_back(why); }, std::move(done));
    });
  }

  std::vector<std::string> kept;  // settings that reloads left unchanged, and why
  std::unique_ptr<dp::test::TestRuntime> runtime;
  std::unique_ptr<DataPlane> plane;
};

}  // namespace control

// Common code of the lab's tests: a scenario as text with parts that can be replaced, and an observer that
// hashes every byte that came to a host into one number.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/lab/figures/json.h"
#include "tools/lab/run/observer.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/scenario/scenario.h"

namespace lab::testing {

// A download over a shaped bearer; flags are those of --set.
inline const char* const kShaped = R"(version: 1
duration: 20s
runs: 3
classes:
  a:
    downlink: {rate: 8M, buffer: {sdus: 100}}
    uplink: {rate: 2M, buffer: {sdus: 100}}
bearers:
  - {ue: 10.45.0.2, class: a}
wires:
  w: {delay: 20ms}
servers:
  s: {address: 192.0.2.1, wire: w}
flows:
  - {server: s, ue: 10.45.0.2}
)";

inline config::Checked<Scenario> load(const std::string& text, const std::vector<std::string>& flags = {}) {
  config::Overrides overrides;
  for (const auto& flag : flags) overrides.push_back(*config::override_from_flag(flag));
  return load_scenario(text, "t", overrides);
}

inline std::string problems_of(const config::Checked<Scenario>& checked) {
  std::string out;
  for (const auto& problem : checked.problems) out += to_string(problem) + "\n";
  return out;
}

inline Scenario loaded(const std::string& text, const std::vector<std::string>& flags = {}) {
  const auto checked = load(text, flags);
  EXPECT_TRUE(checked) << problems_of(checked);
  return checked.value.value_or(Scenario{});
}

inline Scenario shaped(const std::vector<std::string>& flags = {}) { return loaded(kShaped, flags); }

// Over RLC acknowledged mode with its frame errors.
inline Scenario on_air(const std::vector<std::string>& flags = {}) {
  std::vector<std::string> all{"classes.a.downlink={rate: 384k, buffer: {sdus: 50}, link: {am: {fer: 10%}}}",
                               "classes.a.uplink={rate: 384k, buffer: {sdus: 1000}, link: {am: {fer: 10%}}}"};
  all.insert(all.end(), flags.begin(), flags.end());
  return shaped(all);
}

// FNV-1a.
class ByteHash : public Observer {
 public:
  void frame(dp::Time at, dp::Side side, dp::Bytes bytes) override {
    add(static_cast<std::uint64_t>(dp::ns(at)));
    add(dp::index(side));
    for (const std::byte b : bytes) add(std::to_integer<std::uint64_t>(b));
  }
  std::uint64_t value() const { return value_; }

 private:
  void add(std::uint64_t v) { value_ = (value_ ^ v) * 1099511628211u; }
  std::uint64_t value_ = 14695981039346656037u;
};

inline void expect_balance(const RunResult& run) {
  const FrameBalance& f = run.frames;
  EXPECT_GT(f.made, 0u);
  EXPECT_EQ(f.made, f.arrived + f.lost + f.dropped + f.underway);
  EXPECT_EQ(f.residue, 0);
  EXPECT_EQ(f.damaged, 0u);
}

// The content of a file.
inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string keys(const Json& object) {
  std::string all;
  for (const auto& [key, value] : object.items()) all += key + " ";
  return all;
}

}  // namespace lab::testing

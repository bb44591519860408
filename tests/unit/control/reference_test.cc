// The tables of control/REFERENCE.md are the ones that the code makes. RNCD_WRITE_REFERENCE=1 writes them
// anew.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <prometheus/metric_family.h>
#include <yaml-cpp/yaml.h>

#include "control/loop/event.h"
#include "control/metrics/metrics.h"
#include "control/ports/port_state.h"
#include "control/rpc/methods.h"
#include "tests/support/test_runtime.h"

namespace control {
namespace {

const std::string kSourceRoot = std::string(RNCD_SOURCE_ROOT) + "/";
const std::string kReference = kSourceRoot + "control/REFERENCE.md";

std::string read(const std::string& path) {
  std::ifstream in(kSourceRoot + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// `|` would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void expect_table(const std::string& name, const std::string& table) {
  const std::string reference = read("control/REFERENCE.md");
  const std::string begin = "<!-- " + name + ": begin -->\n", end = "<!-- " + name + ": end -->";
  const auto from = reference.find(begin), to = reference.find(end);
  ASSERT_NE(from, std::string::npos) << begin;
  ASSERT_NE(to, std::string::npos) << end;
  const auto first = from + begin.size();
  if (std::getenv("RNCD_WRITE_REFERENCE") != nullptr) {
    std::ofstream(kReference) << reference.substr(0, first) << table << reference.substr(to);
    return;
  }
  EXPECT_EQ(reference.substr(first, to - first), table)
      << "write it anew: RNCD_WRITE_REFERENCE=1 threads_tests --gtest_filter='Reference.*'";
}

std::string type_name(prometheus::MetricType type) {
  switch (type) {
    case prometheus::MetricType::Counter:
      return "counter";
    case prometheus::MetricType::Gauge:
      return "gauge";
    case prometheus::MetricType::Histogram:
      return "histogram";
    case prometheus::MetricType::Summary:
      return "summary";
    default:
      return "other";
  }
}

std::string label_names(const prometheus::MetricFamily& family) {
  std::string out;
  if (family.metric.empty()) return out;
  for (const auto& label : family.metric.front().label) out += (out.empty() ? "" : ", ") + label.name;
  return out;
}

TEST(Reference, OfTheMethods) {
  std::string table =
      "| method | parameters | what it does | read-only socket |\n| --- | --- | --- | --- |\n";
  for (const rpc::Method& m : rpc::methods()) {
    table += "| `" + std::string(m.name) + "` | `" + cell(params_of(m)) + "` | " + cell(m.doc) + " | " +
             (m.access == rpc::Access::reads ? "yes" : "no") + " |\n";
  }
  expect_table("methods", table);
}

// With a series in each family.
std::vector<prometheus::MetricFamily> families() {
  dp::test::TestRuntime runtime;
  runtime.wire_report.emplace();
  runtime.wire_report->ports[0].interface = 1;
  runtime.wire_report->ports[0].changed = dp::Duration{0};
  View view;
  view.classes = {"internet"};
  view.proxied = {true};
  view.load = {{.stolen_ns = 0}};
  view.sockets = {{.socket = "control"}};
  view.cells = {{.name = "north"}};
  view.life.save = LastOutcome{};
  view.gtp_u.echoes = {EchoPath{}};
  view.top = {{"10.45.0.1", {TopBearer::Leg{0, 0, 0, 0, dp::AmEventTotals{}}, TopBearer::Leg{}}}};
  LatestView view_cell;
  view_cell.set(view);
  auto all = Metrics(runtime, view_cell).Collect();
  runtime.stop();
  return all;
}

TEST(Reference, OfTheMetrics) {
  std::string table = "| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n";
  for (const auto& family : families()) {
    table += "| `" + family.name + "` | " + type_name(family.type) + " | " + label_names(family) + " | " +
             cell(family.help) + " |\n";
  }
  expect_table("metrics", table);
}

template <std::size_t N>
std::string reasons(const std::array<std::string_view, N>& names,
                    const std::array<std::string_view, N>& texts, const std::string& head = "reason") {
  std::string table = "| " + head + " | meaning |\n| --- | --- |\n";
  for (std::size_t i = 0; i < N; ++i)
    table += "| `" + std::string(names[i]) + "` | " + cell(texts[i]) + " |\n";
  return table;
}

TEST(Reference, OfTheReasonsForDropping) {
  expect_table("drops", reasons(dp::kDropReasonNames, dp::kDropReasonTexts));
}

TEST(Reference, OfTheStatesOfPorts) {
  expect_table("port_states", reasons(kPortStateNames, kPortStateTexts, "state"));
}

TEST(Reference, OfWhatBecomesOfAcks) {
  expect_table("ack_events", reasons(dp::kAckEventNames, dp::kAckEventTexts, "event"));
}

TEST(Reference, OfSplitProxies) {
  expect_table("proxy_states", reasons(dp::kSplitStateNames, dp::kSplitStateTexts, "state"));
  expect_table("unsplit", reasons(dp::kUnsplitNames, dp::kUnsplitTexts));
  expect_table("proxy_resets", reasons(dp::kSplitResetNames, dp::kSplitResetTexts));
}

TEST(Reference, OfTheReasonsForCuttingClients) { expect_table("cuts", reasons(kCutNames, kCutTexts)); }

TEST(Reference, OfTheEvents) {
  std::string table = "| event | meaning | what to do |\n| --- | --- | --- |\n";
  for (const auto& [code, meaning, remedy] : log::kEvents) {
    table += "| `" + std::string(code) + "` | " + cell(meaning) + " | " + cell(remedy) + " |\n";
  }
  expect_table("events", table);
}

// Replaces "{{ $labels.port }}" and "{{ $value | humanize }}" by their names.
std::string without_templates(std::string text) {
  for (std::size_t at = text.find("{{"); at != text.npos; at = text.find("{{", at)) {
    const std::size_t end = text.find("}}", at);
    std::string name = text.substr(at + 2, end - at - 2);
    name.erase(0, name.rfind('.') == name.npos ? name.find('$') + 1 : name.rfind('.') + 1);
    text.replace(at, end + 2 - at, "*" + name.substr(0, name.find_first_of(" |")) + "*");
  }
  return text;
}

TEST(Reference, OfTheAlerts) {
  const YAML::Node groups = YAML::Load(read("docker/prometheus/rules.yml"))["groups"];
  std::string table = "| alert | meaning, and what to do |\n| --- | --- |\n";
  for (const YAML::Node& group : groups) {
    for (const YAML::Node& rule : group["rules"]) {
      if (!rule["alert"]) continue;
      const auto summary = rule["annotations"]["summary"].as<std::string>();
      table += "| `" + rule["alert"].as<std::string>() + "` | " + cell(without_templates(summary)) + " |\n";
    }
  }
  expect_table("alerts", table);
}

TEST(Reference, OfTheReasonsForPassing) {
  expect_table("passes", reasons(dp::kPassReasonNames, dp::kPassReasonTexts));
}

}  // namespace
}  // namespace control

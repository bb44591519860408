// Abridging must not be seen: a text is compared with itself where a comment ends each line, of which nothing
// is left out, and whose places are the same.
#include "config/notation/alike_lines.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/notation/node.h"
#include "config/notation/yaml.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;
using testing::minimal;

std::string alike(const std::string& before, int count, const std::string& after) {
  std::string text;
  for (int i = 0; i < count; ++i) text += before + std::to_string(i) + after + "\n";
  return text;
}

std::string commented(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? " #\n" : std::string(1, c);
  return out;
}

void describe(const Node& node, std::string& out) {
  const Place place = node.place();
  out += std::to_string(place.line) + ":" + std::to_string(place.column) + " " +
         std::to_string(static_cast<int>(node.kind())) + std::to_string(static_cast<int>(node.style())) +
         " '" + std::string(node.text()) + "'\n";
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (node.kind() == NodeKind::map) describe(node.key(i), out);
    describe(node.kind() == NodeKind::map ? node.value(i) : node.item(i), out);
  }
}

// All nodes with their places, or what is wrong.
std::string parsed(const std::string& text) {
  Tree tree("t");
  std::vector<Problem> problems;
  const auto root = parse_yaml(text, tree, 0, problems);
  std::string out;
  for (const Problem& problem : problems) out += to_string(problem) + "\n";
  if (root) describe(tree.node(*root), out);
  return out;
}

void expect_unseen(const std::string& text, std::size_t runs) {
  SCOPED_TRACE(text.substr(0, 200));
  EXPECT_EQ(abridge(text).runs.size(), runs);
  ASSERT_TRUE(abridge(commented(text)).runs.empty());
  EXPECT_EQ(parsed(text), parsed(commented(text)));
}

// Number of nodes made before the root: larger if the text was parsed a second time.
NodeId nodes_of(const std::string& text) {
  Tree tree("t");
  std::vector<Problem> problems;
  return parse_yaml(text, tree, 0, problems).value();
}

void expect_unseen_and_parsed_once(const std::string& text, std::size_t runs) {
  expect_unseen(text, runs);
  EXPECT_EQ(nodes_of(text), nodes_of(commented(text))) << text.substr(0, 200);
}

TEST(AlikeLines, AreLeftOutBehindTheFirst) {
  const std::string text = "list:\n" + alike("  - {ue: 10.0.0.", 30, ", class: a}") + "end: yes\n";
  const Abridged abridged = abridge(text);
  EXPECT_EQ(abridged.text, "list:\n  - {ue: 10.0.0.0, class: a}\nend: yes\n");
  ASSERT_EQ(abridged.runs.size(), 1u);
  EXPECT_EQ(abridged.runs[0].head, 1u);
  EXPECT_EQ(abridged.runs[0].lines, 29u);
  EXPECT_EQ(abridged.runs[0].text.size(), text.size() - abridged.text.size());
}

TEST(AlikeLines, AreNotLeftOutWhereTheyAreFewOrSayMoreThanPlainWords) {
  EXPECT_TRUE(abridge(alike("- {a: ", 10, "}")).runs.empty());
  for (const char* after : {" }", ", b: null}", ", b: }", ", b: \"x\"}", ", b: *x}", ", b: x y}", ", b: -1}",
                            ", b: ~}", ", b: x:}", ", <<: x}", ", b: [x]}", "} # x", "", ", b: x}\r"}) {
    EXPECT_TRUE(abridge(alike("- {a: ", 40, after)).runs.empty()) << after;
  }
  EXPECT_TRUE(abridge(alike("- {a", 40, ": x}")).runs.empty()) << "other names";
}

TEST(AlikeLines, MeanTheSameInEveryList) {
  expect_unseen_and_parsed_once(alike("- {a: ", 40, "}"), 1);
  expect_unseen_and_parsed_once("x:\n" + alike("- {a: ", 40, "}") + "y: 1\n", 1);
  expect_unseen_and_parsed_once(
      "x:\n" + alike("      - {a: 1, b: ", 40, ", c: z}") + "y:\n" + alike("  - {d: ", 40, "}"), 2);
  expect_unseen_and_parsed_once(
      "x:\n" + alike("  - {ue: 2001:db8::", 40, "/128, class: c}") + "  - {ue: last, class: c}\n", 1);
  expect_unseen_and_parsed_once("x:\n  - y:\n" + alike("    - {a: ", 40, "}") + "    z: {n: 1}\n  - 2\n", 1);
  expect_unseen_and_parsed_once("x: &x\n" + alike("  - {a: ", 40, "}") + "y: *x\n", 1);
  expect_unseen_and_parsed_once(
      "x:\n" + alike("  - {a: ", 40, "}") + "  # none\n\n" + alike("  - {a: ", 40, "}"), 2);
}

TEST(AlikeLines, ThatAreNoItemsAreWhatTheyAre) {
  for (const std::string& text :
       {"x: |\n" + alike("  - {a: ", 40, "}"), "x: >\n" + alike("  - {a: ", 40, "}"),
        "x: \"\n" + alike("  - {a: ", 40, "}") + "\"\n"}) {
    Tree tree("t");
    std::vector<Problem> problems;
    const auto root = parse_yaml(text, tree, 0, problems);
    ASSERT_TRUE(root) << text;
    const Node x = tree.node(*root).value(0);
    EXPECT_TRUE(x.is_scalar());
    EXPECT_NE(x.text().find("- {a: 0}"), std::string_view::npos);
    EXPECT_NE(x.text().find("- {a: 39}"), std::string_view::npos);
  }
}

TEST(AlikeLines, OfWrongTextAreToldInTheirPlaces) {
  expect_unseen("x: [\n" + alike("  - {a: ", 40, "}") + "]\n", 1);
  expect_unseen("x:\n" + alike("  - {a: 1, a: ", 40, "}"), 1);
  expect_unseen("x:\n" + alike("  - {a: ", 40, "}") + " - {a: 1}\n", 1);
  expect_unseen("x:\n" + alike("  - {a: ", 40, "}") + "    more\n", 1);
  expect_unseen("x:\n" + alike("  - {a: ", 40, "}") + "y: {\n", 1);
  expect_unseen("x:\n" + alike("  - {a: ", 40, "}") + "y: 1\ny: 2\n", 1);
  expect_unseen("x: 1\n---\n" + alike("- {a: ", 40, "}"), 1);
}

TEST(AlikeLines, OfAConfigurationAreLoadedAndRefusedInTheirPlaces) {
  const std::string classes = "classes: {c: {downlink: {rate: 1M}}}\n";
  const auto loaded =
      load_text(minimal(classes + "bearers:\n" + alike("  - {ue: 10.0.0.", 200, ", class: c}")), "t");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  ASSERT_EQ(loaded->bearers.size(), 200u);
  EXPECT_EQ(loaded->bearers[199].ue, *dp::parse_ue("10.0.0.199"));
  const std::string wrong = minimal(classes + "bearers:\n" + alike("  - {ue: 10.0.0.", 200, ", class: c}") +
                                    "  - {ue: 10.0.0.7, class: c}\nlogs: {}\n");
  EXPECT_EQ(all_problems(load_text(wrong, "t")), all_problems(load_text(commented(wrong), "t")));
  EXPECT_NE(all_problems(load_text(wrong, "t")).find("10.0.0.7 twice"), std::string::npos);
}

// Lists of all kinds of lines, of which some are alike.
TEST(AlikeLines, OfRandomTextsAreNotSeen) {
  std::size_t runs = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 rng(seed);
    const auto below = [&rng](unsigned n) { return static_cast<unsigned>(rng() % n); };
    const std::vector<std::string> values{"a",   "10.0.0.1", "fe80::1/128", "a_b-c",
                                          "x:y", "nullx",    "'q'",         "7"};
    std::string text;
    for (unsigned list = 0; list < 1 + below(4); ++list) {
      const std::string indent(below(4), ' ');
      text += "k" + std::to_string(list) + ":\n";
      for (unsigned part = 0; part < 1 + below(4); ++part) {
        const unsigned keys = 1 + below(3), lines = 1 + below(40);
        for (unsigned line = 0; line < lines; ++line) {
          text += indent + "- {";
          for (unsigned key = 0; key < keys; ++key) {
            const unsigned odd = below(150) == 0 ? 1 : 0;
            text += (key == 0 ? "" : ", ") + std::string(1, static_cast<char>('a' + key + odd)) + ": " +
                    values[below(odd != 0 ? 8 : 6)];
          }
          text += below(100) == 0 ? " }\n" : "}\n";
          if (below(100) == 0) text += indent + "- word\n";
        }
      }
    }
    runs += abridge(text).runs.size();
    EXPECT_EQ(parsed(text), parsed(commented(text))) << text;
  }
  EXPECT_GT(runs, 200u);
}

}  // namespace
}  // namespace config

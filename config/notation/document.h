// A text with its overrides as one tree: the first half of loading, independent of keys. Owns the tree, which
// nodes and readers view.
// Tests: tests/unit/config/overrides_test.cc
#pragma once
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/notation/files.h"
#include "config/notation/node.h"
#include "config/notation/problem.h"
#include "config/notation/reader.h"

namespace config {

// One key from outside the file; later ones win. `value` is text, or a YAML list or map in brackets.
struct Override {
  std::string source;  // its name in problems
  std::string key;     // dataplane.mode; an item of a list by its number: bearers.0.class
  std::string value;
};

using Overrides = std::vector<Override>;

struct Document {
  explicit Document(const std::string& name) : tree(name) {}

  Tree tree;
  std::optional<NodeId> root;  // none: the text could not be parsed
  std::vector<Problem> problems;
};

Document read_document(std::string_view text, const std::string& name, const Overrides& overrides);

// Sorts problems by their position in the file.
void sort_problems(std::vector<Problem>& problems);

// load(reader, root) returns the value, which is used if there is no problem.
template <class T, class Load>
Checked<T> load_document(std::string_view text, const std::string& name, const Overrides& overrides,
                         Load&& load) {
  Document document = read_document(text, name, overrides);
  Checked<T> checked{std::nullopt, std::move(document.problems)};
  if (!document.root) return checked;
  Reader reader(document.tree, "", false);
  T value = load(reader, document.tree.node(*document.root));
  std::ranges::move(reader.take(), std::back_inserter(checked.problems));
  sort_problems(checked.problems);
  if (checked.problems.empty()) checked.value = std::move(value);
  return checked;
}

}  // namespace config

#include "config/notation/document.h"

#include <algorithm>
#include <tuple>

#include <fmt/core.h>

#include "config/notation/words.h"
#include "config/notation/yaml.h"

namespace config {
namespace {

constexpr std::size_t kMaxKeyBytes = 256;

// Text in brackets is a YAML list or map; other text, and brackets that are no YAML ("[::1]:9464"), is taken
// literally.
NodeId override_value(Tree& tree, const Override& override, std::uint16_t source) {
  if (override.value.starts_with('[') || override.value.starts_with('{')) {
    std::vector<Problem> problems;
    const auto id = parse_yaml(override.value, tree, source, problems);
    if (id && problems.empty()) return *id;
  }
  return tree.add_scalar(override.value, Style::plain, {source, 0, 0});
}

bool is_utf8(const std::string& text) { return utf8_prefix(text) == text.size(); }

NodeId apply(Tree& tree, NodeId root, const Overrides& overrides, std::vector<Problem>& problems) {
  for (const auto& override : overrides) {
    if (!is_utf8(override.key + override.value)) {
      problems.push_back({shorten(override.key), 0, 0, {}, "found bytes that are no text, expected UTF-8"});
      continue;
    }
    const auto source = tree.add_source(override.source);
    const NodeId value = override_value(tree, override, source);
    root = tree.with(root, std::string_view(override.key).substr(0, kMaxKeyBytes), value, {source, 0, 0});
  }
  return root;
}

bool is_container(const Node& node) {
  return node.kind() == NodeKind::map || node.kind() == NodeKind::nothing;
}

}  // namespace

Document read_document(std::string_view text, const std::string& name, const Overrides& overrides) {
  Document document(name);
  if (text.size() > kMaxFileBytes) {
    document.problems.push_back(
        {name,
         0,
         0,
         {},
         fmt::format(
             "found more than {} MiB, expected a smaller file; bearers can be learnt, or set over the socket",
             kMaxFileBytes >> 20)});
    return document;
  }
  document.root = parse_yaml(text, document.tree, 0, document.problems);
  if (document.root && is_container(document.tree.node(*document.root))) {
    document.root = apply(document.tree, *document.root, overrides, document.problems);
  }
  return document;
}

void sort_problems(std::vector<Problem>& problems) {
  std::ranges::stable_sort(problems, {}, [](const Problem& p) { return std::tuple(p.line, p.column); });
}

}  // namespace config

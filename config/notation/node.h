// A parsed document as one compact tree, whatever its source: YAML, an override, JSON from the socket. A Tree
// owns its nodes; they never change once added, so aliases and overrides share them. A Node is a view.
// Requires: its Tree outlives it.
// Tests: tests/unit/config/alike_lines_test.cc
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/base/expect.h"

namespace config {

enum class NodeKind : std::uint8_t { nothing, scalar, list, map };
// The notation of a scalar: YAML without or with quotes (also JSON text), JSON number, boolean or null.
enum class Style : std::uint8_t { plain, text, number, boolean, null };

struct Place {
  std::uint16_t source = 0;  // index in Tree::sources
  std::uint32_t line = 0, column = 0;
};

using NodeId = std::uint32_t;
class Node;

class Tree {
 public:
  explicit Tree(std::string source) { sources_.push_back(std::move(source)); }

  std::uint16_t add_source(std::string name);
  const std::string& source(std::uint16_t index) const {
    DP_EXPECT(index < sources_.size());
    return sources_[index];
  }

  // Reserves memory for further nodes, children and bytes of text: without it a long list is copied
  // repeatedly while it grows.
  void reserve(std::size_t nodes, std::size_t children, std::size_t bytes);

  NodeId add_nothing(Place place);
  NodeId add_scalar(std::string_view text, Style style, Place place);
  NodeId add_list(std::span<const NodeId> items, Place place);
  NodeId add_map(std::span<const NodeId> keys_and_values, Place place);

  Node node(NodeId id) const;
  // A copy of `root` with `value` at `path` (a.b.c). Items of a list are addressed by number; missing maps
  // are created.
  NodeId with(NodeId root, std::string_view path, NodeId value, Place place);

 private:
  friend class Node;
  struct Data {
    NodeKind kind;
    Style style;
    Place place;
    std::uint32_t size = 0;   // number of bytes of text, or of children
    std::uint64_t first = 0;  // in text_ or children_
  };

  NodeId with_item(const Node& list, std::size_t at, std::string_view rest, NodeId value, Place place);
  NodeId add(NodeKind kind, Style style, Place place, std::span<const NodeId> children);

  std::vector<std::string> sources_;
  std::vector<Data> nodes_;
  std::vector<NodeId> children_;
  std::string text_;
};

class Node {
 public:
  Node(const Tree& tree, NodeId id) : tree_(&tree), id_(id) {}

  NodeId id() const { return id_; }
  NodeKind kind() const { return data().kind; }
  Style style() const { return data().style; }
  Place place() const { return data().place; }
  bool is_scalar() const { return kind() == NodeKind::scalar; }

  // Text of a scalar; empty for other kinds.
  std::string_view text() const;

  // Items of a list, entries of a map; 0 for other kinds. The next three functions require i < size().
  std::size_t size() const;
  Node item(std::size_t i) const { return child(i); }
  Node key(std::size_t i) const { return child(2 * i); }
  Node value(std::size_t i) const { return child(2 * i + 1); }
  std::optional<Node> find(std::string_view key) const;

 private:
  const Tree::Data& data() const { return tree_->nodes_[id_]; }
  Node child(std::size_t i) const {
    DP_EXPECT(!is_scalar() && i < data().size);
    return {*tree_, tree_->children_[data().first + i]};
  }

  const Tree* tree_;
  NodeId id_;
};

inline Node Tree::node(NodeId id) const { return {*this, id}; }

}  // namespace config

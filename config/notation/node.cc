#include "config/notation/node.h"

#include <algorithm>
#include <charconv>

#include "dataplane/base/expect.h"

namespace config {
namespace {

// The index of the item that `text` names; none if the node is no list or lacks that item.
std::optional<std::size_t> item_number(const Node& node, std::string_view text) {
  std::size_t at = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), at);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (node.kind() != NodeKind::list || !whole || at >= node.size()) return std::nullopt;
  return at;
}

}  // namespace

std::uint16_t Tree::add_source(std::string name) {
  sources_.push_back(std::move(name));
  return static_cast<std::uint16_t>(sources_.size() - 1);
}

void Tree::reserve(std::size_t nodes, std::size_t children, std::size_t bytes) {
  // Grows to at least the double, since many small reservations would each copy everything.
  const auto make_room = [](auto& of, std::size_t more) {
    if (of.capacity() - of.size() < more) of.reserve(std::max(of.size() + more, 2 * of.capacity()));
  };
  make_room(nodes_, nodes);
  make_room(children_, children);
  make_room(text_, bytes);
}

NodeId Tree::add(NodeKind kind, Style style, Place place, std::span<const NodeId> children) {
  nodes_.push_back({kind, style, place, static_cast<std::uint32_t>(children.size()), children_.size()});
  children_.insert(children_.end(), children.begin(), children.end());
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId Tree::add_nothing(Place place) { return add(NodeKind::nothing, Style::plain, place, {}); }
NodeId Tree::add_list(std::span<const NodeId> items, Place place) {
  return add(NodeKind::list, Style::plain, place, items);
}
NodeId Tree::add_map(std::span<const NodeId> keys_and_values, Place place) {
  DP_EXPECT(keys_and_values.size() % 2 == 0);
  return add(NodeKind::map, Style::plain, place, keys_and_values);
}

NodeId Tree::add_scalar(std::string_view text, Style style, Place place) {
  nodes_.push_back({NodeKind::scalar, style, place, static_cast<std::uint32_t>(text.size()), text_.size()});
  text_ += text;
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId Tree::with_item(const Node& list, std::size_t at, std::string_view rest, NodeId value, Place place) {
  std::vector<NodeId> items;
  for (std::size_t i = 0; i < list.size(); ++i) items.push_back(list.item(i).id());
  DP_EXPECT(at < items.size());
  items[at] = rest.empty() ? value : with(items[at], rest, value, place);
  return add_list(items, list.place());
}

NodeId Tree::with(NodeId root, std::string_view path, NodeId value, Place place) {
  std::vector<NodeId> entries;
  const Node old = node(root);
  if (const auto at = item_number(old, path.substr(0, path.find('.')))) {
    const auto dot = path.find('.');
    return with_item(old, *at, dot == std::string_view::npos ? "" : path.substr(dot + 1), value, place);
  }
  // Keys may contain dots (class names): the longest key that is a prefix of the path is used.
  std::size_t at = SIZE_MAX;
  std::size_t length = std::min(path.find('.'), path.size());
  for (std::size_t i = 0; old.kind() == NodeKind::map && i < old.size(); ++i) {
    const auto key = old.key(i).text();
    entries.insert(entries.end(), {old.key(i).id(), old.value(i).id()});
    const bool begins = path.starts_with(key) && (path.size() == key.size() || path[key.size()] == '.');
    if (begins && key.size() >= length) {
      at = 2 * i + 1;
      length = key.size();
    }
  }
  if (at == SIZE_MAX) {
    at = entries.size() + 1;
    const NodeId key = add_scalar(path.substr(0, length), Style::plain, place);
    entries.insert(entries.end(), {key, add_nothing(place)});
  }
  if (length < path.size()) value = with(entries[at], path.substr(length + 1), value, place);
  entries[at] = value;
  return add_map(entries, old.kind() == NodeKind::map ? old.place() : place);
}

std::string_view Node::text() const {
  return is_scalar() ? std::string_view(tree_->text_).substr(data().first, data().size) : std::string_view();
}

std::size_t Node::size() const {
  switch (kind()) {
    case NodeKind::list:
      return data().size;
    case NodeKind::map:
      return data().size / 2;
    default:
      return 0;
  }
}

std::optional<Node> Node::find(std::string_view key) const {
  for (std::size_t i = 0; kind() == NodeKind::map && i < size(); ++i) {
    if (this->key(i).text() == key) return value(i);
  }
  return std::nullopt;
}

}  // namespace config

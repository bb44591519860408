#include "config/notation/reader.h"

#include <algorithm>
#include <tuple>

#include <fmt/core.h>

#include "config/notation/words.h"

namespace config {

std::string describe(const Node& node) {
  switch (node.kind()) {
    case NodeKind::nothing:
      return "nothing";
    case NodeKind::list:
      return node.size() == 0 ? "an empty list" : "a list";
    case NodeKind::map:
      return "a map";
    case NodeKind::scalar:
      break;
  }
  const bool bare = node.style() != Style::plain && node.style() != Style::text;
  return bare ? shorten(node.text()) : "'" + shorten(node.text()) + "'";
}

Reader::Scope::Scope(Reader& reader, std::string_view key) : reader_(reader), length_(reader.path_.size()) {
  if (length_ > 0) reader.path_ += '.';
  reader.path_ += shorten(key);
}

Reader::Scope::Scope(Reader& reader, std::size_t index) : reader_(reader), length_(reader.path_.size()) {
  reader.path_ += fmt::format("[{}]", index);
}

void Reader::fail(Place place, std::string message) {
  if (full()) return;
  if (place.source != 0) place.line = place.column = 0;  // an override is one line
  problems_.push_back({tree_.source(place.source), place.line, place.column, path_, std::move(message)});
  if (full()) problems_.back().message += "; more may follow, mend these first";
}

void Reader::expected(const Node& node, std::string_view expected) {
  fail(node.place(), fmt::format("found {}, expected {}", describe(node), expected));
}

void Reader::unknown_key(const Node& key, std::span<const std::string_view> names) {
  const auto hint = did_you_mean(key.text(), names);
  fail(key.place(), fmt::format("found the unknown key `{}`{}", shorten(key.text()),
                                (!hint.empty()   ? hint
                                 : names.empty() ? ", expected none"
                                                 : ", expected " + one_of(names))));
}

void Reader::missing_key(Place map, std::string_view name, std::string_view hint) {
  fail(map, fmt::format("the key `{}` is missing{}", name, hint));
}

bool Reader::expect_map(const Node& node, std::span<const std::string_view> names) {
  if (node.kind() == NodeKind::map || node.kind() == NodeKind::nothing) return true;
  expected(node, "a map" + (names.empty() ? "" : " with the keys " + one_of(names)));
  return false;
}

bool Reader::expect_list(const Node& node, std::string_view of) {
  if (node.kind() == NodeKind::list || node.kind() == NodeKind::nothing) return true;
  expected(node, "a list of " + std::string(of));
  return false;
}

bool Reader::failed() const {
  return std::ranges::any_of(problems_, [&](const Problem& problem) {
    if (!problem.path.starts_with(path_)) return false;
    const auto rest = std::string_view(problem.path).substr(path_.size());
    return rest.empty() || path_.empty() || rest.front() == '.' || rest.front() == '[';
  });
}

std::vector<Problem> Reader::take() {
  std::ranges::stable_sort(problems_, {}, [](const Problem& p) { return std::tuple(p.line, p.column); });
  return std::move(problems_);
}

}  // namespace config

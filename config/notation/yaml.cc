#include "config/notation/yaml.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "config/notation/alike_lines.h"
#include "config/notation/words.h"
#include "dataplane/base/expect.h"

namespace config {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxMerged = 8'000'000;  // entries copied by `<<`: a small file could ask for billions

struct Broken {
  Place place;
  std::string message;
};

// Builds the tree from the parser's events. An alias shares the node it names. For an abridged text it adds
// the lines that were left out.
class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view text, const std::vector<LineRun>& runs, Tree& tree, std::uint16_t source,
          std::vector<Problem>& problems)
      : text_(text), runs_(runs), tree_(tree), source_(source), problems_(problems) {}

  std::optional<NodeId> root() const { return root_; }
  // True if every head was parsed as expected.
  bool all_runs_added() const { return added_ == runs_.size(); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto word = null_word(mark);
    done(word.empty() ? tree_.add_nothing(empty_place(mark))
                      : tree_.add_scalar(word, Style::plain, place(mark)),
         anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto at = anchors_.find(anchor);
    if (at == anchors_.end())
      throw Broken{place(mark), "found an alias inside what it stands for, expected a value"};
    done(at->second, 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    done(tree_.add_scalar(value, tag == "!" ? Style::text : Style::plain, place(mark)), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(mark, anchor, false, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(mark, anchor, true, style);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    bool map;
    bool flow;
    Place place;
    YAML::anchor_t anchor;
    std::size_t first;  // index of its first child in pending_
  };

  // The place in the whole text: all lines left out before `mark` follow heads that have been parsed.
  Place place(const YAML::Mark& mark) const {
    return {source_, static_cast<std::uint32_t>(mark.line + 1) + lines_added_,
            static_cast<std::uint32_t>(mark.column + 1)};
  }

  // `null`, `~` or an empty value, which the parser reports alike; the first two may be meant as text.
  std::string_view null_word(const YAML::Mark& mark) const {
    if (mark.pos < 0 || static_cast<std::size_t>(mark.pos) >= text_.size()) return {};
    const auto rest = text_.substr(static_cast<std::size_t>(mark.pos));
    for (std::string_view word : {"null", "Null", "NULL", "~"}) {
      if (!rest.starts_with(word)) continue;
      if (rest.size() == word.size() ||
          std::string_view(" \t\r\n,]}").find(rest[word.size()]) != std::string_view::npos) {
        return word;
      }
    }
    return {};
  }

  // An empty value has no place and gets its key's.
  Place empty_place(const YAML::Mark& mark) const {
    const bool has_key =
        !open_.empty() && open_.back().map && (pending_.size() - open_.back().first) % 2 == 1;
    return has_key ? tree_.node(pending_.back()).place() : place(mark);
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, bool map, YAML::EmitterStyle::value style) {
    if (open_.size() == kMaxDepth) {
      throw Broken{
          place(mark),
          fmt::format("found more than {} lists or maps inside each other, expected fewer", kMaxDepth)};
    }
    open_.push_back({map, style == YAML::EmitterStyle::Flow, place(mark), anchor, pending_.size()});
  }

  void close() {
    DP_EXPECT(!open_.empty() && open_.back().first <= pending_.size());
    const Open closing = open_.back();
    std::vector<NodeId> children(pending_.begin() + static_cast<std::ptrdiff_t>(closing.first),
                                 pending_.end());
    pending_.resize(closing.first);
    open_.pop_back();
    if (closing.map) {
      check_keys(children);
      merge(children);
    }
    done(closing.map ? tree_.add_map(children, closing.place) : tree_.add_list(children, closing.place),
         closing.anchor);
    if (added_ < runs_.size() && is_head(closing, runs_[added_])) add_run(runs_[added_++]);
  }

  // True if `closed` is the head of `run`: a flow map that is a whole item of a block list, in the head's
  // place, so that the `-` before it belongs to the item. The run's lines have a `-` in the same column and
  // the same form: they are items of that list, and such maps.
  bool is_head(const Open& closed, const LineRun& run) const {
    if (!closed.map || !closed.flow || open_.empty() || open_.back().map || open_.back().flow) return false;
    return closed.place.line == run.head + 1 + lines_added_ &&
           closed.place.column == run.pattern.map_column() + 1;
  }

  void add_run(const LineRun& run) {
    const LinePattern& pattern = run.pattern;
    const std::size_t scalars = 2 * pattern.size() * run.lines;
    tree_.reserve(run.lines + scalars, run.lines + scalars, run.text.size());
    std::vector<std::string_view> values;
    std::vector<NodeId> children;
    for (std::size_t at = 0; at < run.text.size();) {
      const std::string_view line = run.text.substr(at, run.text.find('\n', at) - at);
      at += line.size() + 1;
      ++lines_added_;
      const auto in_column = [&](std::size_t column) {
        return Place{source_, run.head + 1 + lines_added_, static_cast<std::uint32_t>(column + 1)};
      };
      const bool alike = pattern.match(line, values);
      DP_EXPECT(alike);
      children.clear();
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto column = static_cast<std::size_t>(values[i].data() - line.data());
        const Place key = in_column(pattern.key_column(i, column));
        children.push_back(tree_.add_scalar(pattern.key(i), Style::plain, key));
        children.push_back(tree_.add_scalar(values[i], Style::plain, in_column(column)));
      }
      pending_.push_back(tree_.add_map(children, in_column(pattern.map_column())));
    }
  }

  void done(NodeId id, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = id;
    if (open_.empty()) {
      root_ = id;
    } else {
      pending_.push_back(id);
    }
  }

  void check_keys(std::vector<NodeId>& children) {
    std::vector<NodeId> keys;
    for (std::size_t i = 0; i < children.size(); i += 2) {
      const Node key = tree_.node(children[i]);
      if (!key.is_scalar()) throw Broken{key.place(), "found a key that is no text, expected a name"};
      keys.push_back(children[i]);
    }
    const auto text = [this](NodeId id) { return tree_.node(id).text(); };
    std::ranges::stable_sort(keys, {}, text);
    for (std::size_t i = 1; i < keys.size(); ++i) {
      if (text(keys[i]) != text(keys[i - 1])) continue;
      const Place first = tree_.node(keys[i - 1]).place(), again = tree_.node(keys[i]).place();
      problems_.push_back({tree_.source(again.source),
                           again.line,
                           again.column,
                           {},
                           fmt::format("found the key `{}` twice, the first time in line {}; keep one",
                                       shorten(text(keys[i])), first.line)});
    }
  }

  // `<<: *base`, `<<: [*a, *b]`: adds entries whose key the map lacks.
  void merge(std::vector<NodeId>& children) {
    for (std::size_t i = 0; i < children.size(); i += 2) {
      const Node key = tree_.node(children[i]);
      if (key.style() != Style::plain || key.text() != "<<") continue;
      const Node value = tree_.node(children[i + 1]);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i),
                     children.begin() + static_cast<std::ptrdiff_t>(i) + 2);
      std::vector<Node> bases{value};
      if (value.kind() == NodeKind::list) {
        bases.clear();
        for (std::size_t k = 0; k < value.size(); ++k) bases.push_back(value.item(k));
      }
      for (const Node& base : bases) merge_one(children, base, key);
      return;
    }
  }

  void merge_one(std::vector<NodeId>& children, const Node& base, const Node& key) {
    if (base.kind() != NodeKind::map) {
      throw Broken{key.place(),
                   "found `<<` without a map behind it, expected an alias of a map (`<<: *name`)"};
    }
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < children.size(); i += 2) names.push_back(tree_.node(children[i]).text());
    std::ranges::sort(names);
    merged_ += base.size() + names.size();
    if (merged_ > kMaxMerged)
      throw Broken{key.place(), "found too many entries copied by `<<`, expected fewer"};
    for (std::size_t i = 0; i < base.size(); ++i) {
      if (std::ranges::binary_search(names, base.key(i).text())) continue;
      children.insert(children.end(), {base.key(i).id(), base.value(i).id()});
    }
  }

  std::string_view text_;
  const std::vector<LineRun>& runs_;
  Tree& tree_;
  std::uint16_t source_;
  std::vector<Problem>& problems_;
  std::vector<Open> open_;
  std::vector<NodeId> pending_;  // children of the open lists and maps, innermost last
  std::unordered_map<YAML::anchor_t, NodeId> anchors_;
  std::optional<NodeId> root_;
  std::size_t merged_ = 0;
  std::size_t added_ = 0;          // runs
  std::uint32_t lines_added_ = 0;  // lines added of runs so far
};

std::string hex(char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  return {'0', 'x', kHex[static_cast<unsigned char>(c) / 16], kHex[static_cast<unsigned char>(c) % 16]};
}

// Reports text that yaml-cpp would misread or explain badly: tabs as indentation, and invalid text.
void check_characters(std::string_view text, const std::string& source, std::vector<Problem>& problems) {
  constexpr std::size_t kEnough = 100;
  const auto usual = [](char c) { return (c >= ' ' && c <= '~') || c == '\n'; };
  if (std::ranges::all_of(text, usual)) return;
  const std::size_t good = utf8_prefix(text);
  std::uint32_t line = 1;
  std::size_t start = 0;
  bool indentation = true;
  for (std::size_t i = 0; i < text.size() && problems.size() < kEnough; ++i) {
    const char c = text[i];
    const auto column = static_cast<std::uint32_t>(i - start + 1);
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r';
    if (control || i == good) {
      problems.push_back(
          {source, line, column, {}, "found the byte " + hex(c) + ", expected YAML text in UTF-8"});
      return;
    }
    if (c == '\t' && indentation) {
      problems.push_back({source, line, column, {}, "found a tab in the indentation, expected spaces"});
    }
    indentation = c == '\n' || (indentation && c == ' ');
    if (c == '\n') {
      ++line;
      start = i + 1;
    }
  }
}

std::optional<NodeId> parse_text(std::string_view text, const std::vector<LineRun>& runs, Tree& tree,
                                 std::uint16_t source, std::vector<Problem>& problems) {
  const std::string& name = tree.source(source);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(text, runs, tree, source, problems);
    if (!parser.HandleNextDocument(builder)) {
      problems.push_back(
          {name,
           1,
           1,
           {},
           "found an empty file, expected a configuration; the least begins with `version: 1`"});
      return std::nullopt;
    }
    const auto root = builder.all_runs_added() ? builder.root() : std::nullopt;
    const std::vector<LineRun> none;
    Builder second(text, none, tree, source, problems);
    if (parser.HandleNextDocument(second)) {
      problems.push_back(
          {name, 0, 0, {}, "found a second document (`---`), expected one; put it into a file of its own"});
    }
    return root;
  } catch (const Broken& broken) {
    problems.push_back({name, broken.place.line, broken.place.column, {}, broken.message});
  } catch (const YAML::Exception& e) {
    problems.push_back(
        {name,
         static_cast<std::uint32_t>(e.mark.line + 1),
         static_cast<std::uint32_t>(e.mark.column + 1),
         {},
         "this is not YAML: " + e.msg + "; look at brackets, quotes and indentation, here and just before"});
  }
  return std::nullopt;
}

}  // namespace

// After any problem in an abridged text, or a head that was something else, the whole text is parsed, and its
// problems are reported.
std::optional<NodeId> parse_yaml(std::string_view text, Tree& tree, std::uint16_t source,
                                 std::vector<Problem>& problems) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  check_characters(text, tree.source(source), problems);
  if (!problems.empty()) return std::nullopt;
  if (const Abridged abridged = abridge(text); !abridged.runs.empty()) {
    std::vector<Problem> wrong;
    const auto root = parse_text(abridged.text, abridged.runs, tree, source, wrong);
    if (root && wrong.empty()) return root;
  }
  return parse_text(text, {}, tree, source, problems);
}

}  // namespace config

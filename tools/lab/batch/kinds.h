// The kinds of values (config/notation/table.h) that sweeps and papers share: numbers, estimates, and lists
// of things that have names or keys.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "config/notation/table.h"
#include "dataplane/base/result.h"
#include "tools/lab/batch/sweep_grid.h"
#include "tools/lab/figures/stats.h"

namespace lab {

struct NumberKind {
  std::string type() const { return "number"; }
  std::string values() const { return ""; }
  dp::Result<double> parse(const config::Node& node, bool) const {
    const auto value = number_of(std::string(node.text()));
    return value ? dp::Result(*value) : dp::Result<double>(dp::Error{"a number"});
  }
};

struct EstimateKind {
  std::string type() const { return "list"; }
  std::string values() const { return "[mean, half of the 90 % interval]"; }
  dp::Result<Estimate> parse(const config::Node& node, bool strict) const {
    const dp::Error wrong{values()};
    if (node.kind() != config::NodeKind::list || node.size() != 2) return wrong;
    const auto mean = NumberKind{}.parse(node.item(0), strict),
               ci90 = NumberKind{}.parse(node.item(1), strict);
    if (!mean || !ci90) return wrong;
    return Estimate{*mean, *ci90};
  }
};

// A map whose entries are the items of a list: load_one(reader, key, value, item).
template <class LoadOne>
struct EntriesKind {
  std::string_view what;
  LoadOne load_one;

  std::string type() const { return "map"; }
  std::string values() const { return std::string(what); }
  template <class T>
  void load(config::Reader& reader, const config::Node& node, std::vector<T>& into) const {
    if (!reader.expect_map(node, {})) return;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const config::Reader::Scope scope(reader, node.key(i).text());
      load_one(reader, std::string(node.key(i).text()), node.value(i), into.emplace_back());
    }
  }
};
template <class LoadOne>
EntriesKind(const char*, LoadOne) -> EntriesKind<LoadOne>;

// A list of maps with the same keys.
template <class Table>
struct RowsKind {
  const Table& keys;

  std::string type() const { return "map"; }
  std::string values() const { return ""; }
  template <class T>
  void load(config::Reader& reader, const config::Node& node, T& into) const {
    config::load_keys(reader, node, into, keys);
  }
};
template <class Table>
RowsKind(const Table&) -> RowsKind<Table>;

}  // namespace lab

// Lists of rncd: read page by page, filtered, sorted, and shown as a table or as JSON.
// Tests: tests/unit/tools/ctl_list_test.cc
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/ctl/commands.h"
#include "tools/ctl/table/selection.h"

namespace ctl {

struct ListOptions {
  TableOptions table{};
  std::optional<std::size_t> limit{};  // none: all for machines, a readable number for people
  bool all = false;
  std::string cursor{};  // `next` of the answer before
};

struct ListSource {
  std::string method{};
  Json params{};
  bool paged = true;      // the method takes `limit` and `cursor`
  bool members = false;   // the method takes `members`: text asks for those that it shows
  bool numbered = false;  // its cursors are numbers, of other methods text
  // Makes the list of the answer of a method that does not list; null: it has `items`.
  Json (*items)(const Json& answer) = nullptr;
};

// Adds --limit, --all and --cursor.
void add_page_options(CLI::App& command, ListOptions& options);

// A command that shows the list: `{"items": [...], "next": ...}` as JSON, a table as text.
// `source`: makes the source when the options are known. Requires: `view` is static.
void add_list(CLI::App& command, Command& chosen, const ListView& view, std::shared_ptr<ListOptions> options,
              std::function<ListSource()> source);

}  // namespace ctl

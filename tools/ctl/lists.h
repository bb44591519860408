// Lists that rncd gives in pages.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "tools/ctl/commands.h"
#include "tools/ctl/views.h"

namespace ctl {

struct ListQuery {
  std::string method;
  std::string list;  // the member of its answers
  Json params;
  std::optional<std::size_t> most{};  // none: all
};

// Calls `each` with every answer in its turn, without waiting for the next. True: there is more than was
// requested.
bool for_each_page(Caller& caller, const ListQuery& query, const std::function<void(Json page)>& each);

// The whole list, in one answer: the members beside the list are those of the last page.
Json whole_list(Caller& caller, const ListQuery& query, const Output& output);

// Prints the rows of a list as they come: for people by `view`, and as JSON one array.
using RowsView = std::string (*)(const Json& list, views::Widths& widths);
void show_rows(Caller& caller, const ListQuery& query, RowsView view, const Output& output);

}  // namespace ctl

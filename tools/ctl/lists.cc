#include "tools/ctl/lists.h"

#include <algorithm>

#include "tools/ctl/units.h"

namespace ctl {
namespace {

constexpr std::size_t kPage = 500;
constexpr std::size_t kToldEvery = 10'000;

void tell_of_more(bool more, const ListQuery& query, const Output& output) {
  if (more) output.notes << "rncctl: there are more " << query.list << " (--limit N, --all)\n";
}

}  // namespace

bool for_each_page(Caller& caller, const ListQuery& query, const std::function<void(Json page)>& each) {
  Json params = query.params;
  std::size_t had = 0;
  for (;;) {
    params["limit"] = query.most ? std::min(kPage, *query.most - had) : kPage;
    Json page = caller.call(query.method, params);
    const auto list = page.find(query.list);
    if (list == page.end() || !list->is_array()) {
      throw Refused("the answer to " + query.method + " lacks " + query.list, page);
    }
    had += list->size();
    params["cursor"] = page.value("next", Json());
    page.erase("next");
    each(std::move(page));
    const bool more = !params["cursor"].is_null();
    if (!more || (query.most && had >= *query.most)) return more;
  }
}

Json whole_list(Caller& caller, const ListQuery& query, const Output& output) {
  Json whole = Json::object(), all = Json::array();
  const bool more = for_each_page(caller, query, [&](Json page) {
    for (Json& one : page[query.list]) all.push_back(std::move(one));
    whole = std::move(page);
  });
  whole[query.list] = std::move(all);
  tell_of_more(more, query, output);
  return whole;
}

void show_rows(Caller& caller, const ListQuery& query, RowsView view, const Output& output) {
  views::Widths widths;
  std::size_t shown = 0;
  const bool more = for_each_page(caller, query, [&](const Json& page) {
    const Json& rows = page[query.list];
    if (output.json) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        output.out << (shown + i == 0 ? "[" : ",") << rows[i].dump();
      }
    } else {
      output.out << view(rows, widths);
    }
    output.out.flush();
    const std::size_t before = std::exchange(shown, shown + rows.size());
    if (output.progress && before / kToldEvery != shown / kToldEvery) {
      output.notes << "rncctl: " << count_text(shown) << " " << query.list << " so far\n" << std::flush;
    }
  });
  if (output.json) output.out << (shown == 0 ? "[]\n" : "]\n") << std::flush;
  tell_of_more(more, query, output);
}

}  // namespace ctl

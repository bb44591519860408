// Views of cells.
#include <array>
#include <string>

#include "tools/common/table.h"
#include "tools/ctl/members.h"
#include "tools/ctl/views.h"

namespace ctl::views {
namespace {

using tools::Table;

// The condition under which the table is valid.
std::string meaning(const Json&, tools::Form) {
  return tools::wrapped(
      "A cell decides who is served only while it carries less than its sector would at that moment: set "
      "share, rates and reports a little below the truth.\n");
}

// "pf-rp" of {"pf-rp": {...}}
Json scheduler(const Json& cell) {
  const Json& value = look(cell, "/settings/scheduler");
  return value.is_object() && !value.empty() ? Json(value.begin().key()) : value;
}

Json carried(const Json& cell) {
  const Json& bits = look(cell, "/bits");
  return bits.is_number() ? Json(bits.get<double>() / 8) : Json();
}

constexpr std::array kCellColumns{
    Column{"cell", Kind::text, "/cell"},
    Column{"scheduler", Kind::text, "", Place::first, "", scheduler},
    Column{"members", Kind::count, "/members"},
    Column{"places", Kind::count, "/places"},
    Column{"backlog", Kind::count, "/backlogged"},
    Column{"short", Kind::count, "/slots/short"},
    Column{"long", Kind::count, "/slots/long"},
    Column{"nobody", Kind::count, "/slots/nobody"},
    Column{"carried", Kind::bytes, "", Place::first, "", carried},
    Column{"worker", Kind::number, "/worker", Place::wide},
    Column{"stale", Kind::count, "/stale_reports", Place::wide},
    Column{"refused", Kind::count, "/refused", Place::wide},
};

}  // namespace

const ListView kCells{"cells", kCellColumns, nullptr, meaning};

std::string cell(const Json& one) {
  Table table({"SETTING", "VALUE"});
  const Json settings = look(one, "/settings");
  for (const auto& [key, value] : settings.items()) table.add({key, plain(value)});
  return text_of_list(kCells, Json::array({one}), {}) + "\n" + table.text({.width = tools::kTerminal});
}

std::string cell_changed(const Json& result) {
  const Json changed = look(result, "/changed");
  if (!changed.is_object() || changed.empty()) return text_at(result, "/cell") + ": as it was\n";
  std::string text;
  for (const auto& [key, change] : changed.items()) {
    text += text_at(result, "/cell") + ": " + key + " " + text_at(change, "/was") + " to " +
            text_at(change, "/now") + "\n";
  }
  return text;
}

}  // namespace ctl::views

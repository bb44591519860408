// Views of cells.
#include <string>

#include "tools/common/table.h"
#include "tools/ctl/members.h"
#include "tools/ctl/views.h"

namespace ctl::views {
namespace {

using tools::Table;

// The condition under which the table is valid.
constexpr const char* kMeaning =
    "A cell decides who is served only while it carries less than its sector would at that moment: set "
    "share, "
    "rates and reports a little below the truth.\n";

// "pf-rp" of {"pf-rp": {...}}
std::string scheduler(const Json& cell) {
  const Json value = look(cell, "/settings/scheduler");
  return value.is_object() && !value.empty() ? value.begin().key() : plain(value);
}

}  // namespace

std::string cells(const Json& list) {
  Table table({"CELL", ">WORKER", "SCHEDULER", ">MEMBERS", ">PLACES", ">BACKLOGGED", ">SLOTS SHORT", ">LONG",
               ">NOBODY", ">CARRIED", ">STALE", ">REFUSED"});
  for (const auto& one : list) {
    const std::string carried = number(
        look(one, "/bits"), [](double bits) { return bytes_text(static_cast<std::uint64_t>(bits / 8)); });
    table.add({text_at(one, "/cell"), text_at(one, "/worker"), scheduler(one), count(one, "/members"),
               count(one, "/places"), count(one, "/backlogged"), count(one, "/slots/short"),
               count(one, "/slots/long"), count(one, "/slots/nobody"), carried, count(one, "/stale_reports"),
               count(one, "/refused")});
  }
  return table.empty() ? "no cells\n" : table.text() + kMeaning;
}

std::string cell(const Json& one) {
  Table table({"SETTING", "VALUE"});
  const Json settings = look(one, "/settings");
  for (const auto& [key, value] : settings.items()) table.add({key, plain(value)});
  return cells(Json::array({one})) + "\n" + table.text();
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

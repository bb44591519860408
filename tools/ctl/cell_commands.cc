// The commands about cells.
#include <memory>

#include "tools/ctl/arguments.h"
#include "tools/ctl/ask.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/lists.h"
#include "tools/ctl/selector.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

struct CellOptions {
  std::string cell, ue;
  std::vector<std::string> pairs;
  Selector selector{};
};

constexpr const char* kSettings =
    "KEY=VALUE: scheduler=pf-rp (or JSON), slots=600, members=64, share=90%, short_share=75%, "
    "newcomer=fair, idle=decay";

Json settings_params(const CellOptions& o) {
  Json params{{"cell", o.cell}};
  for (const std::string& pair : o.pairs) {
    const auto [key, value] = split_pair(pair, "KEY=VALUE");
    params[key] = value.starts_with('{') ? parsed(value) : quantity(value);
  }
  return params;
}

Json report_params(const CellOptions& o) {
  Json params{{"cell", o.cell}, {"rates", Json::array()}};
  for (const std::string& pair : o.pairs) {
    const auto [ue, rate] = split_pair(pair, "UE=RATE");
    params["rates"].push_back({{"ue", ue}, {"rate", quantity(rate)}});
  }
  return params;
}

using Call = Json (*)(const CellOptions&);

void add_one(CLI::App& cell, Command& chosen, const char* name, const char* doc, const char* pairs,
             const char* method, Call params, std::string (*view)(const Json&)) {
  auto o = std::make_shared<CellOptions>();
  auto* one = cell.add_subcommand(name, doc);
  one->add_option("NAME", o->cell, "the cell")->required();
  if (pairs != nullptr) one->add_option("PAIRS", o->pairs, pairs);
  one->callback([=, &chosen] { chosen = {ask(method, params(*o)), view}; });
}

}  // namespace

void add_cell_commands(CLI::App& app, Command& chosen) {
  auto* cell = app.add_subcommand("cell", "make, change and remove cells, report what slots carry")
                   ->require_subcommand(1);
  add_one(*cell, chosen, "set", "change a cell from its next slot on; queues and mean rates stay", kSettings,
          "cell.set", settings_params, views::cell_changed);
  add_one(*cell, chosen, "add", "make a cell", kSettings, "cell.add", settings_params, views::fields);
  add_one(
      *cell, chosen, "remove", "remove a cell in which nobody is", nullptr, "cell.remove",
      [](const CellOptions& o) {
        return Json{{"cell", o.cell}};
      },
      views::fields);
  add_one(*cell, chosen, "report", "what the next slots would carry to UEs whose radio is `reported`",
          "UE=RATE, as in 10.45.0.2=2M; 0 is nothing", "cell.report", report_params, views::fields);
  auto o = std::make_shared<CellOptions>();
  auto* relocate = app.add_subcommand("relocate", "hand a bearer over to another cell, with what it holds");
  relocate->add_option("UE", o->ue, "IPv4 address, IPv6 /64 or address; in a network UE@NAME")->required();
  relocate->add_option("CELL", o->cell, "the cell")->required();
  add_selector(*relocate, o->selector);
  relocate->callback([=, &chosen] {
    Json params{{"ue", o->ue}, {"cell", o->cell}};
    o->selector.add_to(params);
    chosen = {ask("rrc.relocate", params), views::fields};
  });
}

void add_show_cells(CLI::App& show, Command& chosen) {
  auto* list = show.add_subcommand("cells", "cells, a row each");
  auto options = std::make_shared<ListOptions>();
  add_page_options(*list, *options);
  add_list(*list, chosen, views::kCells, options, [] { return ListSource{"cell.list", Json::object()}; });
  auto o = std::make_shared<CellOptions>();
  auto* one = show.add_subcommand("cell", "one cell");
  one->add_option("NAME", o->cell, "the cell")->required();
  one->callback([=, &chosen] { chosen = {ask("cell.get", {{"cell", o->cell}}), views::cell}; });
}

}  // namespace ctl

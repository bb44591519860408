#include "control/plane/cells.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "config/notation/words.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

// Renumbers the cells behind the one that is gone: each gets the number before its own. Bearers listed in
// that cell are listed no longer.
void close_gap(config::Config& config, config::CellId gone) {
  std::erase_if(config.bearers, [gone](const config::Bearer& bearer) { return bearer.cell == gone; });
  const auto renumber = [gone](config::CellId& cell) {
    DP_EXPECT(cell != gone);
    if (cell != config::kNoCell && cell > gone) --cell;
  };
  for (config::Bearer& bearer : config.bearers) renumber(bearer.cell);
  for (config::Learn& rule : config.learn) renumber(rule.cell);
}

std::string bearers_in(const CellRecord& cell) { return config::counted(cell.cell->reserved(), "bearer"); }

}  // namespace

CellRecord& Cells::need(const std::string& name) {
  if (CellRecord* cell = running_.cells.find(name)) return *cell;
  throw Refusal(Refusal::Why::no_cell, fmt::format("no cell {}", name));
}

std::vector<CellRecord*> Cells::make(const std::vector<config::Cell>& cells) {
  std::vector<CellRecord*> all;
  for (const config::Cell& cell : cells) {
    CellRecord* const made = running_.cells.find(cell.name);
    all.push_back(made != nullptr ? made : &running_.cells.make(cell.name, cell.settings));
  }
  return all;
}

void Cells::bring(const std::vector<config::Cell>& wanted) {
  const std::vector<CellRecord*> all = make(wanted);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]->lent) {
      running_.cells.lend(*all[i]);
    } else if (all[i]->settings != wanted[i].settings) {
      running_.cells.change(*all[i], wanted[i].settings, nullptr);
    }
  }
}

struct Cells::Removal {
  std::vector<std::string> names;
  Refused refused;
  std::function<void()> done;
  std::size_t next = 0;
};

void Cells::remove_all(std::vector<std::string> names, Refused refused, std::function<void()> done) {
  remove_next(std::make_shared<Removal>(Removal{std::move(names), std::move(refused), std::move(done)}));
}

void Cells::remove_next(const std::shared_ptr<Removal>& removal) {
  if (removal->next == removal->names.size()) return removal->done();
  CellRecord& cell = need(removal->names[removal->next++]);
  running_.cells.remove(cell, [this, removal, &cell](bool gone) {
    if (gone) {
      forget(removal->names[removal->next - 1]);
    } else {
      removal->refused(fmt::format("cell {} cannot be removed: it holds {} not in the file; it stays",
                                   cell.name, bearers_in(cell)));
    }
    remove_next(removal);
  });
}

// Takes a cell that is gone out of the configuration.
void Cells::forget(const std::string& name) {
  std::vector<config::Cell>& cells = running_.config.cells;
  const auto at = std::ranges::find(cells, name, &config::Cell::name);
  DP_EXPECT(at != cells.end());
  close_gap(running_.config, static_cast<config::CellId>(at - cells.begin()));
  cells.erase(at);
}

void Cells::add(const std::string& name, const dp::CellSettings& settings, OnChanged done, Client client) {
  const auto set = std::make_shared<SettingsChange>(SettingsChange{{}, settings});
  running_.jobs.submit(
      [this, name, set](const JobEnd& finish) {
        add_now(name, set->now);
        finish(nullptr);
      },
      end_with(std::move(done), set), std::move(client));
}

void Cells::add_now(const std::string& name, const dp::CellSettings& settings) {
  CellRecords& cells = running_.cells;
  if (cells.find(name) != nullptr) {
    throw Refusal(Refusal::Why::bad_cell, fmt::format("there is a cell {} already", name));
  }
  if (cells.all().size() >= config::kMaxCells) {
    throw Refusal(Refusal::Why::bad_cell, fmt::format("there are {} cells, the most", config::kMaxCells));
  }
  MemoryEstimate estimate;
  estimate.add_cell(settings);
  bearers_.check_memory(estimate);
  cells.lend(cells.make(name, settings));
  running_.config.cells.push_back({name, settings});
}

void Cells::set(const std::string& name, MakeSettings make, OnChanged done, Client client) {
  const auto set = std::make_shared<SettingsChange>();
  running_.jobs.submit(
      [this, name, set, make = std::move(make)](const JobEnd& finish) {
        CellRecord& cell = need(name);
        *set = {cell.settings, make(cell.settings)};
        if (set->now.members != set->was.members) {
          throw Refusal(Refusal::Why::bad_cell,
                        fmt::format("the cell {} keeps the {} members that it was made with; make another",
                                    name, set->was.members));
        }
        std::ranges::find(running_.config.cells, name, &config::Cell::name)->settings = set->now;
        running_.cells.change(cell, set->now, [finish] { finish(nullptr); });
      },
      end_with(std::move(done), set), std::move(client));
}

void Cells::remove(const std::string& name, OnChanged done, Client client) {
  const auto set = std::make_shared<SettingsChange>();
  Job job;
  job.prepare = [this] { return settle_rules(); };
  job.client = std::move(client);
  job.begin = [this, name, set](const JobEnd& finish) {
    CellRecord& cell = need(name);
    set->was = cell.settings;
    refuse_used_by_rule(cell);
    running_.cells.remove(cell, [this, name, &cell, finish](bool gone) {
      if (gone) {
        forget(name);
        return finish(nullptr);
      }
      finish(std::make_exception_ptr(Refusal(
          Refusal::Why::cell_used,
          fmt::format("the cell {} holds {}; remove or relocate them first", name, bearers_in(cell)))));
    });
    return Slices();
  };
  running_.jobs.submit(std::move(job), end_with(std::move(done), set));
}

void Cells::refuse_used_by_rule(const CellRecord& cell) {
  const config::Config& config = running_.config;
  for (const config::Learn& rule : config.learn) {
    if (running_.cell_at(rule.cell) != &cell) continue;
    throw Refusal(Refusal::Why::cell_used,
                  fmt::format("UEs of {} are learnt into the cell {}",
                              config::text_of(rule.prefix, rule.network, config.networks), cell.name));
  }
}

// Waits until no worker applies former rules, which may lead to a cell that is about to go.
Slices Cells::settle_rules() const {
  while (!bearers_.settled()) co_await Slices::Wait{};
}

void Cells::report(const std::string& name, CellRecords::Reports reports, OnReported done, Client client) {
  const auto unknown = std::make_shared<std::uint32_t>(0);
  running_.jobs.submit(
      [this, name, reports = std::move(reports), unknown](const JobEnd& finish) {
        running_.cells.report(need(name), reports, [unknown, finish](std::uint32_t count) {
          *unknown = count;
          finish(nullptr);
        });
      },
      end_with(std::move(done), unknown), std::move(client));
}

}  // namespace control

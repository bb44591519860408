// The cells of the data plane.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "control/plane/data_plane.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

// Counts the bearers that enter each cell, less those that leave.
std::map<const CellRecord*, std::int64_t> coming_in(const BearerRegistry& registry, const Plan& plan) {
  std::map<const CellRecord*, std::int64_t> sum;
  const auto leaves = [&](const dp::UeAddress& ue) {
    const Record* record = registry.find(ue);
    if (record != nullptr && record->cell != nullptr) --sum[record->cell];
  };
  for (const dp::UeAddress& ue : plan.remove) leaves(ue);
  for (const std::deque<Want>* wants : {&plan.create, &plan.change}) {
    for (const Want& want : *wants) {
      leaves(want.ue);
      if (want.cell != nullptr) ++sum[want.cell];
    }
  }
  return sum;
}

std::string so_many(std::int64_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

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

}  // namespace

CellRecord* DataPlane::cell_at(config::CellId id) {
  return id == config::kNoCell ? nullptr : cells_.find(config_.cells[id].name);
}

CellRecord& DataPlane::need_cell(const std::string& name) {
  if (CellRecord* cell = cells_.find(name)) return *cell;
  throw Refusal(Refusal::Why::no_cell, fmt::format("no cell {}", name));
}

std::vector<CellRecord*> DataPlane::make_cells(const std::vector<config::Cell>& cells) {
  std::vector<CellRecord*> all;
  for (const config::Cell& cell : cells) {
    CellRecord* const made = cells_.find(cell.name);
    all.push_back(made != nullptr ? made : &cells_.make(cell.name, cell.settings));
  }
  return all;
}

// Makes the cells that the workers do not know yet, and changes those that differ.
void DataPlane::bring_cells(const std::vector<config::Cell>& wanted) {
  const std::vector<CellRecord*> all = make_cells(wanted);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]->lent) {
      cells_.lend(*all[i]);
    } else if (all[i]->settings != wanted[i].settings) {
      cells_.change(*all[i], wanted[i].settings, nullptr);
    }
  }
}

// Removes the cells one after the other. A cell with bearers in it stays.
void DataPlane::remove_cells(std::shared_ptr<const std::vector<std::string>> names, std::size_t from,
                             const Refused& refused, const std::function<void()>& done) {
  if (from == names->size()) return done();
  const std::string& name = (*names)[from];
  CellRecord& cell = need_cell(name);
  cells_.remove(cell, [this, names = std::move(names), from, &cell, refused, done](bool gone) {
    if (gone) {
      forget_cell((*names)[from]);
    } else {
      refused(fmt::format("cell {} cannot be removed: it holds {} not in the file; it stays", cell.name,
                          so_many(cell.cell->rooms_taken(), "bearer")));
    }
    remove_cells(names, from + 1, refused, done);
  });
}

void DataPlane::forget_cell(const std::string& name) {
  const auto at = std::ranges::find(config_.cells, name, &config::Cell::name);
  DP_EXPECT(at != config_.cells.end());
  close_gap(config_, static_cast<config::CellId>(at - config_.cells.begin()));
  config_.cells.erase(at);
}

// A plan may move bearers out of a cell and into it at once: then their order decides which bearers find a
// place.
void DataPlane::check_cells(const Plan& plan) const {
  for (const auto& [cell, more] : coming_in(registry_, plan)) {
    const std::int64_t taken = cell->cell->rooms_taken(), room = cell->cell->room();
    if (more <= 0 || taken + more <= room) continue;
    throw Refusal(Refusal::Why::cell_full, fmt::format("the cell {} has {}, {} taken, and {} more would be",
                                                       cell->name, so_many(room, "place"), taken, more));
  }
}

// Takes its turn among the jobs. A bearer that cannot go there stays where it is, and gets no slots.
void DataPlane::follow(const dp::UeAddress& ue) {
  if (sender_.workers() == 1) return;
  jobs_.submit(
      [this, ue](const JobEnd& finish) {
        const bool goes = applier_.follow(ue, [this, finish] {
          ++moved_[dp::index(MovedFor::cell)];
          finish(nullptr);
        });
        if (!goes) finish(nullptr);
      },
      [](const std::exception_ptr&) {});
}

void DataPlane::add_cell(const std::string& name, const dp::CellSettings& settings, OnCell done,
                         Client client) {
  const auto set = std::make_shared<CellSet>(CellSet{{}, settings});
  jobs_.submit(
      [this, name, set](const JobEnd& finish) {
        if (cells_.find(name) != nullptr) {
          throw Refusal(Refusal::Why::bad_cell, fmt::format("there is a cell {} already", name));
        }
        if (cells_.all().size() >= config::kMaxCells) {
          throw Refusal(Refusal::Why::bad_cell,
                        fmt::format("there are {} cells, the most", config::kMaxCells));
        }
        MemoryEstimate estimate;
        estimate.add_cell(set->now);
        check_memory(estimate, pool_.to_come());
        cells_.lend(cells_.make(name, set->now));
        config_.cells.push_back({name, set->now});
        finish(nullptr);
      },
      end_with(std::move(done), set), std::move(client));
}

void DataPlane::set_cell(const std::string& name, ChangeCell change, OnCell done, Client client) {
  const auto set = std::make_shared<CellSet>();
  jobs_.submit(
      [this, name, set, change = std::move(change)](const JobEnd& finish) {
        CellRecord& cell = need_cell(name);
        *set = {cell.settings, change(cell.settings)};
        if (set->now.members != set->was.members) {
          throw Refusal(Refusal::Why::bad_cell,
                        fmt::format("the cell {} keeps the {} members that it was made with; make another",
                                    name, set->was.members));
        }
        std::ranges::find(config_.cells, name, &config::Cell::name)->settings = set->now;
        cells_.change(cell, set->now, [finish] { finish(nullptr); });
      },
      end_with(std::move(done), set), std::move(client));
}

void DataPlane::remove_cell(const std::string& name, OnCell done, Client client) {
  const auto set = std::make_shared<CellSet>();
  Job job;
  job.prepare = [this] { return settle_rules(); };
  job.client = std::move(client);
  job.begin = [this, name, set](const JobEnd& finish) {
    CellRecord& cell = need_cell(name);
    set->was = cell.settings;
    for (const config::Learn& rule : config_.learn) {
      if (cell_at(rule.cell) != &cell) continue;
      throw Refusal(Refusal::Why::cell_used,
                    fmt::format("UEs of {} are learnt into the cell {}",
                                config::text_of(rule.prefix, rule.network, config_.networks), name));
    }
    cells_.remove(cell, [this, name, &cell, finish](bool gone) {
      if (gone) {
        forget_cell(name);
        return finish(nullptr);
      }
      finish(std::make_exception_ptr(
          Refusal(Refusal::Why::cell_used, fmt::format("the cell {} holds {}; remove or relocate them first",
                                                       name, so_many(cell.cell->rooms_taken(), "bearer")))));
    });
    return Slices();
  };
  jobs_.submit(std::move(job), end_with(std::move(done), set));
}

// Waits until no worker applies former rules, which may lead to a cell that is about to go.
Slices DataPlane::settle_rules() {
  while (!pool_.settled()) co_await Slices::Wait{};
}

void DataPlane::report_rates(const std::string& name, CellRecords::Reports reports, OnReported done,
                             Client client) {
  const auto unknown = std::make_shared<std::uint32_t>(0);
  jobs_.submit(
      [this, name, reports = std::move(reports), unknown](const JobEnd& finish) {
        cells_.report(need_cell(name), reports, [unknown, finish](std::uint32_t count) {
          *unknown = count;
          finish(nullptr);
        });
      },
      end_with(std::move(done), unknown), std::move(client));
}

}  // namespace control

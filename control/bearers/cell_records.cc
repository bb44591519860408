#include "control/bearers/cell_records.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dataplane/base/expect.h"

namespace control {
namespace {

// Spreads the first slots of the first few cells, and of the next few, over instants of their own: multiples
// of the golden ratio lie evenly, however many there are.
dp::Duration phase_of(std::uint64_t made, const dp::CellSettings& settings) {
  constexpr double kGolden = 0.6180339887498949;
  const double turns = static_cast<double>(made % 1'000'000) * kGolden;
  return dp::Duration{static_cast<std::int64_t>(1e9 / settings.slots * (turns - std::floor(turns)))};
}

}  // namespace

const CellRecord* CellRecords::find(std::string_view name) const {
  const auto at = records_.find(name);
  return at == records_.end() ? nullptr : at->second.get();
}

CellRecord& CellRecords::of(const dp::Cell& cell) {
  const auto at = by_object_.find(&cell);
  DP_EXPECT(at != by_object_.end());
  return *at->second;
}

CellRecord& CellRecords::make(const std::string& name, const dp::CellSettings& settings) {
  DP_EXPECT(find(name) == nullptr);
  const auto least = std::ranges::min_element(places_);
  *least += settings.members;
  auto record = std::make_unique<CellRecord>(CellRecord{name, settings, nullptr});
  record->cell = std::make_unique<dp::Cell>(settings, static_cast<unsigned>(least - places_.begin()),
                                            phase_of(made_++, settings));
  by_object_.emplace(record->cell.get(), record.get());
  return *records_.emplace(name, std::move(record)).first->second;
}

void CellRecords::erase(const CellRecord& cell) {
  places_[cell.cell->worker()] -= cell.settings.members;
  by_object_.erase(cell.cell.get());
  records_.erase(records_.find(cell.name));
}

void CellRecords::lend(CellRecord& cell) {
  DP_EXPECT(!cell.lent);
  cell.lent = true;
  sender_.send_to(cell.cell->worker(), dp::AddCell{cell.cell.get()}, nullptr);
}

void CellRecords::discard(CellRecord& cell) {
  DP_EXPECT(!cell.lent);
  erase(cell);
}

// The callback keeps the settings until the answer has brought them home.
void CellRecords::change(CellRecord& cell, const dp::CellSettings& settings, std::function<void()> then) {
  DP_EXPECT(cell.lent && settings.members == cell.settings.members);
  cell.settings = settings;
  const auto sent = std::make_shared<const dp::CellSettings>(settings);
  sender_.send_to(cell.cell->worker(), dp::ReconfigureCell{cell.cell.get(), sent.get()},
                  [sent, then = std::move(then)](const dp::Answer&) {
                    if (then) then();
                  });
}

void CellRecords::remove(CellRecord& cell, std::function<void(bool gone)> then) {
  DP_EXPECT(cell.lent);
  sender_.send_to(cell.cell->worker(), dp::RemoveCell{cell.cell.get()},
                  [this, &cell, then = std::move(then)](const dp::Answer& answer) {
                    const bool gone = answer.status == dp::CommandStatus::done;
                    if (gone) erase(cell);
                    then(gone);
                  });
}

void CellRecords::report(const CellRecord& cell, const Reports& reports,
                         std::function<void(std::uint32_t unknown)> then) {
  struct Round {
    std::vector<dp::RateSheet> sheets;
    std::size_t open;
    std::uint32_t unknown = 0;
  };
  const std::size_t count = (reports.size() + dp::RateSheet::kCapacity - 1) / dp::RateSheet::kCapacity;
  if (count == 0) return then(0);
  const auto round = std::make_shared<Round>(Round{std::vector<dp::RateSheet>(count), count});
  for (std::size_t i = 0; i < count; ++i) {
    dp::RateSheet& sheet = round->sheets[i];
    const std::size_t from = i * dp::RateSheet::kCapacity;
    sheet.size =
        static_cast<std::uint32_t>(std::min<std::size_t>(reports.size() - from, dp::RateSheet::kCapacity));
    std::copy_n(reports.begin() + static_cast<std::ptrdiff_t>(from), sheet.size, sheet.reports.begin());
    sender_.send_to(cell.cell->worker(), dp::ReportRates{&sheet}, [round, &sheet, then](const dp::Answer&) {
      round->unknown += sheet.unknown;
      if (--round->open == 0) then(round->unknown);
    });
  }
}

}  // namespace control

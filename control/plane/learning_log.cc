#include "control/plane/learning_log.h"

#include <fmt/core.h>

#include "dataplane/base/expect.h"

namespace control {
namespace {

std::uint64_t frames(const dp::FrameAccount& account, dp::PassReason pass, dp::DropReason drop) {
  std::uint64_t sum = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    sum += account.passed[side][dp::index(pass)].frames + account.dropped[side][dp::index(drop)].frames;
  }
  return sum;
}

// Lists the first few prefixes as text.
std::string list_of(const std::vector<std::string>& prefixes) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < prefixes.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : ", ") + prefixes[i];
  }
  if (prefixes.size() > kMost) text += fmt::format(" and {} more", prefixes.size() - kMost);
  return text;
}

}  // namespace

Unlearnt unlearnt(const dp::FrameAccount& account) {
  return {frames(account, dp::PassReason::learn_limit, dp::DropReason::learn_limit),
          frames(account, dp::PassReason::stock_empty, dp::DropReason::stock_empty),
          frames(account, dp::PassReason::cell_full, dp::DropReason::cell_full)};
}

std::optional<log::Fields> LearningLog::sample(const dp::FrameAccount& account,
                                               const std::vector<std::string>& full, Clock::time_point now) {
  const Unlearnt seen = unlearnt(account);
  DP_EXPECT(seen.limit >= told_.limit && seen.stock_empty >= told_.stock_empty);
  const std::uint64_t limit = seen.limit - told_.limit, pool = seen.stock_empty - told_.stock_empty,
                      cell = seen.cell_full - told_.cell_full;
  if (limit + pool + cell == 0 || (last_ && now - *last_ < kInterval)) return std::nullopt;
  told_ = seen;
  last_ = now;
  log::Fields fields{{"frames_limit", limit}, {"frames_stock_empty", pool}, {"frames_cell_full", cell}};
  if (!full.empty()) fields.emplace_back("full", list_of(full));
  fields.emplace_back("needed", limit == 0 && cell != 0 ? "more `members` of the cell, or a shorter idle"
                                : limit == 0
                                    ? "fewer new UEs at a time; those behind these frames are learnt later"
                                : full.empty() ? "a larger dataplane.max_bearers, or fewer bearers"
                                               : "a higher limit of the rule, a shorter idle, or no scan");
  return fields;
}

}  // namespace control

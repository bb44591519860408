// BO readings of the box: the CSV that tools/demo --keep writes.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "tools/lab/replay/replay_compare.h"

namespace lab {
namespace {

using Cells = std::vector<std::string>;

Cells split(const std::string& line) {
  Cells cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else if (c != '\r' && c != '\n') {
      cells.back() += c;
    }
  }
  return cells;
}

class BoTable {
 public:
  explicit BoTable(const std::string& path) : path_(path), file_(path) {
    if (!file_)
      throw std::runtime_error(path + ": cannot be read; give the CSV that tools/demo --keep leaves");
    std::string line;
    std::getline(file_, line);
    head_ = split(line);
  }
  bool next() {
    std::string line;
    while (std::getline(file_, line)) {
      ++line_;
      if (line.empty() || line == "\r") continue;
      cells_ = split(line);
      if (cells_.size() != head_.size()) {
        refuse(
            fmt::format("found {} columns, expected {} as in the first line", cells_.size(), head_.size()));
      }
      return true;
    }
    return false;
  }
  bool has(const std::string& name) const { return std::ranges::find(head_, name) != head_.end(); }
  const std::string& cell(const std::string& name) const {
    const auto at = std::ranges::find(head_, name);
    if (at == head_.end()) refuse("there is no column '" + name + "'; the first line names the columns");
    return cells_[static_cast<std::size_t>(at - head_.begin())];
  }
  std::uint64_t number(const std::string& name) const {
    const std::string& text = cell(name);
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || end != text.data() + text.size()) {
      refuse(name + ": found '" + text + "', expected a whole number");
    }
    return value;
  }
  [[noreturn]] void refuse(const std::string& why) const { throw std::runtime_error(place() + why); }
  std::string place() const { return path_ + ":" + std::to_string(line_) + ": "; }

 private:
  std::string path_;
  std::ifstream file_;
  Cells head_, cells_;
  std::size_t line_ = 1;
};

dp::Time moment(const BoTable& table, const std::string& column, std::int64_t epoch) {
  return dp::Time{dp::Duration{parse_moment("@" + table.cell(column), 0, table.place() + column) - epoch}};
}

}  // namespace

std::vector<BoReading> read_bo(const std::string& path, const ReplayPlant& plant, std::int64_t epoch) {
  BoTable table(path);
  std::vector<BoReading> readings;
  while (table.next()) {
    const auto ue = config::parse_ue(table.cell("ue"), plant.networks);
    const auto bearer =
        std::ranges::find_if(plant.bearers, [&](const auto& one) { return ue && one.ue == *ue; });
    if (bearer == plant.bearers.end()) {
      table.refuse("ue: found '" + table.cell("ue") + "', expected a UE that has a bearer");
    }
    readings.push_back({moment(table, "asked_s", epoch), moment(table, "answered_s", epoch),
                        static_cast<std::size_t>(bearer - plant.bearers.begin()),
                        static_cast<std::uint32_t>(table.number("bo_sdu")),
                        table.has("delivered") ? table.number("delivered") : 0,
                        table.has("dropped") ? table.number("dropped") : 0});
  }
  return readings;
}

}  // namespace lab

// The outcome of `rnclab paper linux`: our rows beside the qdiscs' figures, as tables, JSON and a picture.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tools/lab/figures/json.h"
#include "tools/lab/papers/linux_rows.h"

namespace lab {

struct LinuxOutcome {
  std::vector<const LinuxRow*> rows;
  LinuxResults results;
  RunSetting setting;
  std::vector<std::string> set;  // keys that the user made different
};

std::string linux_text(const LinuxOutcome& outcome);
Json linux_json(const LinuxOutcome& outcome);
void draw_linux(const std::filesystem::path& folder, const LinuxOutcome& outcome);

// The qdiscs and our rows, for --list.
std::string linux_list_text();

}  // namespace lab

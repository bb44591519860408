// The outcome of `rnclab paper 001 --part window`: the paper's statements beside ours, its figures as tables,
// JSON and pictures.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tools/lab/figures/json.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/claims.h"
#include "tools/lab/papers/window_points.h"

namespace lab {

struct WindowOutcome {
  const Paper* paper = nullptr;
  WindowResults results;
  RunSetting setting;
  std::vector<std::string> set;  // keys that the user made different
  double flow_seconds = 0, wall_s = 0;
};

// The paper's statements C1 to C8 that these points can show.
std::vector<Claim> window_claims(const WindowResults& results);

std::string window_text(const WindowOutcome& outcome);
Json window_json(const WindowOutcome& outcome);
void draw_window(const std::filesystem::path& folder, const WindowOutcome& outcome);

}  // namespace lab

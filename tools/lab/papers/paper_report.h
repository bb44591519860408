// The outcome of `rnclab paper`: the paper's rows beside ours, as a table, JSON and a picture.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tools/lab/figures/json.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/claims.h"

namespace lab {

struct PaperOutcome {
  const Paper* paper = nullptr;
  std::vector<const PaperRow*> rows;
  Results results;
  RunSetting setting;
  std::vector<std::string> set;  // keys that the user made different
};

std::string paper_text(const PaperOutcome& outcome);
Json paper_json(const PaperOutcome& outcome);
void draw_paper(const std::filesystem::path& folder, const PaperOutcome& outcome);

// Every paper with its rows, for --list.
std::string catalogue_text();

}  // namespace lab

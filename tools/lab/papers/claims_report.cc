#include "tools/lab/papers/claims_report.h"

#include "tools/common/table.h"

namespace lab {

std::string fitted_text(const Paper& paper) {
  if (paper.fitted.empty()) return "";
  return "\nFitted to the papers' figures, not given by them: " + paper.fitted + "\n";
}

std::string claims_text(const std::string& heading, const std::string& limit, const std::vector<Claim>& all) {
  tools::Table table({heading, limit, "OURS", ""});
  for (const Claim& c : all) {
    const std::string no = c.need == Need::required ? "NO" : "no, not required";
    table.add({c.text, c.paper, c.ours, c.holds ? "yes" : no});
  }
  return table.empty() ? "" : "\n" + table.text();
}

Json claims_json(const std::vector<Claim>& all) {
  Json list = Json::array();
  for (const Claim& c : all) {
    list.push_back({{"text", c.text},
                    {"paper", c.paper},
                    {"ours", c.ours},
                    {"holds", c.holds},
                    {"required", c.need == Need::required}});
  }
  return list;
}

}  // namespace lab

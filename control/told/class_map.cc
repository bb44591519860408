#include "control/told/class_map.h"

#include <fnmatch.h>

namespace control::told {
namespace {

bool fits_a_line(const std::string& pattern, std::string_view lines) {
  while (!lines.empty()) {
    const std::string line(lines.substr(0, lines.find('\n')));
    if (fnmatch(pattern.c_str(), line.c_str(), 0) == 0) return true;
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
  return false;
}

}  // namespace

const std::string& ClassMap::first_fit(std::optional<std::uint8_t> qfi, std::string_view hints) const {
  for (const ClassRow& row : rows_) {
    const bool flow_fits = !row.qfi || row.qfi == qfi;
    if (flow_fits && (!row.class_attribute || fits_a_line(*row.class_attribute, hints)))
      return row.class_name;
  }
  return default_class_;
}

const std::string& ClassMap::class_of(const Session& session) const {
  return first_fit(session.qfi, session.class_hint);
}

const std::string& ClassMap::class_of(const Flow& flow) const { return first_fit(flow.qfi, {}); }

}  // namespace control::told

// The reference of every key, made from the tables that loading uses: type, range, default, meaning.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "config/notation/table.h"
#include "dataplane/base/result.h"

namespace config {

// For `--help-config [section]`: a section, or a key such as `aqm` with all keys below it; empty: all. The
// error for an unknown one lists the sections.
dp::Result<std::string> help(std::string_view section = {});

// The reference as Markdown tables, which config/REFERENCE.md has.
std::string help_markdown();
// Tables of other keys, without the units.
std::string help_markdown(const std::vector<HelpRow>& rows);

}  // namespace config

// Files that are part of the program.
#pragma once
#include <string_view>

namespace lab {

// The text, empty when there is none of that name. Scenarios have their file's name, others their folder's,
// too: papers/000.yaml.
std::string_view embedded_file(std::string_view name);

}  // namespace lab

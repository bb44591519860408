// Files that are part of the program.
#pragma once
#include <string_view>

namespace lab {

// The text of the file of that name; empty if there is none. A scenario's name is its file name, other names
// include the folder: papers/000.yaml.
std::string_view embedded_file(std::string_view name);

}  // namespace lab

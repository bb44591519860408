// Hints for the operator about legal but probably unintended configurations. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "config/model.h"

namespace config {

// Hints of one sentence with their key, in the order of the classes.
std::vector<std::string> hints_of(const Config& config);

}  // namespace config

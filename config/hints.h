// What is legal in a configuration and probably not meant, for the operator who has it checked. Pure.
#pragma once
#include <string>
#include <vector>

#include "config/model.h"

namespace config {

// One sentence each, with the key that it is about, in the order of the classes.
std::vector<std::string> hints_of(const Config& config);

}  // namespace config

// The build's version; the values come from the build system.
#pragma once
#include <string_view>

namespace control {

inline constexpr int kApiVersion = 2;
extern const std::string_view kVersion;
extern const std::string_view kDpdkVersion;
extern const std::string_view kBuild;

}  // namespace control

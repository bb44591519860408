// The files of config/profiles as they were when the program was built: one a policy, whose name it bears,
// and `class`, whose profiles are of both legs.
#pragma once
#include <span>
#include <string_view>

namespace config {

struct ProfileFile {
  std::string_view policy, text;
};
std::span<const ProfileFile> profile_files();

}  // namespace config

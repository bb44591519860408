// The files of config/profiles embedded at build time: one for each policy, under the policy's name, and
// `class`, with profiles for both legs.
#pragma once
#include <span>
#include <string_view>

namespace config {

struct ProfileFile {
  std::string_view policy, text;
};
std::span<const ProfileFile> profile_files();

}  // namespace config

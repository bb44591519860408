#include "control/host/group.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <vector>

#include <fmt/core.h>
#include <grp.h>
#include <unistd.h>

#include "control/host/exit_code.h"

namespace control {

dp::Result<gid_t> find_group(const std::string& name) {
  gid_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc{} && end == name.data() + name.size()) return number;
  group found{};
  group* at = nullptr;
  std::vector<char> text(1024);
  while (::getgrnam_r(name.c_str(), &found, text.data(), text.size(), &at) == ERANGE)
    text.resize(2 * text.size());
  if (at != nullptr) return found.gr_gid;
  return dp::Error{
      fmt::format("control.group: found no group {} on this host, expected one that there is; run: groupadd "
                  "--system {}, or name another",
                  name, name),
      kExitConfig};
}

dp::Status may_give_to_group(const std::string& name) {
  const auto wanted = find_group(name);
  if (!wanted) return wanted.error();
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  groups.resize(
      static_cast<std::size_t>(std::max(::getgroups(static_cast<int>(groups.size()), groups.data()), 0)));
  const bool member = *wanted == ::getegid() || std::ranges::find(groups, *wanted) != groups.end();
  if (member || ::geteuid() == 0) return dp::ok();
  return dp::Error{
      fmt::format("control.group: found that rncd's user is no member of {}, expected one that is, or root; "
                  "write SupplementaryGroups={} into its unit",
                  name, name),
      kExitPermission};
}

}  // namespace control

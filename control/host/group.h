// The group that control.group names.
#pragma once
#include <string>

#include <sys/types.h>

#include "dataplane/base/result.h"

namespace control {

// By name or number. Exit code 3 in the error.
dp::Result<gid_t> find_group(const std::string& name);

// Success if this process may give its files to the group: exit code 5 in the error, and 3 where there is
// none.
dp::Status may_give_to_group(const std::string& name);

}  // namespace control

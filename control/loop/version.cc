#include "control/loop/version.h"

namespace control {

const std::string_view kVersion = RNCD_VERSION;
const std::string_view kDpdkVersion = RNCD_DPDK_VERSION;
const std::string_view kBuild = RNCD_BUILD;

}  // namespace control

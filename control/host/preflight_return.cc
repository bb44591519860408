#include "control/host/preflight_return.h"

#include "control/host/host_facts.h"
#include "control/host/preflight_port.h"

namespace control {

std::string unfit_to_return(const std::array<std::string, 2>& devices, unsigned workers, dp::Side side) {
  Judgement judgement;
  judge_port(side, devices[dp::index(side)], gather_facts(devices), workers, judgement);
  return judgement.complaints.empty() ? std::string() : judgement.complaints.front().text;
}

}  // namespace control

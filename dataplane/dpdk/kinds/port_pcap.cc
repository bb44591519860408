// "pcap:IN,OUT": receives the frames of the file IN, once, and writes sent frames to OUT. Either may be
// empty. The driver makes chains of mbufs for frames larger than one by itself.
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "dataplane/dpdk/port.h"

namespace dp::dpdk {

Result<PortPlan> plan_pcap(const PlanInput& input) {
  const std::string& files = input.device.argument;
  const auto comma = files.find(',');
  const std::string in = files.substr(0, comma);
  const std::string out = comma == std::string::npos ? "" : files.substr(comma + 1);
  if (comma == std::string::npos || out.find(',') != std::string::npos || (in.empty() && out.empty())) {
    return Error{"port " + input.configured +
                     ": expected pcap:IN,OUT, two file names without commas of which one may be empty",
                 4};
  }
  if (!in.empty() && access(in.c_str(), R_OK) != 0) {
    return Error{"port " + input.configured + ": cannot read " + in + ": " + std::strerror(errno),
                 errno == EACCES ? 5 : 4};
  }
  PortPlan plan;
  plan.configured = input.configured;
  plan.bus = "vdev";
  std::string arguments;
  if (!in.empty()) arguments = "rx_pcap=" + in;
  if (!out.empty()) arguments += (in.empty() ? "tx_pcap=" : ",tx_pcap=") + out;
  plan.devices = {{"net_pcap" + std::to_string(input.number), arguments}};
  plan.frame = input.frame;
  plan.frame_limit = max_frame_of(input.configured);
  plan.room_overhead = 128;
  plan.receives_chains = true;
  plan.sends_chains = true;
  return plan;
}

}  // namespace dp::dpdk

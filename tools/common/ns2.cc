#include "tools/common/ns2.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "tools/common/process.h"

namespace tools {
namespace {

std::string topology(const Ns2Spec& spec) {
  std::ostringstream t;
  t << "set ns [new Simulator]\n";
  if (!spec.trace.empty()) {
    t << "set f [open " << spec.trace << " w]\n$ns trace-all $f\n$ns eventtrace-all $f\n";
  }
  t << "foreach i {0 1 2} {set n($i) [$ns node]}\n"
    << "$ns duplex-link $n(0) $n(1) 1Mb 100ms DropTail\n"
    << "$ns duplex-link $n(1) $n(2) " << spec.rate << " 25ms DropTail\n"
    << "foreach {a b} {0 1 1 0 2 1} {$ns queue-limit $n($a) $n($b) 100000}\n"
    << "$ns queue-limit $n(1) $n(2) " << std::min<std::size_t>(spec.queue, 100'000) << "\n";
  return t.str();
}

std::string ends(const Ns2Spec& spec) {
  std::ostringstream t;
  t << "set tcp [new " << spec.agent << "]\nset sink [new " << spec.sink
    << (spec.delayed_ack ? "/DelAck" : "") << "]\n"
    << "foreach {k v} {packetSize_ " << spec.mss << " tcpip_base_hdr_size_ 40 window_ " << spec.window
    << " windowInit_ 1 minrto_ 1 maxrto_ 64 rtxcur_init_ 3 tcpTick_ 0.001 overhead_ 0 maxburst_ 0 "
    << "singledup_ " << (spec.agent == "Agent/TCP/Sack1")
    << " ecn_ 0 timestamps_ false slow_start_restart_ false bugFix_ " << (spec.guard ? "true" : "false")
    << "} {$tcp set $k $v}\n"
    << "$sink set packetSize_ 40\n";
  if (spec.agent == "Agent/TCP/Newreno") t << "$tcp set exit_recovery_fix_ 1\n";
  if (spec.delayed_ack)
    t << "$sink set interval_ 200ms\n$sink set RFC2581_immediate_ack_ true\n"
      << "$sink set SYN_immediate_ack_ true\n";
  t << "$ns attach-agent $n(0) $tcp\n$ns attach-agent $n(2) $sink\n$ns connect $tcp $sink\n"
    << "set ftp [new Application/FTP]\n$ftp attach-agent $tcp\n";
  // Starting resets ssthresh to the window.
  if (spec.initial_ssthresh > 0) {
    t << "$ns at 0.01 \"$tcp set ssthresh_ " << spec.initial_ssthresh << "\"\n";
  }
  return t.str();
}

}  // namespace

std::string ns2_scenario(const Ns2Spec& spec) { return topology(spec) + ends(spec); }

std::string run_ns2(const std::string& script, const std::filesystem::path& folder) {
  std::ofstream(folder / "run.tcl") << script;
  const Ended ended = run_program({"ns", "run.tcl"}, "ns2", folder);
  if (ended.status == 0) return ended.said;
  throw std::runtime_error("ns ended with " + std::to_string(ended.status) + ", expected 0: " + ended.said);
}

}  // namespace tools

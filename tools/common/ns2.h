// ns-2 as a second opinion and as a yardstick: the Tcl of one TCP connection from n(0) over 1 Mbit/s and
// 100 ms to n(1) and over a drop-tail bottleneck and 25 ms to n(2), and back. tests/oracle/README.md says
// which settings are equal to ours and why.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tools {

struct Ns2Spec {
  std::string agent = "Agent/TCP/Reno";
  std::string sink = "Agent/TCPSink";
  std::uint32_t mss = 1460;
  std::uint32_t window = 44;           // segments
  std::uint32_t initial_ssthresh = 0;  // segments; 0: no bound
  bool delayed_ack = true;             // an ACK for two segments, or after 200 ms
  bool guard = true;                   // no second fast retransmit for one window
  std::uint64_t rate = 384'000;        // of the bottleneck, bit/s
  std::size_t queue = 50;              // packets
  std::string trace;                   // file of all events; empty: none
};

// Nodes n, links, agents `tcp` and `sink`, application `ftp`; what happens when is the caller's to add.
std::string ns2_scenario(const Ns2Spec& spec);

// Returns the output of ns. Throws if there is no ns, or if it fails.
std::string run_ns2(const std::string& script, const std::filesystem::path& folder);

}  // namespace tools

#include "tests/oracle/ns2.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace dp::test {
namespace {

// A directory of its own, gone with the object.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "ns2-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory at " + name);
    path_ = name;
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

const char* yes(bool v) { return v ? "true" : "false"; }

std::string topology(const RunSpec& run, const std::string& trace) {
  std::ostringstream t;
  t << "set ns [new Simulator]\nset f [open " << trace << " w]\n"
    << "$ns trace-all $f\n$ns eventtrace-all $f\n"
    << "foreach i {0 1 2} {set n($i) [$ns node]}\n"
    << "$ns duplex-link $n(0) $n(1) 1Mb 100ms DropTail\n"
    << "$ns duplex-link $n(1) $n(2) " << run.rate << " 25ms DropTail\n"
    << "foreach {a b} {0 1 1 0 2 1} {$ns queue-limit $n($a) $n($b) 100000}\n"
    << "$ns queue-limit $n(1) $n(2) " << std::min<std::size_t>(run.queue, 100'000) << "\n";
  return t.str();
}

std::string ends(const Ns2Agent& agent, const RunSpec& run) {
  const bool delayed = run.ack_every == 2;
  std::ostringstream t;
  t << "set tcp [new " << agent.agent << "]\nset sink [new " << agent.sink << (delayed ? "/DelAck" : "")
    << "]\n"
    << "foreach {k v} {packetSize_ " << kRunMss << " tcpip_base_hdr_size_ 40 window_ " << run.window
    << " windowInit_ 1 minrto_ 1 maxrto_ 64 rtxcur_init_ 3 tcpTick_ 0.001 overhead_ 0 maxburst_ 0 "
    << "singledup_ " << (std::string_view(agent.agent) == "Agent/TCP/Sack1")
    << " ecn_ 0 timestamps_ false slow_start_restart_ false bugFix_ " << yes(run.guard)
    << "} {$tcp set $k $v}\n"
    << "$sink set packetSize_ 40\n";
  if (std::string_view(agent.agent) == "Agent/TCP/Newreno") t << "$tcp set exit_recovery_fix_ 1\n";
  if (delayed)
    t << "$sink set interval_ 200ms\n$sink set RFC2581_immediate_ack_ true\n"
      << "$sink set SYN_immediate_ack_ true\n";
  t << "$ns attach-agent $n(0) $tcp\n$ns attach-agent $n(2) $sink\n$ns connect $tcp $sink\n"
    << "set ftp [new Application/FTP]\n$ftp attach-agent $tcp\n";
  // Starting resets ssthresh to the window.
  if (run.initial_ssthresh > 0) t << "$ns at 0.01 \"$tcp set ssthresh_ " << run.initial_ssthresh << "\"\n";
  return t.str();
}

// The error model counts packets on the link into the bottleneck; until the last drop none is a repeat, and
// the SYN is number 0.
std::string losses(const std::vector<Offset>& drops) {
  if (drops.empty()) return "";
  std::ostringstream t;
  t << "set em [new ErrorModel/List]\n$em droplist {";
  for (const Offset d : drops) t << " " << d;
  t << " }\n$em drop-target [new Agent/Null]\n$ns lossmodel $em $n(1) $n(2)\n";
  return t.str();
}

struct Event {
  char what = 0;
  double at = 0;
  int from = 0, to = 0;
  std::string type;
  Offset seq = -1;
};

// A packet line is: what time from to type size flags flow source target seq id; an event line begins with E.
std::vector<Event> simulate(const std::string& script, const Scratch& scratch) {
  std::ofstream(scratch / "run.tcl") << script;
  const std::string command = "ns " + (scratch / "run.tcl") + " >" + (scratch / "log") + " 2>&1";
  const int status = std::system(command.c_str());
  if (status != 0) {
    std::ifstream log(scratch / "log");
    throw std::runtime_error(
        "ns ended with " + std::to_string(status) +
        ", expected 0 (Debian's package is ns2): " + std::string(std::istreambuf_iterator<char>(log), {}));
  }
  std::vector<Event> events;
  std::ifstream in(scratch / "trace");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Event e;
    std::string skip;
    words >> e.what >> e.at >> e.from >> e.to;
    if (e.what == 'E') {
      words >> skip >> e.type;
    } else {
      words >> e.type >> skip >> skip >> skip >> skip >> skip >> e.seq;
    }
    events.push_back(std::move(e));
  }
  return events;
}

}  // namespace

DropRun ns2_controlled_drops(const Ns2Agent& agent, const RunSpec& run, const std::vector<Offset>& drops,
                             Offset segments) {
  const Scratch scratch;
  const auto events = simulate(topology(run, scratch / "trace") + ends(agent, run) + losses(drops) +
                                   "$ns at 0 \"$ftp produce " + std::to_string(segments) +
                                   "\"\n$ns at 200 \"$ns flush-trace; exit 0\"\n$ns run\n",
                               scratch);
  DropRun result;
  Offset highest = 0;
  for (const Event& e : events) {
    if (e.what == '+' && e.from == 0 && e.type == "tcp") {
      if (e.seq > 0 && e.seq <= highest) result.retransmitted.push_back(e.seq);
      highest = std::max(highest, e.seq);
    }
    if (e.what == 'E' && e.type == "TIMEOUT") ++result.timeouts;
    if (e.what == 'r' && e.to == 0 && e.type == "ack" && e.seq == segments) {
      result.completion = e.at;
      return result;
    }
  }
  throw std::runtime_error("ns did not acknowledge segment " + std::to_string(segments) + " in 200 s");
}

BulkRun ns2_overshoot(const Ns2Agent& agent, const RunSpec& run, double seconds) {
  const Scratch scratch;
  const auto events =
      simulate(topology(run, scratch / "trace") + ends(agent, run) + "$ns at 0 \"$ftp start\"\n$ns at " +
                   std::to_string(seconds) + " \"$ns flush-trace; exit 0\"\n$ns run\n",
               scratch);
  BulkRun result;
  std::set<Offset> sent, came;
  for (const Event& e : events) {
    if (e.what == 'E' && e.type == "TIMEOUT") ++result.timeouts;
    if (e.type != "tcp" || e.seq < 1) continue;
    if (e.what == '+' && e.from == 0 && !sent.insert(e.seq).second) ++result.retransmitted;
    if (e.what == 'd') ++result.dropped;
    if (e.what == 'r' && e.to == 2) came.insert(e.seq);
  }
  while (came.contains(static_cast<Offset>(result.delivered) + 1)) ++result.delivered;
  return result;
}

}  // namespace dp::test

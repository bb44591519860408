#include "tests/oracle/ns2.h"

#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "tools/common/ns2.h"
#include "tools/common/process.h"

namespace dp::test {
namespace {

tools::Ns2Spec spec_of(const Ns2Agent& agent, const RunSpec& run) {
  return {.agent = agent.agent,
          .sink = agent.sink,
          .mss = kRunMss,
          .window = run.window,
          .initial_ssthresh = run.initial_ssthresh,
          .delayed_ack = run.ack_every == 2,
          .guard = run.guard,
          .rate = run.rate,
          .queue = run.queue,
          .trace = "trace"};
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
std::vector<Event> simulate(const std::string& script) {
  const tools::ScratchFolder scratch;
  tools::run_ns2(script, scratch.path());
  std::vector<Event> events;
  std::ifstream in(scratch.path() / "trace");
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
  const auto events =
      simulate(tools::ns2_scenario(spec_of(agent, run)) + losses(drops) + "$ns at 0 \"$ftp produce " +
               std::to_string(segments) + "\"\n$ns at 200 \"$ns flush-trace; exit 0\"\n$ns run\n");
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
  const auto events = simulate(tools::ns2_scenario(spec_of(agent, run)) + "$ns at 0 \"$ftp start\"\n$ns at " +
                               std::to_string(seconds) + " \"$ns flush-trace; exit 0\"\n$ns run\n");
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

#include "tools/bench/lab.h"

#include <iostream>
#include <sstream>
#include <stdexcept>

#include "tools/common/interrupt.h"
#include "tools/common/ns2.h"
#include "tools/common/output.h"
#include "tools/common/process.h"
#include "tools/common/table.h"
#include "tools/lab/figures/embedded.h"
#include "tools/lab/figures/stats.h"
#include "tools/lab/figures/summary.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/scenario/scenario.h"

namespace bench {
namespace {

constexpr std::size_t kQueue = 25;  // packets, less than the window: there are losses
constexpr double kPacketBits = 1500 * 8;

// The topology and the settings of tools::Ns2Spec; the propagation of both links stands in the wire.
constexpr std::string_view kShaper = R"(
version: 1
duration: 1s
runs: 1
classes:
  bearer:
    downlink: {rate: 384k, buffer: {sdus: 25}}
    uplink: {rate: 384k, buffer: {sdus: 1000}}
bearers: [{ue: 10.45.0.2, class: bearer}]
wires: {wired: {rate: 1M, delay: 125ms}}
servers: {source: {address: 192.0.2.1, wire: wired}}
flows:
  - server: source
    ue: 10.45.0.2
    tcp: {congestion: reno, guard: yes, halve_window: yes, idle_restart: no, initial_window: 1, sack: no, timestamps: no}
    sink: {window: 65535B, ack_every: 2, ack_delay: 200ms, sack: no, timestamps: no}
)";

std::string seconds_text(double seconds) { return std::to_string(seconds) + "s"; }

lab::Scenario scenario_of(std::string_view yaml, double seconds) {
  auto scenario = lab::load_scenario(yaml, "rncbench", {{"--seconds", "duration", seconds_text(seconds)}});
  if (scenario) return std::move(*scenario);
  std::string all;
  for (const auto& problem : scenario.problems) all += to_string(problem) + "\n";
  throw std::runtime_error(all);
}

void simulate_lab(LabSubject& subject, std::string_view yaml, double seconds) {
  const auto run = lab::figures_of(lab::simulate(scenario_of(yaml, seconds), 1));
  subject.goodput_kbit_s = run.goodput;
  subject.repeats = run.retransmissions;
  subject.timeouts = run.timeouts;
  subject.busy_s.push_back(run.wall);
}

// Only the simulation is timed, not the start of the program.
void simulate_ns2(LabSubject& subject, double seconds) {
  tools::Ns2Spec spec;
  spec.queue = kQueue;
  std::ostringstream script;
  script << tools::ns2_scenario(spec)
         << "proc finish {} {\n  global begun tcp\n"
            "  puts \"answer [expr [clock microseconds] - $begun] [$tcp set ack_] [$tcp set nrexmitpack_] "
            "[$tcp set nrexmit_]\"\n  exit 0\n}\n"
            "$ns at 0 \"$ftp start\"\n$ns at "
         << seconds << " finish\nset begun [clock microseconds]\n$ns run\n";
  const tools::ScratchFolder scratch;
  // ns may have printed a line about its tclsh before.
  const std::string told = tools::run_ns2(script.str(), scratch.path());
  const auto at = told.rfind("answer ");
  std::istringstream answer(at == std::string::npos ? told : told.substr(at + 7));
  double microseconds = 0, segments = 0;
  if (!(answer >> microseconds >> segments >> subject.repeats >> subject.timeouts)) {
    throw std::runtime_error("ns did not print what was asked for: " + answer.str());
  }
  subject.goodput_kbit_s = segments * kPacketBits / seconds / 1e3;
  subject.busy_s.push_back(microseconds / 1e6);
}

struct Measured {
  std::vector<LabSubject> subjects{{"rnclab"}, {"ns-2"}, {"rnclab, RLC AM"}};
  std::vector<PduSubject> pdus = pdu_subjects();
};

Measured measure(const LabOptions& options) {
  Measured m;
  for (unsigned i = 0; i < options.repetitions && !tools::interrupted(); ++i) {
    simulate_lab(m.subjects[0], kShaper, options.seconds);
    simulate_ns2(m.subjects[1], options.seconds);
    simulate_lab(m.subjects[2], lab::embedded_file("papers-000-002.yaml"), options.seconds);
    for (PduSubject& subject : m.pdus) measure_pdus(subject);
  }
  return m;
}

constexpr std::string_view kExplanation =
    "\nrnclab and ns-2: a TCP Reno flow, 1 Mbit/s and 100 ms, then 384 kbit/s and 25 ms behind a drop-tail "
    "queue of 25.\n"
    "RLC AM: the flow of paper 000, row A1: real PDUs over a fading air. ns-2 has nothing like it.\n"
    "A PDU: of 42 octets, 64 in 10 ms, between two entities; building, reading and what a STATUS takes is in "
    "it.\n";

}  // namespace

void add_lab_options(CLI::App& app, LabOptions& o) {
  app.add_option("--seconds", o.seconds, "simulated in each turn")
      ->check(CLI::Range(1.0, 1e7))
      ->capture_default_str();
  app.add_option("--repetitions", o.repetitions, "turns of each subject")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  app.add_option("--json", o.json, "write the figures to this file as JSON; - is stdout");
}

double flow_seconds_per_s(const LabSubject& subject, double simulated_s) {
  return simulated_s / lab::median(subject.busy_s);
}

std::string lab_table(const std::vector<LabSubject>& subjects, double simulated_s) {
  tools::Table table(
      {"", ">FLOW-SECONDS/s", ">x ns-2", ">LEAST s", ">MEDIAN s", ">kbit/s", ">REPEATS", ">TIMEOUTS"});
  const double ns2 = flow_seconds_per_s(subjects.at(1), simulated_s);
  for (const LabSubject& s : subjects) {
    const double speed = flow_seconds_per_s(s, simulated_s);
    table.add({s.name, lab::text_of(speed, 0), &s == &subjects.back() ? "-" : lab::text_of(speed / ns2, 2),
               lab::text_of(lab::percentile(s.busy_s, 0), 3), lab::text_of(lab::median(s.busy_s), 3),
               lab::text_of(s.goodput_kbit_s, 1), lab::text_of(s.repeats, 0), lab::text_of(s.timeouts, 0)});
  }
  return table.text();
}

nlohmann::ordered_json lab_json(const std::vector<LabSubject>& subjects, const std::vector<PduSubject>& pdus,
                                const LabOptions& options, const std::string& version) {
  auto rows = nlohmann::ordered_json::array();
  for (const LabSubject& s : subjects) {
    rows.push_back({{"subject", s.name},
                    {"flow_seconds_per_s", flow_seconds_per_s(s, options.seconds)},
                    {"busy_s", s.busy_s},
                    {"goodput_kbit_s", s.goodput_kbit_s},
                    {"retransmissions", s.repeats},
                    {"timeouts", s.timeouts}});
  }
  const double ns2 = flow_seconds_per_s(subjects.at(1), options.seconds);
  return {{"benchmark", "lab"},
          {"version", version},
          {"simulated_s", options.seconds},
          {"ratio_to_ns2", flow_seconds_per_s(subjects.at(0), options.seconds) / ns2},
          {"subjects", std::move(rows)},
          {"pdus", pdu_json(pdus)}};
}

int run_lab(const LabOptions& options, const std::string& version) {
  tools::catch_interrupts();
  try {
    const Measured m = measure(options);
    if (m.pdus.back().sender_ns.empty()) return tools::kInterruptedExit;
    tools::table_stream(options.json) << lab_table(m.subjects, options.seconds) << "\n"
                                      << pdu_table(m.pdus) << kExplanation << std::flush;
    if (!options.json.empty()) {
      tools::write_json(lab_json(m.subjects, m.pdus, options, version), options.json);
    }
    return tools::interrupted() ? tools::kInterruptedExit : 0;
  } catch (const std::exception& error) {
    std::cerr << "rncbench: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace bench

// `rncbench lab`: how many seconds of a TCP flow one core simulates in a second: rnclab and ns-2 on the same
// topology, in turns, and rnclab's flow over RLC AM beside them; and what a PDU of RLC AM costs by itself.
#pragma once
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/bench/lab_pdu.h"

namespace bench {

struct LabOptions {
  double seconds = 6000;  // simulated, each time
  unsigned repetitions = 5;
  std::string json;
};

void add_lab_options(CLI::App& app, LabOptions& options);

struct LabSubject {
  std::string name;
  double goodput_kbit_s = 0, repeats = 0, timeouts = 0;  // in one run; all runs are the same
  std::vector<double> busy_s{};                          // one per repetition
};

// Simulated seconds a second: the median over the repetitions.
double flow_seconds_per_s(const LabSubject& subject, double simulated_s);

std::string lab_table(const std::vector<LabSubject>& subjects, double simulated_s);
nlohmann::ordered_json lab_json(const std::vector<LabSubject>& subjects, const std::vector<PduSubject>& pdus,
                                const LabOptions& options, const std::string& version);

// Answers the exit code.
int run_lab(const LabOptions& options, const std::string& version);

}  // namespace bench

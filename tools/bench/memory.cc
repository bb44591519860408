#include "tools/bench/memory.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "control/bearers/bearer_registry.h"
#include "dataplane/base/rng.h"
#include "dataplane/split/proxy.h"
#include "tools/bench/dpdk/traffic.h"
#include "tools/bench/machine.h"
#include "tools/bench/memory_cells.h"
#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/common/process.h"

namespace bench {
namespace {

using dp::yardstick::Bytes;

// A node of a red-black tree has a colour and three pointers before its value; the heap puts a word before
// each of its blocks and rounds up to two.
constexpr std::uint64_t heap_block(std::uint64_t bytes) {
  return std::max<std::uint64_t>(32, (bytes + 8 + 15) / 16 * 16);
}
constexpr std::uint64_t kNodeBytes =
    heap_block(4 * sizeof(void*) + sizeof(control::BearerRegistry::Map::value_type));

using SplitProxies = std::vector<std::unique_ptr<dp::SplitProxy>>;

// Adds them to `proxies`: what a first few leave, the next would take.
SplitMemory measure_split(std::uint32_t window, SplitProxies& proxies) {
  const dp::SplitConfig config{.window = window};
  const std::uint64_t before = dp::yardstick::resident_bytes();
  for (std::uint64_t i = 0; i < kSplitProxies; ++i) {
    proxies.push_back(
        std::make_unique<dp::SplitProxy>(config, 1, [](void*, dp::Sdu&, dp::Context&) noexcept {}));
  }
  const std::uint64_t grown = dp::yardstick::resident_bytes() - before;
  return {window,
          config.flows(),
          dp::SplitProxy::bytes_of_connection(config),
          {sizeof(dp::SplitProxy) + dp::SplitProxy::bytes_for(config), grown / kSplitProxies}};
}

// This program again, for one number of bearers.
MemoryCell measure_inside(std::uint32_t bearers, std::uint64_t seed) {
  const tools::ScratchFolder folder;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const auto ended = tools::run_program(
      {self, "memory", "--inside", "--bearers", std::to_string(bearers), "--seed", std::to_string(seed)},
      "rncbench", folder.path());
  const auto told = nlohmann::json::parse(ended.said, nullptr, false);
  if (ended.status != 0 || told.is_discarded()) {
    throw std::runtime_error("measuring ended with " + std::to_string(ended.status) + " and said:\n" +
                             ended.said);
  }
  return memory_cell_of(told);
}

std::uint64_t most_bytes(const MemoryOptions& options) {
  const std::uint64_t most = *std::max_element(options.bearers.begin(), options.bearers.end());
  return most * (kNodeBytes + 2048) + (64u << 20);
}

std::vector<MemoryCell> measure_all_memory(const MemoryOptions& options) {
  std::vector<MemoryCell> cells;
  Progress progress;
  for (const std::uint32_t bearers : options.bearers) {
    if (tools::interrupted()) break;
    progress.cell(std::to_string(bearers) + " bearers");
    try {
      cells.push_back(measure_inside(bearers, options.seed));
    } catch (const std::exception&) {
      if (!tools::interrupted()) throw;  // Ctrl-C reaches the process inside as well
    }
    progress.clear();
  }
  return cells;
}

}  // namespace

void add_memory_options(CLI::App& app, MemoryOptions& o) {
  app.add_option("--bearers", o.bearers, "numbers of bearers")
      ->delimiter(',')
      ->check(CLI::Range(1u, dp::yardstick::kMaxBearers))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "of the order in which control hears of the UEs")->capture_default_str();
  app.add_option("--json", o.json, "write the figures to this file as JSON; - is stdout");
  app.add_flag("--inside", o.inside)->group("");
}

Bytes measure_control_memory(std::uint32_t bearers, std::uint64_t seed) {
  std::vector<std::uint32_t> order(bearers);
  std::iota(order.begin(), order.end(), 0u);
  dp::Rng random(seed);
  for (std::uint32_t i = bearers; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  dp::BearerSettings settings;
  settings.downlink.link = dp::ShaperSpec::Config{};
  const control::Record record{settings};
  const std::uint64_t before = dp::yardstick::resident_bytes();
  control::BearerRegistry registry;
  for (const std::uint32_t bearer : order) {
    registry.insert(dp::ue_ipv4(dp::yardstick::ue_address_of(bearer)), record);
  }
  return {registry.size() * kNodeBytes, dp::yardstick::resident_bytes() - before};
}

std::vector<SplitMemory> measure_split_memory() {
  SplitProxies proxies;
  return {measure_split(32 << 10, proxies), measure_split(64 << 10, proxies)};
}

int run_memory(const MemoryOptions& options, const std::string& version) {
  tools::catch_interrupts();
  try {
    if (options.inside) {
      const std::uint32_t bearers = options.bearers.front();
      const MemoryCell cell{bearers, dp::yardstick::measure_worker_memory(bearers),
                            measure_control_memory(bearers, options.seed), measure_split_memory()};
      std::cout << told_inside(cell).dump() << "\n";
      return 0;
    }
    if (!memory_there(most_bytes(options), "ask for fewer bearers with --bearers 1000,100000"))
      return kMemoryExit;
    const auto cells = measure_all_memory(options);
    tools::table_stream(options.json) << memory_table(cells) << std::flush;
    if (!options.json.empty())
      tools::write_json(memory_json(cells, version, tools::interrupted()), options.json);
    const std::string faults = memory_faults(cells);
    std::cerr << faults;
    if (!faults.empty()) return 1;
    return tools::interrupted() ? tools::kInterruptedExit : 0;
  } catch (const std::exception& error) {
    std::cerr << "rncbench: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace bench

// The benchmarks' queries about the machine they run on, and their progress output.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

inline constexpr int kMemoryExit = 4;

std::string cpu_model();
unsigned last_cpu();  // that this process may use
// The last ones of them, up to this number; in ascending order.
std::vector<unsigned> last_cpus(std::size_t most);

// The calling thread runs there from now on. False when it may not.
bool run_on(unsigned cpu);

// A run that does not fit would be killed by the kernel half-way. False, with `advice` on stderr, when there
// are fewer bytes than `wanted`.
bool memory_there(std::uint64_t wanted, const std::string& advice);

// On stderr: one line on a terminal, nothing in a log but the cells.
class Progress {
 public:
  Progress();
  void cell(const std::string& text);
  void step(const std::string& text);
  void clear();

 private:
  bool terminal_;
  std::string cell_;
};

}  // namespace bench

#include "tools/bench/dpdk/worker_memory.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>

#include "dataplane/base/expect.h"
#include "dataplane/worker/worker.h"
#include "tools/bench/dpdk/bearers.h"
#include "tools/bench/dpdk/memory_io.h"

namespace dp::yardstick {
namespace {

using MemoryWorker = Worker<ManualClock, MemoryIo>;

// A test holds these two to what the process grows by.
// Calendar's, beside its object: the anchors of its wheel and levels.
constexpr std::uint64_t kWheelBytes = ((std::uint64_t{1} << 18) + 5 * 1024 + 1) * 8;
// BearerIndex has slots of this size, twice the number of bearers, rounded up to a power of two.
constexpr std::uint64_t kSlotBytes = 16;

std::uint64_t index_bytes(std::uint32_t bearers) {
  const std::uint64_t slots = bearers < 8 ? 16 : std::bit_ceil(std::uint64_t{2} * bearers);
  return slots * kSlotBytes + std::uint64_t{bearers} * sizeof(Bearer*);
}

// The growth of the process from one grown() to the next.
class Growth {
 public:
  std::uint64_t grown() {
    const std::uint64_t now = resident_bytes();
    const std::uint64_t by = now > before_ ? now - before_ : 0;
    before_ = now;
    return by;
  }

 private:
  std::uint64_t before_ = resident_bytes();
};

void add(MemoryWorker& worker, WorkerShared& shared, Bearer& bearer) {
  shared.mailbox.commands.push({bearer.table_index + 1, AddBearer{&bearer}});
  worker.poll_once();
  Answer answer;
  shared.mailbox.answers.pop(answer);
}

}  // namespace

std::uint64_t resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/smaps_rollup", "r");
  if (file == nullptr) return 0;
  unsigned long long kib = 0;
  for (char line[256]; std::fgets(line, sizeof(line), file) != nullptr;) {
    if (std::sscanf(line, "Rss: %llu kB", &kib) == 1) break;
  }
  std::fclose(file);
  return kib * 1024;
}

WorkerMemory measure_worker_memory(std::uint32_t bearers) {
  DP_EXPECT(bearers > 0);
  WorkerMemory memory;
  ManualClock clock;
  MemoryIo io(Traffic{}, false);
  Growth growth;
  const auto calendar = std::make_unique<Calendar<Context>>();
  memory.calendar = {sizeof(*calendar) + kWheelBytes, growth.grown()};
  const auto shared = std::make_unique<WorkerShared>();
  memory.shared = {sizeof(*shared), growth.grown()};
  memory.class_board = sizeof(ClassBoard);
  memory.rest_of_worker = sizeof(MemoryWorker) - sizeof(*calendar);
  const MemoryWorker least(clock, io, *shared, WorkerLimits{.max_bearers = 1});
  const std::uint64_t fixed = growth.grown();
  MemoryWorker worker(clock, io, *shared, WorkerLimits{.max_bearers = bearers});
  const std::uint64_t empty = growth.grown();
  const BearerArray array(Traffic{.bearers = bearers});
  memory.bearers = {bearers * sizeof(Bearer), growth.grown()};
  for (Bearer& bearer : array) add(worker, *shared, bearer);
  memory.index = {index_bytes(bearers), (empty > fixed ? empty - fixed : 0) + growth.grown()};
  return memory;
}

}  // namespace dp::yardstick

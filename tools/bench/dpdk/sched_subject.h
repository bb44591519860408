// DPDK's rte_sched with a pipe a bearer, behind the same receive, parse and lookup as the worker: what a user
// of DPDK would take instead. One subport, one best-effort queue a pipe, no RED. Owns the scheduler and the
// frames in it.
#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "dataplane/base/result.h"
#include "tools/bench/dpdk/front.h"
#include "tools/bench/dpdk/subject.h"

struct rte_sched_port;

namespace dp::yardstick {

// `shaped`: each pipe has its bearer's rate. `unlimited`: a pipe never waits for its tokens; the backlog
// stands because only the amount that came in is taken out.
enum class Pipes : std::uint8_t { shaped, unlimited };

class SchedSubject final : public Subject {
 public:
  static Result<std::unique_ptr<Subject>> make(const Traffic& traffic, Pipes pipes,
                                               const std::array<std::uint16_t, 2>& ports,
                                               const BearerArray& bearers);
  ~SchedSubject() override;

  std::size_t step() noexcept override;
  void pause() noexcept override { level_ = tally_.queued; }
  void resume() noexcept override;
  Tally tally() const noexcept override;
  std::uint64_t state_bytes() const noexcept override { return state_bytes_; }

  // EAL memory that rte_sched allocates for this traffic, in bytes.
  static std::uint64_t memory_for(const Traffic& traffic);

 private:
  struct Parameters;

  SchedSubject(const Traffic& traffic, Pipes pipes, const std::array<std::uint16_t, 2>& ports,
               const BearerArray& bearers);
  Status configure(const Traffic& traffic);
  std::size_t enqueue() noexcept;
  std::size_t dequeue() noexcept;

  Front front_;
  std::uint32_t bearers_;
  Pipes pipes_;
  std::unique_ptr<Parameters> parameters_;
  rte_sched_port* port_ = nullptr;
  Tally tally_;
  std::uint64_t level_ = 0;  // frames queued when it was paused
  std::uint64_t state_bytes_ = 0;
};

}  // namespace dp::yardstick

// Everything the path benchmark needs of DPDK behind a plain header: EAL, the pool, a pair of null ports, and
// the subjects on them. Subjects die before the rig and before the next use_frames().
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dataplane/base/result.h"
#include "tools/bench/dpdk/subject.h"
#include "tools/bench/dpdk/traffic.h"

namespace dp::yardstick {

enum class Kind : std::uint8_t {
  worker_memory,
  worker_bursts,
  worker_crafted,
  worker_acked,
  ports_acked,
  hostile_many,
  hostile_few,
  worker_null,
  worker_drop_tail,
  worker_bare_ip,
  sched,
  sched_unlimited,
  classified,
  written,
  bare,
};
struct KindText {
  std::string_view name;
  std::string_view text;
};
inline constexpr std::array kKinds{
    KindText{"worker-memory", "Worker::poll_once() over ports of memory"},
    KindText{"worker-bursts", "the same in bursts of 64, beside smaller ones (--burst)"},
    KindText{"worker-crafted",
             "worker-memory, to UEs whose addresses were chosen against the bearer index (--crafted)"},
    KindText{"worker-acked", "worker-memory with the UEs' ACKs the other way (--ack), by segments of data"},
    KindText{"ports-acked", "the ports of that without the worker: frames written and read, UEs that answer"},
    KindText{"hostile-4096",
             "a bearer whose UE sends hostile ACKs (--hostile), where 4,096 segments are kept"},
    KindText{"hostile-128", "the same where 128 are"},
    KindText{"worker-null", "Worker::poll_once() over DPDK null ports"},
    KindText{"worker-drop-tail", "the same under drop-tail, beside another policy (--aqm)"},
    KindText{"worker-bare-ip", "the same packets without tunnels, beside tunnels (--encap)"},
    KindText{"sched", "rte_sched, a pipe at each bearer's rate, over null ports"},
    KindText{"sched-unlimited", "rte_sched, pipes that never wait for tokens, standing backlog"},
    KindText{"classify", "null ports, parse and bearer lookup, no scheduler"},
    KindText{"frames", "null ports through the worker's Io, frame headers written"},
    KindText{"forward", "null ports, bare rx burst -> tx burst"},
};

struct RigPlan {
  unsigned cpu = 0;
  bool huge_pages = false;
  std::uint64_t mbufs = 0;        // that all subjects on null ports may hold together
  std::uint64_t sched_bytes = 0;  // for the schedulers that exist at once
};

class Rig {
 public:
  virtual ~Rig() = default;
  // EAL starts once a process, so there is one rig a process. Exit codes: 4 memory, 5 permission, 7 EAL.
  static Result<std::unique_ptr<Rig>> start(const RigPlan& plan);

  // Null ports that receive frames of this size.
  virtual Status use_frames(std::uint32_t frame_bytes) = 0;
  // `traffic`: what traffic_of() answers.
  virtual Result<std::unique_ptr<Subject>> make(Kind kind, const Traffic& traffic) = 0;
  virtual double cycles_per_ns() const = 0;
  virtual std::uint64_t mbufs_in_use() const = 0;
  virtual std::string eal_line() const = 0;
  virtual std::string dpdk_version() const = 0;
};

// The traffic for `kind` in a cell of this traffic: the cell's own, or that of the case it is compared with.
Traffic traffic_of(Kind kind, const Traffic& cell);

// EAL memory that `kind` needs, for RigPlan and for a check whether it is available.
std::uint64_t sched_bytes_for(const Traffic& traffic);
// True if the bearers of the cell have flow queues.
bool has_flows(const Traffic& traffic);
// Bytes of one bearer and its parts, in the traffic's cell.
std::uint64_t bearer_bytes(const Traffic& traffic);

// The time stamp counter.
std::uint64_t cycles() noexcept;

}  // namespace dp::yardstick

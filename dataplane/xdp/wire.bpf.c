/* The wire's fail-safe (fail-to-wire): on both interfaces it hands each frame to the socket of the worker that has the
 * queue while that worker's heart beats, and else to the other interface, within the kernel. It stays attached when
 * rncd ends in whatever way, so that the wire survives it; the next rncd takes it over with its maps. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "dataplane/xdp/wire_layout.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct wire_settings);
} rncd_settings SEC(".maps");

/* Mapped into the memory of the workers, who write it without a system call. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, WIRE_WORKERS);
  __type(key, __u32);
  __type(value, struct wire_heartbeat);
} rncd_beats SEC(".maps");

/* The sockets, by side and queue. The kernel empties a place when its socket is closed, as when its process dies. */
struct {
  __uint(type, BPF_MAP_TYPE_XSKMAP);
  __uint(max_entries, WIRE_SIDES * WIRE_QUEUES);
  __type(key, __u32);
  __type(value, __u32);
} rncd_sockets SEC(".maps");

/* The interfaces, by side. */
struct {
  __uint(type, BPF_MAP_TYPE_DEVMAP);
  __uint(max_entries, WIRE_SIDES);
  __type(key, __u32);
  __type(value, __u32);
} rncd_ports SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, WIRE_SIDES);
  __type(key, __u32);
  __type(value, struct wire_counts);
} rncd_counts SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, WIRE_SIDES);
  __type(key, __u32);
  __type(value, struct wire_state);
} rncd_state SEC(".maps");

static __always_inline void count(__u32 side, enum wire_fate fate, const struct xdp_md *frame) {
  struct wire_counts *counts = bpf_map_lookup_elem(&rncd_counts, &side);
  if (!counts) return;
  counts->frames[fate]++;
  counts->bytes[fate] += frame->data_end - frame->data;
}

/* CPUs may do this at the same time; one failover may be counted twice then. */
static __always_inline void note(__u32 side, __u32 bypassing, __u64 now) {
  struct wire_state *state = bpf_map_lookup_elem(&rncd_state, &side);
  if (!state || state->bypassing == bypassing) return;
  state->bypassing = bypassing;
  state->since = now;
  if (bypassing) state->failovers++;
}

static __always_inline int beats(__u32 worker, __u64 now, __u64 stale_ns) {
  const struct wire_heartbeat *heart = bpf_map_lookup_elem(&rncd_beats, &worker);
  if (!heart) return 0;
  const __u64 beat = *(const volatile __u64 *)&heart->beat;
  /* One that is written at this moment may lie ahead of `now`. */
  return beat != 0 && (beat > now || now - beat < stale_ns);
}

SEC("xdp")
int rncd_wire(struct xdp_md *frame) {
  const __u32 zero = 0;
  const struct wire_settings *settings = bpf_map_lookup_elem(&rncd_settings, &zero);
  if (!settings) return XDP_PASS;
  const __u32 side = frame->ingress_ifindex == settings->interface[0] ? 0 : 1;
  const __u32 queue = frame->rx_queue_index;
  const __u32 mode = settings->mode;

  if (mode == WIRE_NORMAL && queue < WIRE_QUEUES) {
    const __u64 now = bpf_ktime_get_coarse_ns(); /* of the last tick, some milliseconds ago: a tenth of the cost */
    const __u32 key = side * WIRE_QUEUES + queue;
    if (bpf_map_lookup_elem(&rncd_sockets, &key) &&
        beats(settings->worker[side][queue], now, settings->stale_ns)) {
      note(side, 0, now);
      count(side, WIRE_TO_WORKER, frame);
      return bpf_redirect_map(&rncd_sockets, key, XDP_DROP);
    }
    note(side, 1, now);
  }
  if (mode == WIRE_DISCONNECT || (mode == WIRE_NORMAL && settings->closed)) {
    count(side, WIRE_DROPPED, frame);
    return XDP_DROP;
  }
  count(side, WIRE_BYPASSED, frame);
  return bpf_redirect_map(&rncd_ports, !side, XDP_DROP);
}

/* Some of the helpers are for programs under a licence that is compatible with the GPL. */
char LICENSE[] SEC("license") = "Dual BSD/GPL";

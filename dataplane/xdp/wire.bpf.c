/* The wire's fail-safe (fail-to-wire): on both interfaces it hands each frame to the socket of the worker that has the
 * queue while that worker's heartbeat is fresh, and else to the other interface, within the kernel. Frames that the worker
 * would only pass may go there too (dataplane.wire.shortcut). It stays attached when rncd ends in whatever way, so that
 * the wire survives it; the next rncd takes it over with its maps. Each interface has a program of its own, which share
 * the maps. Compiled with WIRE_READS_TAGS it can read VLAN tags that a driver keeps beside the frame. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "dataplane/xdp/packet.bpf.c"
#include "dataplane/xdp/wire_layout.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct wire_settings);
} rncd_settings SEC(".maps");

/* enum wire_mode. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} rncd_order SEC(".maps");

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

/* By side and worker. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, WIRE_SIDES * WIRE_WORKERS);
  __type(key, __u32);
  __type(value, struct wire_state);
} rncd_state SEC(".maps");

/* Known UEs: those with a bearer, and those for which one may be learnt. */
struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, WIRE_UES);
  __type(key, struct wire_prefix4);
  __type(value, __u8);
} rncd_ues4 SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, WIRE_UES);
  __type(key, struct wire_prefix6);
  __type(value, __u8);
} rncd_ues6 SEC(".maps");

static __always_inline void count(__u32 side, enum wire_fate fate, const struct xdp_md *frame) {
  struct wire_counts *counts = bpf_map_lookup_elem(&rncd_counts, &side);
  if (!counts) return;
  counts->frames[fate]++;
  counts->bytes[fate] += frame->data_end - frame->data;
}

/* CPUs may do this at the same time; one failover may be counted twice then. */
static __always_inline void note(__u32 side, __u32 worker, __u32 bypassing, __u64 now) {
  const __u32 key = side * WIRE_WORKERS + worker;
  struct wire_state *state = bpf_map_lookup_elem(&rncd_state, &key);
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

#ifdef WIRE_READS_TAGS
/* Linux 6.8, in programs that are bound to one interface. An error: the frame has no tag beside it. */
extern int bpf_xdp_metadata_rx_vlan_tag(const struct xdp_md *frame, __be16 *type, __u16 *tag) __ksym;

/* Puts the VLAN tag that the driver keeps beside the frame (vlan_tags.h) back into it. False if there is no room for
 * it. Pointers into the frame are invalid afterwards. */
static __always_inline int restore_tag(struct xdp_md *frame, __u32 side) {
  __be16 type;
  __u16 tag;
  if (bpf_xdp_metadata_rx_vlan_tag(frame, &type, &tag) != 0) return 1;
  if (bpf_xdp_adjust_head(frame, -(int)sizeof(struct vlan_tag)) != 0) return 0;
  __u32 *const words = (void *)(long)frame->data;
  if ((void *)(words + 4) > (void *)(long)frame->data_end) return 0;
  /* Both addresses move up by one word. */
  words[0] = words[1];
  words[1] = words[2];
  words[2] = words[3];
  words[3] = bpf_htonl((__u32)bpf_ntohs(type) << 16 | tag);
  struct wire_counts *counts = bpf_map_lookup_elem(&rncd_counts, &side);
  if (counts) counts->restored_tags++;
  return 1;
}
#else
/* A program that is bound to no interface cannot read tags. Preflight refuses what keeps them beside frames. */
static __always_inline int restore_tag(struct xdp_md *frame, __u32 side) { return 1; }
#endif

enum {
  UNREACHABLE = 3, /* a type of ICMP's (RFC 792): also that a packet is too big */
  TOO_BIG6 = 2,    /* of ICMPv6's (RFC 4443) */
};

/* The worker that has the UE of a frame, by the workers' own rule (mesh/peers.h); -1: no UE's frame. */
static __always_inline int owner_of(const struct xdp_md *frame, const struct wire_settings *settings, __u32 side) {
  struct packet packet = {};
  find_packet(frame, settings, &packet);
  if (packet.content == IPV4) {
    const struct iphdr *ip = at(frame, packet.begin, sizeof(*ip));
    return ip ? (int)wire_owner(bpf_ntohl(side == 0 ? ip->daddr : ip->saddr), settings->workers) : -1;
  }
  if (packet.content == IPV6) {
    const struct ipv6hdr *ip = at(frame, packet.begin, sizeof(*ip));
    if (!ip) return -1;
    const struct in6_addr *ue = side == 0 ? &ip->daddr : &ip->saddr;
    return wire_owner(bpf_ntohl(ue->s6_addr32[0] ^ ue->s6_addr32[1]), settings->workers);
  }
  return -1;
}

/* Among frames of unknown UEs a worker drops those that are shorter than their headers say, and reads reports of too
 * big packets (packet/too_big.h): it must receive both. `side`: the frame's way in. */
static __always_inline int is_stranger4(const struct xdp_md *frame, const struct packet *packet, __u32 side) {
  const struct iphdr *ip = at(frame, packet->begin, sizeof(*ip));
  if (!ip) return 0;
  const __u32 at_hand = packet->end - packet->begin, length = bpf_ntohs(ip->tot_len), header = ip->ihl * 4;
  if (ip->version != 4 || header < sizeof(*ip) || length < header || length > at_hand) return 0;
  if (side == 1 && ip->protocol == IPPROTO_ICMP) {
    const __u8 *type = at(frame, packet->begin + header, sizeof(*type));
    if (!type || *type == UNREACHABLE) return 0;
  }
  struct wire_prefix4 ue = {.length = 32};
  __builtin_memcpy(ue.address, side == 0 ? &ip->daddr : &ip->saddr, sizeof(ue.address));
  return bpf_map_lookup_elem(&rncd_ues4, &ue) == 0;
}

static __always_inline int is_stranger6(const struct xdp_md *frame, const struct packet *packet, __u32 side) {
  const struct ipv6hdr *ip = at(frame, packet->begin, sizeof(*ip));
  if (!ip) return 0;
  const __u32 at_hand = packet->end - packet->begin;
  const __u8 next = ip->nexthdr;
  if (ip->version != 6 || sizeof(*ip) + bpf_ntohs(ip->payload_len) > at_hand) return 0;
  /* In a tunnel the worker counts packets whose headers contradict each other. */
  if (packet->inner && is_extension6(next)) return 0;
  if (side == 1) {
    /* Other headers come first: their payload is unknown. */
    if (next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING || next == IPPROTO_AH || next == IPPROTO_DSTOPTS) return 0;
    const __u8 *type = at(frame, packet->begin + sizeof(*ip), sizeof(*type));
    if (next == IPPROTO_ICMPV6 && (!type || *type == TOO_BIG6)) return 0;
  }
  struct wire_prefix6 ue = {.length = 128};
  __builtin_memcpy(ue.address, side == 0 ? &ip->daddr : &ip->saddr, sizeof(ue.address));
  return bpf_map_lookup_elem(&rncd_ues6, &ue) == 0;
}

/* True when a worker would only pass the frame. In doubt the worker receives it. */
static __always_inline int takes_shortcut(const struct xdp_md *frame, const struct wire_settings *settings, __u32 side) {
  struct packet packet = {};
  if (to_neighbour(frame)) return 1;
  find_packet(frame, settings, &packet);
  if (packet.content == NOT_IP) return 1;
  if (settings->shortcut != WIRE_STRANGERS) return 0;
  if (packet.content == IPV4) return is_stranger4(frame, &packet, side);
  if (packet.content == IPV6) return is_stranger6(frame, &packet, side);
  return 0;
}

struct look {
  __u64 now, stale_ns;
  __u64 dead; /* a bit a worker */
  __u32 side, workers;
  __u32 receiver; /* whose queue the frame came by */
  __u32 socket;   /* 1: that queue has one */
};

static long look_at(__u32 worker, void *at) {
  struct look *look = at;
  const int lives = (look->socket || worker != look->receiver) && beats(worker, look->now, look->stale_ns);
  note(look->side, worker, !lives, look->now);
  if (!lives) look->dead |= 1ull << (worker & (WIRE_WORKERS - 1));
  return 0;
}

/* The tick (jiffies) in which a side's frames last found that all workers live. What is left of it they are taken to
 * live: the coarse time, which their heartbeats are held against, stands still about as long. A heart that stops may be
 * noticed a tick later. */
static __u64 all_lived[WIRE_SIDES];

/* True when the frame is for a worker that will take it. All workers are looked at, so that what is known of one does
 * not depend on whose frames come. `socket`: its queue has one. */
static __always_inline int has_worker(const struct wire_settings *settings, const struct xdp_md *frame, __u32 side,
                                      __u32 queue, int socket) {
  const __u64 tick = bpf_jiffies64();
  if (socket && all_lived[side] == tick) return 1;
  struct look look = {
      .now = bpf_ktime_get_coarse_ns(), /* of the last tick, some milliseconds ago: a tenth of the cost */
      .stale_ns = settings->stale_ns,
      .side = side,
      .workers = settings->workers,
      .receiver = settings->worker[side][queue],
      .socket = socket,
  };
  if (look.workers <= 1) {
    look_at(0, &look);
  } else {
    bpf_loop(look.workers, look_at, &look, 0);
  }
  if (look.dead == 0) {
    all_lived[side] = tick;
    return 1;
  }
  if (look.workers <= 1) return 0;
  if (settings->together || (look.dead >> (look.receiver & (WIRE_WORKERS - 1)) & 1)) return 0;
  const int owner = owner_of(frame, settings, side);
  return owner < 0 || !(look.dead >> (owner & (WIRE_WORKERS - 1)) & 1);
}

SEC("xdp")
int rncd_wire(struct xdp_md *frame) {
  const __u32 zero = 0;
  const struct wire_settings *settings = bpf_map_lookup_elem(&rncd_settings, &zero);
  const __u32 *order = bpf_map_lookup_elem(&rncd_order, &zero);
  if (!settings || !order) return XDP_PASS;
  const __u32 side = frame->ingress_ifindex == settings->interface[0] ? 0 : 1;
  const __u32 queue = frame->rx_queue_index;
  const __u32 mode = *order;

  if (!restore_tag(frame, side)) {
    count(side, WIRE_DROPPED, frame);
    return XDP_DROP;
  }
  if (mode == WIRE_NORMAL && queue < WIRE_QUEUES) {
    /* The last of several such calls counts. Without a socket it returns its third argument. */
    const int up = bpf_redirect_map(&rncd_sockets, side * WIRE_QUEUES + queue, XDP_DROP);
    if (has_worker(settings, frame, side, queue, up == XDP_REDIRECT)) {
      if (settings->shortcut != WIRE_NOTHING && takes_shortcut(frame, settings, side)) {
        count(side, WIRE_SHORTCUT, frame);
        return bpf_redirect_map(&rncd_ports, !side, XDP_DROP);
      }
      count(side, WIRE_TO_WORKER, frame);
      return up;
    }
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

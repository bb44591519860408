/* The IP packet by whose addresses a frame is treated, found by the workers' rules (packet/parse.cc, packet/peel.cc): the
 * frame's own, or the user's packet in a GTP-U tunnel (TS 29.281) between two peers. A part of wire.bpf.c. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "dataplane/xdp/wire_layout.h"

/* The tunnel endpoints (dp::GtpUSettings). */
struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, WIRE_PEERS);
  __type(key, struct wire_prefix4);
  __type(value, __u8);
} rncd_peers4 SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, WIRE_PEERS);
  __type(key, struct wire_prefix6);
  __type(value, __u8);
} rncd_peers6 SEC(".maps");

struct vlan_tag {
  __be16 tag;
  __be16 type;
};

/* The mandatory part of a GTP-U header. */
struct gtp_u {
  __u8 flags;
  __u8 type;
  __be16 length; /* of all that follows this part */
  __be32 teid;
};

enum {
  MOST_OFFSET = 255, /* of a packet in its frame (packet/peel.h) */
  MOST_EXTENSIONS = MOST_OFFSET / 4,
  GTP_U_VERSION = 3, /* the upper half of the flags: version 1, and not GTP' */
  GTP_U_EXTENSION = 4,
  GTP_U_SEQUENCE = 2,
  GTP_U_OPTIONAL = 7, /* with any of these flags four more octets follow */
  GTP_U_GPDU = 255,
};

enum content {
  CUT_SHORT, /* within its headers */
  NOT_IP,
  IPV4,
  IPV6,
  TUNNEL, /* between peers, without a user's packet that is found here: echo, end marker, fragment, errors ... */
};

struct packet {
  enum content content;
  __u32 begin; /* offset of the IP header in the frame */
  __u32 end;   /* of what may belong to the packet: of the frame, or of the tunnel's message */
  __u32 inner; /* 1: it comes in a tunnel */
};

/* Null unless the frame has that many octets there. Requires: offset < 2048. */
static __always_inline const void *at(const struct xdp_md *frame, __u32 offset, __u32 size) {
  /* A compiler that knows the range of an offset leaves the mask out; the kernel knows the range by the mask alone. */
  asm volatile("" : "+r"(offset));
  const void *const data = (void *)(long)frame->data + (offset & 0x7ff);
  return data + size <= (void *)(long)frame->data_end ? data : 0;
}

/* Frames to 01-80-C2-00-00-0x, which no bridge forwards and the workers pass whatever is in them. */
static __always_inline int to_neighbour(const struct xdp_md *frame) {
  const struct ethhdr *ethernet = (void *)(long)frame->data;
  if ((void *)(ethernet + 1) > (void *)(long)frame->data_end) return 0;
  const unsigned char *to = ethernet->h_dest;
  return to[0] == 0x01 && to[1] == 0x80 && to[2] == 0xc2 && to[3] == 0 && to[4] == 0 && (to[5] & 0xf0) == 0;
}

/* The packet of the frame itself. */
static __always_inline enum content content_of(const struct xdp_md *frame, struct packet *packet) {
  void *data = (void *)(long)frame->data, *const end = (void *)(long)frame->data_end;
  const struct ethhdr *ethernet = data;
  packet->end = end - data;
  if ((void *)(ethernet + 1) > end) return CUT_SHORT;
  __be16 type = ethernet->h_proto;
  __u32 begin = sizeof(*ethernet);
#pragma unroll
  for (int tags = 0; tags < 2; ++tags) {
    if (type != bpf_htons(ETH_P_8021Q) && type != bpf_htons(ETH_P_8021AD)) break;
    const struct vlan_tag *vlan = data + begin;
    if ((void *)(vlan + 1) > end) return CUT_SHORT;
    type = vlan->type;
    begin += sizeof(*vlan);
  }
  packet->begin = begin;
  if (type == bpf_htons(ETH_P_IP)) return data + begin + sizeof(struct iphdr) > end ? CUT_SHORT : IPV4;
  if (type == bpf_htons(ETH_P_IPV6)) return data + begin + sizeof(struct ipv6hdr) > end ? CUT_SHORT : IPV6;
  return NOT_IP;
}

static __always_inline int is_extension6(__u8 next) {
  return next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING || next == IPPROTO_FRAGMENT || next == IPPROTO_AH ||
         next == IPPROTO_DSTOPTS;
}

static __always_inline int is_peer4(__be32 address) {
  struct wire_prefix4 peer = {.length = 32};
  __builtin_memcpy(peer.address, &address, sizeof(peer.address));
  return bpf_map_lookup_elem(&rncd_peers4, &peer) != 0;
}

static __always_inline int is_peer6(const struct in6_addr *address) {
  struct wire_prefix6 peer = {.length = 128};
  __builtin_memcpy(peer.address, address, sizeof(peer.address));
  return bpf_map_lookup_elem(&rncd_peers6, &peer) != 0;
}

static __always_inline int has_port(const struct wire_settings *settings, __be16 port) {
#pragma unroll
  for (int i = 0; i < WIRE_GTP_U_PORTS; ++i) {
    if (i < settings->gtp_u_ports && settings->gtp_u_port[i] == bpf_ntohs(port)) return 1;
  }
  return 0;
}

/* The UDP datagram in a packet to one host. */
enum datagram {
  NONE,
  WHOLE,
  FIRST_FRAGMENT,
  LATER_FRAGMENT,
  UNKNOWN, /* IPv6 extension headers come first, which are not followed here */
};

struct outer {
  enum datagram datagram;
  __u32 udp; /* offset of the UDP header */
  __u32 end; /* of the IP packet */
};

/* Both leave the datagram NONE in other packets, and in those whose lengths contradict each other. */
static __always_inline void read_outer4(const struct xdp_md *frame, const struct packet *packet, struct outer *outer) {
  const struct iphdr *ip = at(frame, packet->begin, sizeof(*ip));
  if (!ip) return;
  const __u32 header = ip->ihl * 4, length = bpf_ntohs(ip->tot_len), to = bpf_ntohl(ip->daddr);
  const __u32 fragment = bpf_ntohs(ip->frag_off) & 0x3fff;
  if (ip->version != 4 || header < sizeof(*ip) || length < header || packet->begin + length > packet->end) return;
  if (ip->protocol != IPPROTO_UDP || to >> 28 == 0xe || to == 0xffffffff) return;
  outer->datagram = fragment == 0 ? WHOLE : fragment & 0x1fff ? LATER_FRAGMENT : FIRST_FRAGMENT;
  outer->udp = packet->begin + header;
  outer->end = packet->begin + length;
}

static __always_inline void read_outer6(const struct xdp_md *frame, const struct packet *packet, struct outer *outer) {
  const struct ipv6hdr *ip = at(frame, packet->begin, sizeof(*ip));
  if (!ip) return;
  outer->udp = packet->begin + sizeof(*ip);
  outer->end = outer->udp + bpf_ntohs(ip->payload_len);
  if (ip->version != 6 || outer->end > packet->end || ip->daddr.s6_addr[0] == 0xff) return;
  if (ip->nexthdr == IPPROTO_UDP) outer->datagram = WHOLE;
  if (is_extension6(ip->nexthdr)) outer->datagram = UNKNOWN;
}

static __always_inline int between_peers(const struct xdp_md *frame, const struct packet *packet) {
  if (packet->content == IPV4) {
    const struct iphdr *ip = at(frame, packet->begin, sizeof(*ip));
    return ip && is_peer4(ip->saddr) && is_peer4(ip->daddr);
  }
  const struct ipv6hdr *ip = at(frame, packet->begin, sizeof(*ip));
  return ip && is_peer6(&ip->saddr) && is_peer6(&ip->daddr);
}

/* The offset at which a G-PDU's packet begins; 0: its headers do not end within the message, or too far from the
 * frame's begin. `begin`: behind the mandatory part. Not static: the kernel verifies such a function once, and a static
 * one for each state that it may be called in (of all instructions 8,582 instead of 174,672). */
__noinline __u32 end_of_headers(const struct xdp_md *frame, __u32 begin, __u32 end, __u8 flags) {
  if (!(flags & GTP_U_OPTIONAL)) return begin;
  begin += 4;
  if (begin > end) return 0;
  const __u8 *octet = at(frame, begin - 1, 1);
  if (!octet) return 0;
  __u8 next = flags & GTP_U_EXTENSION ? *octet : 0;
  for (int i = 0; i < MOST_EXTENSIONS && next; ++i) {
    if (begin >= end || begin > MOST_OFFSET) return 0;
    octet = at(frame, begin, 1);
    if (!octet) return 0;
    const __u32 size = *octet * 4;
    if (size == 0 || size > end - begin) return 0;
    begin += size;
    octet = at(frame, begin - 1, 1);
    if (!octet) return 0;
    next = *octet;
  }
  return next || begin > MOST_OFFSET ? 0 : begin;
}

/* The content of [begin, end) of the frame: an IP packet that lies within, or TUNNEL. */
static __always_inline enum content inner_content(const struct xdp_md *frame, __u32 begin, __u32 end) {
  const struct iphdr *ip = at(frame, begin, sizeof(*ip));
  if (!ip || begin + sizeof(*ip) > end) return TUNNEL;
  if (ip->version == 4) {
    const __u32 header = ip->ihl * 4, length = bpf_ntohs(ip->tot_len);
    return header < sizeof(*ip) || length < header || begin + length > end ? TUNNEL : IPV4;
  }
  const struct ipv6hdr *ip6 = at(frame, begin, sizeof(*ip6));
  if (!ip6 || ip6->version != 6) return TUNNEL;
  return begin + sizeof(*ip6) + bpf_ntohs(ip6->payload_len) > end ? TUNNEL : IPV6;
}

/* The user's packet of a message in [begin, end) of the frame; TUNNEL: there is none. */
static __always_inline enum content read_message(const struct xdp_md *frame, const struct wire_settings *settings,
                                                 __u32 begin, __u32 end, struct packet *packet) {
  const struct gtp_u *gtp = at(frame, begin, sizeof(*gtp));
  if (!gtp || begin + sizeof(*gtp) > end) return TUNNEL;
  const __u8 flags = gtp->flags;
  begin += sizeof(*gtp);
  if (flags >> 4 != GTP_U_VERSION || begin + bpf_ntohs(gtp->length) > end || gtp->type != GTP_U_GPDU) return TUNNEL;
  end = begin + bpf_ntohs(gtp->length);
  if (flags & GTP_U_SEQUENCE && !settings->ignores_sequence) return TUNNEL;
  begin = end_of_headers(frame, begin, end, flags);
  if (begin == 0) return TUNNEL;
  packet->begin = begin;
  packet->end = end;
  packet->inner = 1;
  return inner_content(frame, begin, end);
}

/* Replaces an IP packet by the user's packet in it, if it is a tunnel between peers; its content. */
static __always_inline enum content peel(const struct xdp_md *frame, const struct wire_settings *settings,
                                         struct packet *packet) {
  const enum content bare = packet->content;
  const struct ethhdr *ethernet = at(frame, 0, sizeof(*ethernet));
  if (settings->tunnels == WIRE_NO_TUNNELS || !ethernet || ethernet->h_dest[0] & 1) return bare;
  struct outer outer = {.datagram = NONE};
  if (bare == IPV4) {
    read_outer4(frame, packet, &outer);
  } else {
    read_outer6(frame, packet, &outer);
  }
  if (outer.datagram == NONE) return bare;
  if (settings->tunnels == WIRE_TUNNELS_CHANGE) return TUNNEL;
  if (!between_peers(frame, packet)) return bare;
  if (outer.datagram == LATER_FRAGMENT || outer.datagram == UNKNOWN) return TUNNEL;
  const struct udphdr *udp = at(frame, outer.udp, sizeof(*udp));
  const __u32 begin = outer.udp + sizeof(*udp);
  if (!udp || begin > outer.end || bpf_ntohs(udp->len) < sizeof(*udp))
    return outer.datagram == WHOLE ? bare : TUNNEL;
  if (!has_port(settings, udp->dest)) return bare;
  const __u32 end = outer.udp + bpf_ntohs(udp->len);
  if (outer.datagram != WHOLE || end > outer.end) return TUNNEL;
  return read_message(frame, settings, begin, end, packet);
}

/* The packet by whose addresses a worker looks for a bearer, if its content is IPV4 or IPV6. Not static for the
 * reason of end_of_headers(): the kernel asks of such a function that it checks its pointers and returns a number. */
__noinline int find_packet(const struct xdp_md *frame, const struct wire_settings *settings, struct packet *packet) {
  if (!settings || !packet) return 0;
  packet->content = content_of(frame, packet);
  if (packet->content == IPV4 || packet->content == IPV6) packet->content = peel(frame, settings, packet);
  return 0;
}

/* The interface between the XDP program of the wire (wire.bpf.c) and its owner (wire.h): the values of its
 * maps. Plain C and C++. A change of a layout or of a field's meaning must increment RNCD_WIRE_LAYOUT: a
 * program of another layout that is found on an interface is replaced instead of taken over. */
#ifndef DATAPLANE_XDP_WIRE_LAYOUT_H
#define DATAPLANE_XDP_WIRE_LAYOUT_H

#define RNCD_WIRE_LAYOUT 5

enum {
  WIRE_SIDES = 2,     /* dp::Side: core, radio */
  WIRE_QUEUES = 64,   /* of an interface that can have a socket */
  WIRE_WORKERS = 64,  /* whose heartbeats there is room for */
  WIRE_UES = 1 << 20, /* prefixes of UEs that are no strangers, of each IP version */
  WIRE_PEERS = 64,    /* prefixes of tunnel endpoints, of each IP version */
  WIRE_GTP_U_PORTS = 4,
};

/* The fate of a frame. */
enum wire_fate {
  WIRE_TO_WORKER, /* up the socket */
  WIRE_BYPASSED,  /* across, in the kernel: its worker is dead, hangs, or was ordered to be bypassed */
  WIRE_DROPPED,   /* on_failure: closed, the wire is disconnected, or no room before it for its VLAN tag */
  WIRE_SHORTCUT,  /* across, in the kernel: its worker lives, and would only have passed it */
  WIRE_FATES
};

/* An operator's order, in a map of its own, so that control and operator never overwrite each other. */
enum wire_mode { WIRE_NORMAL, WIRE_BYPASS, WIRE_DISCONNECT, WIRE_MODES };

/* The frames that take the short-cut (dp::Shortcut). */
enum wire_shortcut { WIRE_NOTHING, WIRE_UNPARSED, WIRE_STRANGERS, WIRE_SHORTCUTS };

/* The treatment of UDP between tunnel endpoints (dp::GtpUSettings). */
enum wire_tunnels {
  WIRE_NO_TUNNELS,    /* there are no endpoints */
  WIRE_TUNNELS,       /* to a GTP-U port, a user's packet counts in its place; others go to a worker */
  WIRE_TUNNELS_CHANGE /* the endpoints are being replaced: all UDP goes to a worker */
};

/* Keys of tries: the length in bits, the address as frames have it. */
struct wire_prefix4 {
  unsigned int length;
  unsigned char address[4];
};
struct wire_prefix6 {
  unsigned int length;
  unsigned char address[16];
};

/* Written by control. */
struct wire_settings {
  unsigned int layout;   /* RNCD_WIRE_LAYOUT */
  unsigned int workers;  /* whose heartbeats count; 0: there was none yet, which is as one */
  unsigned int together; /* 1: one worker that hangs takes all frames with it, else its own UEs' */
  unsigned int closed;   /* 1: frames are dropped where they would be bypassed */
  unsigned int interface[WIRE_SIDES]; /* by their index; 0: none */
  unsigned int promiscuous;           /* bit of a side: its interface takes every frame because of the wire */
  unsigned int shortcut;              /* enum wire_shortcut */
  unsigned int tunnels;               /* enum wire_tunnels */
  unsigned int ignores_sequence;      /* 1: G-PDUs with sequence numbers are looked into as well */
  unsigned int gtp_u_ports;           /* UDP destination ports in use of the following */
  unsigned short gtp_u_port[WIRE_GTP_U_PORTS];
  unsigned long long stale_ns;                   /* a heartbeat older than this is a worker's that hangs */
  unsigned char worker[WIRE_SIDES][WIRE_QUEUES]; /* whose socket is on the queue */
};

/* Written by each worker, at most 10 ms apart while it makes progress: CLOCK_MONOTONIC in nanoseconds. */
struct wire_heartbeat {
  unsigned long long beat;
  unsigned long long at_risk;     /* octets acknowledged to servers that UEs do not have */
  unsigned long long reserved[6]; /* a cache line each */
};

/* Written by the program, of one side and CPU. */
struct wire_counts {
  unsigned long long frames[WIRE_FATES];
  unsigned long long bytes[WIRE_FATES];
  unsigned long long restored_tags; /* VLAN tags that were beside a frame, and are in it again */
};

/* Written by the program, of one side and worker: when it last went from life to death or back, as far as
 * frames saw it, and how often it died. */
struct wire_state {
  unsigned int bypassing; /* 1: the last frame of the side found it dead, hung, or without its socket */
  unsigned int reserved;
  unsigned long long since;     /* CLOCK_MONOTONIC in nanoseconds; 0: never */
  unsigned long long failovers; /* from workers to the bypass */
};

/* The worker that has a UE (dataplane/base/owner.h), by its IPv4 address, or the exclusive or of the two
 * halves of the upper 64 bits of its IPv6 address. Requires: workers > 0. */
static inline unsigned int wire_owner(unsigned int address, unsigned int workers) {
  const unsigned int slot = (address ^ address >> 7 ^ address >> 14 ^ address >> 21 ^ address >> 25) % 128;
  return slot * 79 % 128 * workers / 128;
}

#endif

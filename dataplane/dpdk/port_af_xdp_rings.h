// What lies in the rings of an AF_XDP socket that nobody uses any more. The driver forgets these mbufs when
// it is closed; a port that is attached again would lose some thousands of them each time.
#pragma once
#include <cstdint>
#include <vector>

struct rte_mempool;

namespace dp::dpdk {

struct XdpHeld {
  std::vector<std::uint64_t> frames;  // addresses within the UMEM, each once
  std::uint64_t unread = 0;           // frames received and not yet handed up
  std::uint64_t unsent = 0;           // frames taken for sending that the kernel did not take
};

// Pushes out what a live interface still sends, waits for completions (at most 200 ms), then reads. With zero
// copy the kernel's driver keeps frames of its own, which nobody can name: they are not among the answer.
XdpHeld read_xdp_rings(int fd, bool zero_copy);

// Gives the frames' mbufs back. Requires: the socket is closed. What is no address of the pool is left out.
void release_frames(rte_mempool& pool, const std::vector<std::uint64_t>& frames);

}  // namespace dp::dpdk

// How many huge pages there are. Plain: no rte_ names, so preflight uses it too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "dataplane/base/result.h"

namespace dp::dpdk {

// For messages: so many MiB, rounded up.
inline std::string mib(std::uint64_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

// The size that a process's own memory, too, is made of at best.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Free for use, all sizes together.
std::uint64_t free_huge_page_bytes();

// Exit code 4, with the command that mends it, when fewer than `bytes` are free.
Status check_huge_pages(std::uint64_t bytes);

}  // namespace dp::dpdk

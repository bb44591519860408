// The number of free huge pages, in bytes. Plain: no rte_ names, so preflight uses it too.
// Tests: tests/system/dpdk_pool_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "dataplane/base/result.h"

namespace dp::dpdk {

// For messages: MiB, rounded up.
inline std::string mib(std::uint64_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

// The largest page that the process's own memory, too, consists of at best.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Bytes free for use, all page sizes together.
std::uint64_t free_huge_page_bytes();

// The error, with exit code 4 and the command that mends it, if fewer than `bytes` are free.
Status check_huge_pages(std::uint64_t bytes);

}  // namespace dp::dpdk

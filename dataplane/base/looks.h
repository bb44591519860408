// Counts the records that a search looks at, so that a test can hold the work for one packet against what was
// stored before it (tests/contract/work_contract_test.cc). Only builds that look for faults (DP_CHECKED 2)
// count; elsewhere nothing is compiled.
// Tests: tests/contract/work_contract_test.cc
#pragma once
#include <cstdint>

namespace dp {

#if defined(DP_CHECKED) && DP_CHECKED >= 2
inline thread_local std::uint64_t looks = 0;
inline void count_look() noexcept { ++looks; }
#else
inline void count_look() noexcept {}
#endif

}  // namespace dp

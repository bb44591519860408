// Preconditions as code. A function's contract states *Requires:* and its first lines have DP_EXPECT; a
// breach is a fault of the caller's, after which no result of the program is reliable.
#pragma once

namespace dp {

// Writes the condition with its place to standard error, one line, and aborts.
[[noreturn, gnu::cold]] void expectation_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace dp

#define DP_EXPECT_ON(...) \
  (static_cast<bool>(__VA_ARGS__) ? void() : ::dp::expectation_failed(#__VA_ARGS__, __FILE__, __LINE__))
// Compiled, and never evaluated.
#define DP_EXPECT_OFF(...) static_cast<void>(sizeof(static_cast<bool>(__VA_ARGS__)))

// DP_EXPECT ends the program when its condition does not hold. DP_EXPECT_HOT does so where every packet
// passes: only in builds that look for faults, since together these cost a packet some nanoseconds.
// DP_CHECKED says which are on (meson: -Dchecks): none without it, 1 the former, 2 both. All units of a
// program agree on it, since headers use them in inline functions.
#if defined(DP_CHECKED) && DP_CHECKED >= 1
#define DP_EXPECT(...) DP_EXPECT_ON(__VA_ARGS__)
#else
#define DP_EXPECT(...) DP_EXPECT_OFF(__VA_ARGS__)
#endif
#if defined(DP_CHECKED) && DP_CHECKED >= 2
#define DP_EXPECT_HOT(...) DP_EXPECT_ON(__VA_ARGS__)
#else
#define DP_EXPECT_HOT(...) DP_EXPECT_OFF(__VA_ARGS__)
#endif

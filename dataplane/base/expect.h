// Preconditions as code. A function's contract says *Requires:* and its first lines say DP_EXPECT; what does
// not hold there is a fault of the caller's, after which nothing that the program does can be relied on.
#pragma once

namespace dp {

// Writes the condition with its place to standard error, one line, and aborts.
[[noreturn, gnu::cold]] void expectation_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace dp

// Ends the program when `condition` does not hold. Without DP_CHECKED (meson: -Dchecks=false) the condition
// is compiled and never evaluated. All units of a program agree on DP_CHECKED, since headers use this in
// inline functions.
#ifdef DP_CHECKED
#define DP_EXPECT(...) \
  (static_cast<bool>(__VA_ARGS__) ? void() : ::dp::expectation_failed(#__VA_ARGS__, __FILE__, __LINE__))
#else
#define DP_EXPECT(...) static_cast<void>(sizeof(static_cast<bool>(__VA_ARGS__)))
#endif

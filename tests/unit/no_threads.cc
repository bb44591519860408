// Linked into programs whose tests start no thread, since these do not run under TSan (tests/sanitize). A
// test that starts one ends the program.
#include <cstdio>
#include <cstdlib>

#include <pthread.h>

extern "C" int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) noexcept {
  std::fputs("a test started a thread; such tests belong into threads_tests (tests/unit/meson.build)\n",
             stderr);
  std::abort();
}

#include "dataplane/xdp/prefix_tries.h"

#include <cerrno>
#include <cstdint>
#include <utility>

#include <bpf/bpf.h>

#include "dataplane/base/expect.h"
#include "dataplane/xdp/program.h"
#include "dataplane/xdp/wire_layout.h"

namespace dp::xdp {
namespace {

// Writes the most significant byte first, as in frames.
void write_bytes(unsigned char* to, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(value >> 8 * (bytes - 1 - i));
}

wire_prefix4 key4(const Prefix& prefix) {
  wire_prefix4 key{.length = prefix.length, .address = {}};
  write_bytes(key.address, prefix.lo, 4);
  return key;
}

wire_prefix6 key6(const Prefix& prefix) {
  wire_prefix6 key{.length = prefix.length, .address = {}};
  write_bytes(key.address, prefix.hi, 8);
  write_bytes(key.address + 8, prefix.lo, 8);
  return key;
}

int put(const Descriptor& trie, const void* key) {
  const std::uint8_t there = 1;
  return bpf_map_update_elem(trie.get(), key, &there, BPF_ANY);
}

int drop(const Descriptor& trie, const void* key) {
  const int rc = bpf_map_delete_elem(trie.get(), key);
  return rc == -ENOENT ? 0 : rc;
}

// True if the trie becomes empty before `left` is used up.
template <class Key>
Result<bool> empty(const Descriptor& trie, std::size_t& left, const char* what) {
  for (; left != 0; --left) {
    Key first{};
    const int found = bpf_map_get_next_key(trie.get(), nullptr, &first);
    if (found == -ENOENT) return true;
    if (found != 0) return failure(what, found);
    if (const int rc = drop(trie, &first); rc != 0) return failure(what, rc);
  }
  return false;
}

}  // namespace

PrefixTries::PrefixTries(Descriptor v4, Descriptor v6, const char* what)
    : v4_(std::move(v4)), v6_(std::move(v6)), what_(what) {
  DP_EXPECT(v4_ && v6_);
}

Status PrefixTries::add(const Prefix& prefix) {
  const wire_prefix4 v4 = key4(prefix);
  const wire_prefix6 v6 = key6(prefix);
  const int rc = prefix.ipv6 ? put(v6_, &v6) : put(v4_, &v4);
  return rc == 0 ? ok() : failure(what_, rc);
}

Status PrefixTries::remove(const Prefix& prefix) {
  const wire_prefix4 v4 = key4(prefix);
  const wire_prefix6 v6 = key6(prefix);
  const int rc = prefix.ipv6 ? drop(v6_, &v6) : drop(v4_, &v4);
  return rc == 0 ? ok() : failure(what_, rc);
}

Result<bool> PrefixTries::clear(std::size_t most) {
  auto done = empty<wire_prefix4>(v4_, most, what_);
  if (done && *done) done = empty<wire_prefix6>(v6_, most, what_);
  if (!done) return done;
  return !*done;
}

}  // namespace dp::xdp

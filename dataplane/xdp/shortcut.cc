#include "dataplane/xdp/shortcut.h"

#include <cerrno>
#include <cstdint>
#include <utility>

#include <bpf/bpf.h>

#include "dataplane/base/expect.h"
#include "dataplane/xdp/program.h"
#include "dataplane/xdp/wire_layout.h"

namespace dp::xdp {
namespace {

constexpr const char* kTries = "the UEs of the wire's XDP program";

// Writes the most significant byte first, as in frames.
void write_bytes(unsigned char* to, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(value >> 8 * (bytes - 1 - i));
}

wire_ue4 key4(const Prefix& ues) {
  wire_ue4 key{.length = ues.length, .address = {}};
  write_bytes(key.address, ues.lo, 4);
  return key;
}

wire_ue6 key6(const Prefix& ues) {
  wire_ue6 key{.length = ues.length, .address = {}};
  write_bytes(key.address, ues.hi, 8);
  write_bytes(key.address + 8, ues.lo, 8);
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
Result<bool> empty(const Descriptor& trie, std::size_t& left) {
  for (; left != 0; --left) {
    Key first{};
    const int found = bpf_map_get_next_key(trie.get(), nullptr, &first);
    if (found == -ENOENT) return true;
    if (found != 0) return failure(kTries, found);
    if (const int rc = drop(trie, &first); rc != 0) return failure(kTries, rc);
  }
  return false;
}

}  // namespace

KernelShortcut::KernelShortcut(Descriptor ues4, Descriptor ues6, Write write)
    : ues4_(std::move(ues4)), ues6_(std::move(ues6)), write_(std::move(write)) {
  DP_EXPECT(ues4_ && ues6_ && write_);
}

Status KernelShortcut::add(const Prefix& ues) {
  const wire_ue4 v4 = key4(ues);
  const wire_ue6 v6 = key6(ues);
  const int rc = ues.ipv6 ? put(ues6_, &v6) : put(ues4_, &v4);
  return rc == 0 ? ok() : failure(kTries, rc);
}

Status KernelShortcut::remove(const Prefix& ues) {
  const wire_ue4 v4 = key4(ues);
  const wire_ue6 v6 = key6(ues);
  const int rc = ues.ipv6 ? drop(ues6_, &v6) : drop(ues4_, &v4);
  return rc == 0 ? ok() : failure(kTries, rc);
}

Result<bool> KernelShortcut::clear(std::size_t most) {
  auto done = empty<wire_ue4>(ues4_, most);
  if (done && *done) done = empty<wire_ue6>(ues6_, most);
  if (!done) return done;
  return !*done;
}

}  // namespace dp::xdp

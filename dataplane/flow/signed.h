// True if a segment bears a digest of its header: TCP-AO (RFC 5925) or the MD5 signature (RFC 2385). A
// middlebox must not change, keep, repeat, answer or create such a segment: its receiver drops segments with
// a wrong digest, and a connection whose SYN was changed does not open.
// Tests: tests/contract/signed_contract_test.cc
#pragma once
#include "dataplane/packet/tcp.h"

namespace dp {

// Decided by the segment alone: the handshake may have been missed, and an option in one segment says nothing
// about others.
inline bool is_signed(const TcpView& tcp) noexcept {
  for (const TcpOption option : tcp.options()) {
    if (option.kind == TcpOption::kMd5 || option.kind == TcpOption::kAuthentication) return true;
  }
  return false;
}

}  // namespace dp

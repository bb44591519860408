// The methods of the control socket while one TCP connection, between `ends`, crosses the worker.
#pragma once
#include <cstdint>

#include "tests/support/rpc_bench.h"
#include "tests/unit/flow/support.h"

namespace dp::test {

class FlowRpcBench : public RpcBench {
 protected:
  using RpcBench::RpcBench;

  // One segment from the peer, and one from the UE.
  void down(const Say& say) { offer(Side::core, ends.peer, ends.ue, ends.peer_port, ends.ue_port, say); }
  void up(const Say& say) { offer(Side::radio, ends.ue, ends.peer, ends.ue_port, ends.peer_port, say); }

  Ends ends{};

 private:
  void offer(Side side, Ip src, Ip dst, std::uint16_t sport, std::uint16_t dport, const Say& say) {
    runtime.io.offer(side, {.src = src,
                            .dst = dst,
                            .sport = sport,
                            .dport = dport,
                            .seq = say.seq,
                            .ack = say.ack,
                            .tcp_flags = say.flags,
                            .window = say.window,
                            .tcp_options = say.options,
                            .payload = say.payload});
  }
};

}  // namespace dp::test

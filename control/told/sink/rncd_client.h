// The connection to rncd's control socket: one call at a time, a line each, never blocking; a connection that
// is lost is made again.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "control/loop/event_loop.h"
#include "control/loop/fd.h"
#include "control/told/sink/call.h"
#include "dataplane/base/time.h"

namespace control::told {

struct RncdClientLimits {
  std::size_t answer = std::size_t{8} << 20;  // octets of a line
  dp::Duration answer_within = std::chrono::seconds(10);
  dp::Duration least_pause = std::chrono::milliseconds(50), most_pause = std::chrono::seconds(1);
};

// One thread's. Its callbacks are called by open(), tick() and the loop; they may send.
class RncdClient {
 public:
  struct Callbacks {
    std::function<void()> connected;
    std::function<void(const std::string& why)> disconnected;  // a call under way gets no answer
    std::function<void(const Json& result)> answered;
    std::function<void(const RncdRefusal& refusal)> refused;
  };

  // The loop outlives this. Connects at the first tick().
  RncdClient(EventLoop& loop, std::string path, Callbacks callbacks, const RncdClientLimits& limits = {});
  ~RncdClient();
  RncdClient(const RncdClient&) = delete;
  RncdClient& operator=(const RncdClient&) = delete;

  bool is_connected() const noexcept { return static_cast<bool>(fd_); }
  // Requires: connected, and no call is under way.
  void send(const RncdCall& call, dp::Time now);
  // Connects if it is time, and gives up a call that is not answered.
  void tick(dp::Time now);
  // When tick() has something to do.
  dp::Time due() const;
  // Why there is no connection; empty while there is one.
  const std::string& problem() const noexcept { return problem_; }

 private:
  void connect(dp::Time now);
  void on_event(std::uint32_t events);
  void flush();
  void receive();
  void take_line(std::string_view line);
  void disconnect(const std::string& why);

  EventLoop& loop_;
  const std::string path_;
  const Callbacks callbacks_;
  const RncdClientLimits limits_;
  Fd fd_;
  std::string output_, input_;
  std::size_t sent_ = 0,
              searched_ = 0;  // octets of the output that are sent, of the input that have no line end
  std::uint64_t id_ = 0;
  bool asked_ = false;
  dp::Time deadline_ = dp::kNever;  // for the answer to the call under way
  dp::Time connect_at_ = dp::Time::min();
  dp::Duration pause_{};
  std::string problem_ = "not connected yet";
};

}  // namespace control::told

#include "control/told/sink/rncd_client.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "control/told/after.h"
#include "dataplane/base/expect.h"

namespace control::told {
namespace {

constexpr int kMostReads = 16;  // in a turn of the loop, of kChunk octets each
constexpr std::size_t kChunk = 65536;

RncdRefusal refusal_of(const Json& error) {
  RncdRefusal refusal{0, "refused without a message"};
  if (!error.is_object()) return refusal;
  if (const auto code = error.find("code"); code != error.end() && code->is_number_integer()) {
    refusal.code = code->get<int>();
  }
  if (const auto text = error.find("message"); text != error.end() && text->is_string()) {
    refusal.message = text->get<std::string>();
  }
  return refusal;
}

}  // namespace

RncdClient::RncdClient(EventLoop& loop, std::string path, Callbacks callbacks, const RncdClientLimits& limits)
    : loop_(loop),
      path_(std::move(path)),
      callbacks_(std::move(callbacks)),
      limits_(limits),
      pause_(limits.least_pause) {}

RncdClient::~RncdClient() {
  if (fd_) loop_.remove(fd_.get());
}

void RncdClient::tick(dp::Time now) {
  if (fd_ && asked_ && now >= deadline_) disconnect("no answer in time");
  if (!fd_ && now >= connect_at_) connect(now);
}

dp::Time RncdClient::due() const {
  if (!fd_) return connect_at_;
  return asked_ ? deadline_ : dp::kNever;
}

// A Unix socket connects at once, or not at all.
void RncdClient::connect(dp::Time now) {
  connect_at_ = after(now, pause_);
  pause_ = std::min(2 * pause_, limits_.most_pause);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  DP_EXPECT(path_.size() < sizeof(address.sun_path));
  path_.copy(address.sun_path, path_.size());
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    problem_ = path_ + ": " + std::strerror(errno);
    return;
  }
  fd_ = std::move(fd);
  loop_.add(fd_.get(), EPOLLIN, [this](std::uint32_t events) { on_event(events); });
  problem_.clear();
  callbacks_.connected();
}

void RncdClient::disconnect(const std::string& why) {
  loop_.remove(fd_.get());
  fd_ = Fd();
  problem_ = path_ + ": " + why;
  asked_ = false;
  deadline_ = dp::kNever;
  output_.clear();
  input_.clear();
  sent_ = searched_ = 0;
  callbacks_.disconnected(problem_);
}

void RncdClient::send(const RncdCall& call, dp::Time now) {
  DP_EXPECT(fd_ && !asked_);
  asked_ = true;
  deadline_ = after(now, limits_.answer_within);
  const Json request{{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", call.method}, {"params", call.params}};
  output_ = request.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  sent_ = 0;
  flush();
}

// An error is left to the next event, so that no callback is called within send().
void RncdClient::flush() {
  while (sent_ < output_.size()) {
    const auto n = ::send(fd_.get(), output_.data() + sent_, output_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    sent_ += static_cast<std::size_t>(n);
  }
  loop_.change(fd_.get(), sent_ < output_.size() ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void RncdClient::on_event(std::uint32_t events) {
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive();
  if (fd_ && (events & EPOLLOUT) != 0) flush();
}

void RncdClient::receive() {
  for (int i = 0; i < kMostReads && fd_; ++i) {
    const std::size_t had = input_.size();
    input_.resize(had + kChunk);
    const auto n = ::recv(fd_.get(), input_.data() + had, kChunk, 0);
    const int error = errno;
    input_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n == 0) return disconnect("rncd closed the connection");
    if (n < 0 && error == EAGAIN) return;
    if (n < 0 && error != EINTR) return disconnect(std::strerror(error));
    for (std::size_t end; fd_ && (end = input_.find('\n', searched_)) != std::string::npos;) {
      const std::string line = input_.substr(0, end);
      input_.erase(0, end + 1);
      searched_ = 0;
      take_line(line);
    }
    searched_ = input_.size();
    if (fd_ && input_.size() > limits_.answer) return disconnect("an answer is longer than its bound");
  }
}

// An answer to no call is a reason for which rncd closes the connection.
void RncdClient::take_line(std::string_view line) {
  const Json answer = Json::parse(line, nullptr, false);
  const bool ours = asked_ && answer.is_object() && answer.value("id", Json()) == id_;
  if (!ours) {
    const bool why = answer.is_object() && answer.contains("error");
    return disconnect(why ? refusal_of(answer["error"]).message : "found an answer to no call");
  }
  asked_ = false;
  deadline_ = dp::kNever;
  pause_ = limits_.least_pause;
  if (const auto error = answer.find("error"); error != answer.end())
    return callbacks_.refused(refusal_of(*error));
  callbacks_.answered(answer.value("result", Json()));
}

}  // namespace control::told

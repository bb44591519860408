// The whole program over real sockets, against an rncd in memory.
#include "control/told/daemon/daemon.h"

#include <filesystem>
#include <mutex>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/rpc/codec.h"
#include "tests/support/told/radius_request.h"
#include "tests/unit/control/told/sink/fake_rncd.h"

namespace control::told {
namespace {

using std::chrono::milliseconds;

// An rncd behind a socket, on a thread of its own.
class SocketRncd {
 public:
  explicit SocketRncd(const std::string& path) {
    const auto handle = [this](std::string line, const Peer&, Server::Reply reply) -> std::shared_ptr<void> {
      const rpc::Message message = rpc::decode(line);
      const auto& call = std::get<rpc::Call>(message.calls.front());
      const std::lock_guard lock(mutex_);
      const auto outcome = rncd_.handle({call.method, call.params}, dp::time_ns(1));
      if (const Json* const result = std::get_if<Json>(&outcome)) {
        reply(rpc::encode_result(*call.id, *result));
      } else {
        const auto& refusal = std::get<RncdRefusal>(outcome);
        reply(rpc::encode_fault(*call.id, rpc::Fault(refusal.code, refusal.message)));
      }
      return nullptr;
    };
    server_ = std::make_unique<Server>(loop_, listen_on(path, 0600), handle);
    thread_ = std::thread([this] {
      while (!stopping_) loop_.run_once(milliseconds(10));
    });
  }
  ~SocketRncd() {
    stopping_ = true;
    thread_.join();
  }
  std::optional<FakeBearer> bearer(const std::string& ue) {
    const std::lock_guard lock(mutex_);
    const auto at = rncd_.bearers.find({ue, -1});
    return at == rncd_.bearers.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  EventLoop loop_;
  FakeRncd rncd_;
  std::mutex mutex_;
  std::unique_ptr<Server> server_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

class ToldDaemonTest : public ::testing::Test {
 protected:
  ToldDaemonTest() {
    std::filesystem::create_directories(folder_);
    config_.told.rncd = folder_ / "rncd.sock";
    config_.told.control.socket = folder_ / "told.sock";
    config_.told.metrics.clear();
    config_.told.default_class = "internet";
    config_.told.radius.listen = {0, INADDR_LOOPBACK, port_, false};
    config_.told.radius.clients = {{*parse_network("127.0.0.0/8"), "", std::string(test::kSecret)}};
  }
  ~ToldDaemonTest() override {
    if (daemon_) daemon_->stop();
    if (thread_.joinable()) thread_.join();
    daemon_.reset();
    std::filesystem::remove_all(folder_);
  }
  void start() {
    auto instance = Instance::claim(config_.told.control.socket);
    ASSERT_TRUE(instance) << instance.error().message;
    instance_.emplace(std::move(*instance));
    daemon_.emplace(config_, *instance_);
    thread_ = std::thread([this] { daemon_->run(); });
  }
  // Sends the request until it is answered: the daemon may not listen yet.
  bool send(const std::vector<std::byte>& request) { return send(request, port_); }
  bool send(const std::vector<std::byte>& request, std::uint16_t port) {
    const Fd fd(::socket(AF_INET, SOCK_DGRAM, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    char answer[64];
    for (int i = 0; i < 200; ++i) {
      ::sendto(fd.get(), request.data(), request.size(), 0, reinterpret_cast<const sockaddr*>(&to),
               sizeof(to));
      std::this_thread::sleep_for(milliseconds(10));
      if (::recv(fd.get(), answer, sizeof(answer), MSG_DONTWAIT) == 20) return true;
    }
    return false;
  }
  template <class Condition>
  static bool within_seconds(Condition&& condition) {
    for (int i = 0; i < 500 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(10));
    return condition();
  }
  static std::vector<std::byte> start_request(std::uint32_t down) {
    auto request = test::RadiusRequest::accounting(radius::Status::start, "s1");
    request.framed("10.45.0.2").vendor_integer(14122, 8, down);
    return request.sign();
  }

  const std::uint16_t port_ = static_cast<std::uint16_t>(40'000 + ::getpid() % 20'000);
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("told_daemon_" + std::to_string(::getpid()));
  ToldConfig config_;
  std::optional<Instance> instance_;
  std::optional<ToldDaemon> daemon_;
  std::thread thread_;
};

TEST_F(ToldDaemonTest, ARequestBecomesABearerAndARestartOfRncdLosesNone) {
  std::optional<SocketRncd> rncd(config_.told.rncd);
  start();
  ASSERT_TRUE(send(start_request(8'000'000)));
  EXPECT_TRUE(within_seconds([&] { return rncd->bearer("10.45.0.2").has_value(); }));
  EXPECT_EQ(rncd->bearer("10.45.0.2")->downlink, 8'000'000u);
  rncd.reset();
  rncd.emplace(config_.told.rncd);
  EXPECT_TRUE(within_seconds([&] { return rncd->bearer("10.45.0.2").has_value(); }));
}

TEST_F(ToldDaemonTest, ADisconnectRequestMayComeToAPortOfItsOwn) {
  const auto port = static_cast<std::uint16_t>(port_ - 20'000);
  config_.told.radius.coa = {0, INADDR_LOOPBACK, port, false};
  SocketRncd rncd(config_.told.rncd);
  start();
  ASSERT_TRUE(send(start_request(8'000'000)));
  EXPECT_TRUE(within_seconds([&] { return rncd.bearer("10.45.0.2").has_value(); }));
  test::RadiusRequest disconnect(radius::Code::disconnect_request);
  disconnect.text(radius::attribute::kAcctSessionId, "s1");
  EXPECT_TRUE(send(disconnect.sign(), port));
  EXPECT_TRUE(within_seconds([&] { return !rncd.bearer("10.45.0.2").has_value(); }));
}

TEST_F(ToldDaemonTest, ItStartsBeforeRncd) {
  start();
  ASSERT_TRUE(send(start_request(5'000'000)));
  SocketRncd rncd(config_.told.rncd);
  EXPECT_TRUE(within_seconds([&] { return rncd.bearer("10.45.0.2").has_value(); }));
}

}  // namespace
}  // namespace control::told

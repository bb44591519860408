#include "control/told/daemon/preflight.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include "control/rpc/codec.h"
#include "control/rpc/server.h"
#include "control/told/daemon/udp_socket.h"

namespace control::told {
namespace {

using std::chrono::milliseconds;

// An rncd that answers every call with one text, on a thread of its own; without a text it answers none.
class OneAnswer {
 public:
  OneAnswer(const std::string& path, std::string result) : result_(std::move(result)) {
    const auto handle = [this](std::string line, const Peer&, Server::Reply reply) -> std::shared_ptr<void> {
      const rpc::Message message = rpc::decode(line);
      const auto& call = std::get<rpc::Call>(message.calls.front());
      if (!result_.empty()) reply(rpc::encode_result(*call.id, Json::parse(result_)));
      return nullptr;
    };
    server_ = std::make_unique<Server>(loop_, listen_on(path, 0600), handle);
    thread_ = std::thread([this] {
      while (!stopping_) loop_.run_once(milliseconds(5));
    });
  }
  ~OneAnswer() {
    stopping_ = true;
    thread_.join();
  }

 private:
  const std::string result_;
  EventLoop loop_;
  std::unique_ptr<Server> server_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

class ToldPreflight : public ::testing::Test {
 protected:
  ToldPreflight() {
    std::filesystem::create_directories(folder_);
    config_.told.rncd = folder_ / "rncd.sock";
    config_.told.metrics.clear();
    config_.told.default_class = "internet";
  }
  ~ToldPreflight() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> hints_with(const std::string& rncd_config) {
    const OneAnswer rncd(config_.told.rncd, rncd_config);
    const ToldJudgement judged = judge_host(config_, milliseconds(500));
    EXPECT_EQ(judged.complaints, std::vector<std::string>{});
    return judged.hints;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("told_preflight_" + std::to_string(::getpid()));
  ToldConfig config_;
};

TEST_F(ToldPreflight, HasNothingToSayOfAnRncdThatHasWhatIsNamed) {
  config_.told.classes = {{.qfi = 1, .class_attribute = {}, .class_name = "voice"}};
  EXPECT_EQ(hints_with(R"({"classes": {"internet": {}, "voice": {}}})"), std::vector<std::string>{});
}

TEST_F(ToldPreflight, NamesClassesThatRncdDoesNotHave) {
  config_.told.classes = {{.qfi = 1, .class_attribute = {}, .class_name = "voice"}};
  const auto hints = hints_with(R"({"classes": {"gold": {}, "silver": {}}})");
  ASSERT_EQ(hints.size(), 2u);
  EXPECT_EQ(
      hints[0],
      "told.default_class: rncd has no class \"internet\", so that it refuses the bearers; it has gold, "
      "silver");
  EXPECT_EQ(hints[1].find("told.classes[0].class: rncd has no class \"voice\""), 0u);
}

TEST_F(ToldPreflight, SaysThatRncdIsNotThereOrDoesNotAnswer) {
  const ToldJudgement judged = judge_host(config_, milliseconds(500));
  ASSERT_EQ(judged.hints.size(), 1u);
  EXPECT_EQ(judged.hints[0].find("told.rncd: " + config_.told.rncd + ": No such file"), 0u)
      << judged.hints[0];
  EXPECT_TRUE(judged.complaints.empty());
  const auto silent = hints_with("");
  ASSERT_EQ(silent.size(), 1u);
  EXPECT_NE(silent[0].find("it does not answer"), std::string::npos);
}

TEST_F(ToldPreflight, NamesAnInterfaceThatThereIsNotAndTunnelsThatRncdDoesNotLookInto) {
  config_.told.pfcp.interface = "none0";
  const OneAnswer rncd(config_.told.rncd, R"({"classes": {"internet": {}}, "dataplane": {}})");
  const ToldJudgement judged = judge_host(config_, milliseconds(500));
  ASSERT_EQ(judged.complaints.size(), 1u);
  EXPECT_EQ(judged.complaints[0].find("told.pfcp.interface: cannot capture on none0"), 0u)
      << judged.complaints[0];
  ASSERT_EQ(judged.hints.size(), 1u);
  EXPECT_EQ(judged.hints[0].find("told.tunnels: "), 0u);
}

TEST_F(ToldPreflight, NamesAnAddressThatAnotherProcessHas) {
  Endpoint at{0, INADDR_LOOPBACK, static_cast<std::uint16_t>(30'000 + ::getpid() % 20'000), false};
  const UdpSocket taken(at);
  config_.told.radius.listen = at;
  config_.told.radius.clients = {{*parse_network("127.0.0.0/8"), "", "secret"}};
  const ToldJudgement judged = judge_host(config_, milliseconds(100));
  ASSERT_EQ(judged.complaints.size(), 1u);
  EXPECT_EQ(judged.complaints[0].find("told.radius.listen: " + to_string(at) + ": "), 0u)
      << judged.complaints[0];
}

}  // namespace
}  // namespace control::told

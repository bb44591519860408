// libFuzzer target: lines of two clients of the control socket, to its methods over a data plane that this
// thread polls. Each request is answered once, by a line of JSON or nothing, and none meets an internal
// error.
#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "config/print.h"
#include "control/loop/log.h"
#include "control/rpc/dispatcher.h"
#include "control/state/commit.h"
#include "control/state/state_keeper.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/polled_runtime.h"

namespace control::rpc {
namespace {

using dp::test::expect;

constexpr std::uint32_t kBearers = 8;  // so that the table is soon full
constexpr const char* kFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
profiles: {red: {mine: {source: here, points: [{rate: 1M, maxp: 3%, minth: 50}]}}}
classes:
  paced: {downlink: {rate: 384k, aqm: {sbd: {profile: by-rate}}}, uplink: {rate: 64k, ack: [ack-rate]}}
  quick: {profile: low-delay, downlink: {rate: 2M}}
  air: {downlink: {rate: 384k, link: am}}
  shared: {downlink: {rate: 2M, link: {cell: {radio: reported}}}}
cells: {north: {members: 2}, south: {slots: 1000, members: 3}}
bearers: [{ue: 10.45.0.1, class: paced}, {ue: 10.45.0.2, class: quick}, {ue: 10.45.0.3, class: air},
  {ue: 10.45.0.5, class: shared, cell: north}]
)";

class Session {
 public:
  Session() {
    bool ready = false;
    plane_.reloader().begin([&](const Ended<Applied>& ended) {
      expect(ended.done.has_value(), "the bench begins");
      ready = true;
    });
    while (!ready) work();
  }
  void ask(std::string line) {
    // Owned by this, and named by its place: references to elements of a deque stay.
    int& answers = answered_.emplace_back(0);
    works_.push_back(dispatcher_.handle(std::move(line), {}, [&answers](const std::string& answer) {
      expect(++answers == 1, "a request is answered once");
      check_answer(answer);
    }));
  }
  // The client of the last request hangs up.
  void leave() {
    if (works_.empty() || answered_.back() != 0) return;
    works_.pop_back();
    answered_.back() = 1;
  }
  void work() {
    runtime_.poll();
    plane_.poll();
    commit_.poll(Dispatcher::Clock::now());
    dispatcher_.run(Dispatcher::Clock::now());
  }
  void end() {
    for (int turns = 0; dispatcher_.ready() || commit_.ready() || !plane_.idle() || waiting(); ++turns) {
      expect(turns < 100'000, "work has an end");
      work();
    }
    const Json printed = config::to_json(plane_.config());
    const config::Loaded again = config::load_text(printed.dump(), "again.yaml");
    expect(again.value.has_value() && config::to_json(*again) == printed,
           "what runs can be written and read");
  }

 private:
  static void check_answer(const std::string& text) {
    if (text.empty()) return;
    expect(text.find('\n') == std::string::npos, "an answer is one line");
    const Json answer = Json::parse(text, nullptr, false);
    expect(!answer.is_discarded(), "an answer is JSON");
    if (!answer.is_array()) return check_outcome(answer);
    for (const Json& one : answer) check_outcome(one);
  }
  static void check_outcome(const Json& answer) {
    expect(answer.is_object() && answer.contains("result") != answer.contains("error"),
           "a result or an error");
    if (answer.contains("result")) return;
    const Json& error = answer["error"];
    const auto& message = error["message"].get_ref<const std::string&>();
    expect(!message.empty(), "an error has words");
    const bool too_long =
        message.starts_with("the answer is too long") || message.starts_with("not carried out: the answers");
    expect(error["code"] != kInternalError || too_long, "no request meets an internal error");
  }
  bool waiting() const { return std::find(answered_.begin(), answered_.end(), 0) != answered_.end(); }

  dp::test::PolledRuntime runtime_{kBearers};
  DataPlane plane_{runtime_, *config::load_text(kFile, "fuzz.yaml"), kBearers, std::chrono::seconds{5},
                   [] { return std::uint64_t{64} << 20; }};
  LatestView view_;
  Background beside_;
  StateKeeper keeper_{plane_, beside_, "", 0};  // saves nothing, so it needs no thread beside
  Commit commit_{plane_, keeper_, [] {}};
  Services services_{plane_, view_, nullptr, &keeper_, &commit_};
  Dispatcher dispatcher_{services_};
  std::deque<int> answered_;
  std::vector<std::shared_ptr<void>> works_;
};

}  // namespace
}  // namespace control::rpc

// Requests are lines, two at a time; at an empty line the client before it hangs up.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  control::log::configure({.level = "error"});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  control::rpc::Session session;
  std::size_t begin = 0;
  for (std::size_t i = 0; begin <= text.size() && i < 8; ++i) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end == begin) {
      session.leave();
    } else {
      session.ask(std::string(text.substr(begin, end - begin)));
    }
    begin = end + 1;
    if (i % 2 == 1) session.work();
  }
  session.end();
  return 0;
}

// libFuzzer target: PFCP from a mirror. As bytes they are a frame, and a datagram; then a source gets
// messages of few addresses, sequence numbers and SEIDs with elements from the input, while time passes, and
// keeps to small bounds.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "control/told/mirror/mirror.h"
#include "control/told/pfcp/pfcp_source.h"
#include "tests/fuzz/input.h"
#include "tests/support/told/pfcp_core.h"
#include "tests/support/told/recording_sink.h"

namespace control::test {
namespace {

using dp::test::expect;
using dp::test::Input;

constexpr std::size_t kRoom = 6;  // sessions that the sink takes

told::PfcpSettings small_settings() {
  told::PfcpSettings settings;
  settings.sessions = 8;
  settings.rules_per_session = 12;
  settings.rules = 40;
  settings.pending = 6;
  settings.pending_bytes = 2000;
  settings.transactions = 12;
  settings.peers = 3;
  return settings;
}

void check_session(const told::Session& session) {
  expect(!session.ues.empty() && session.ues.size() <= 2, "a session has a UE of each family at most");
  expect(std::ranges::is_sorted(session.ues), "UEs are in order");
  expect(session.flows.size() <= 63, "there are 63 QFIs");
  for (std::size_t i = 0; i < session.flows.size(); ++i) {
    const std::uint8_t qfi = session.flows[i].qfi;
    expect(qfi >= 1 && qfi <= 63 && session.qfi != qfi, "flows have QFIs, and not the default flow's");
    expect(i == 0 || session.flows[i - 1].qfi < qfi, "flows are in order");
  }
  expect(session.class_hint.size() <= 100 && session.identity.size() <= 100, "texts are short");
}

// A source with a sink that judges what it gets.
class Core final : public told::SessionSink {
 public:
  explicit Core(Input& input) : input_(input) {}

  void step() {
    const unsigned what = input_.byte();
    switch (what & 7) {
      case 0:
        now_ += dp::Duration{std::int64_t{1'000'000} << (what >> 3) % 16};
        expect(source_.advance(now_) > now_, "what is due is done");
        break;
      case 1:
        send(what, {});
        break;
      case 2:
        send(what, establishment(input_.byte() & 7, 0x0a2d0000 + (input_.byte() & 7), input_.word()));
        break;
      case 3:
        send(what, joined({cause(1), f_seid(input_.byte() & 7, kUpf)}));
        break;
      case 4:
        send(what, joined({new_rate(input_.word()), new_tunnel(input_.word())}));
        break;
      case 5:
        send(what, recovery(input_.byte()));
        break;
      case 6:
        frame(input_.take(input_.word() % 600));
        break;
      case 7:
        deliver(what, octets(input_.take(input_.word() % 1000)));
        break;
    }
    check();
  }
  void frame(dp::Bytes bytes) {
    if (const auto datagram = mirror_.take(bytes, now_)) source_.take(*datagram);
    expect(mirror_.fragments().bytes() <= kFragmentBytes, "fragments keep to their bytes");
    expect(mirror_.fragments().packets() <= 4, "fragments keep to their packets");
  }

 private:
  static constexpr std::size_t kFragmentBytes = 4000;

  static Octets octets(dp::Bytes bytes) { return {bytes.begin(), bytes.end()}; }

  // A message of a type that the source knows, with more elements from the input behind `ies`.
  void send(unsigned what, const Octets& ies) {
    constexpr std::array<unsigned, 16> kTypes{50, 51, 52, 53, 54, 55, 5, 6, 9, 10, 14, 15, 1, 2, 50, 51};
    const unsigned how = input_.byte();
    const Octets more = octets(input_.take(input_.byte() & 0x7f));
    const bool with_seid = (how & 0x80) == 0;
    deliver(what,
            message(kTypes[how & 15], with_seid ? std::optional<std::uint64_t>(how >> 4 & 7) : std::nullopt,
                    input_.byte() & 7, joined({ies, more}), (how & 0xf0) == 0xf0));
  }
  void deliver(unsigned what, const Octets& payload) {
    const std::array ends{kSmfEnd, kUpfEnd};
    const bool back = (what & 8) != 0;
    told::Endpoint from = ends[back], to = ends[!back];
    from.lo += what >> 6;
    expect(source_.take({now_, from, to, payload}).empty(), "a mirror answers nothing");
  }

  bool put(const told::Session& session, dp::Time told) override {
    check_session(session);
    expect(told <= now_, "no message is from the future");
    if (!ids_.contains(session.id) && ids_.size() >= kRoom) return false;
    ids_.insert(session.id);
    return true;
  }
  void remove(std::string_view id, dp::Time told) override {
    expect(told <= now_, "no message is from the future");
    expect(ids_.erase(std::string(id)) == 1, "only what was put is removed");
  }

  void check() {
    expect(source_.sessions().live() <= 2 * settings_.sessions, "live sessions are bounded");
    expect(source_.sessions().size() <= 3 * settings_.sessions, "sessions are bounded");
    expect(source_.sessions().rules() <= settings_.rules, "rules are bounded");
    expect(ids_.size() <= source_.sessions().size(), "the sink has what the table has");
    expect(source_.transactions().size() <= settings_.transactions, "transactions are bounded");
    expect(source_.transactions().pending() <= settings_.pending, "pending requests are bounded");
    expect(source_.transactions().pending_bytes() <= settings_.pending_bytes, "their bytes are bounded");
  }

  Input& input_;
  const told::PfcpSettings settings_ = small_settings();
  dp::Time now_ = at_ms(1000);
  std::set<std::string> ids_;
  told::PfcpSource source_{settings_, *this};
  told::Mirror mirror_{8805, {4, kFragmentBytes, 8, std::chrono::seconds(30)}};
};

}  // namespace
}  // namespace control::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace control::test;
  Input input(data, size);
  Core core(input);
  core.frame(std::as_bytes(std::span(data, size)));
  while (!input.empty()) core.step();
  return 0;
}

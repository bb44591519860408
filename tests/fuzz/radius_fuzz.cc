// libFuzzer target: RADIUS requests. As bytes they go through the codec; then a source over a table of
// sessions gets datagrams: the input's bytes as they are, and requests with the secret that are made of its
// attributes.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "control/told/radius/attributes.h"
#include "control/told/radius/authenticator.h"
#include "control/told/radius/source.h"
#include "control/told/session_table.h"
#include "tests/fuzz/input.h"

namespace control::told::radius {
namespace {

using dp::test::expect;
using dp::test::Input;

constexpr std::string_view kSecret = "secret";
constexpr std::size_t kMaxSessions = 8;

void check_codec(dp::Bytes bytes) {
  const auto packet = PacketView::at(bytes);
  if (!packet) return;
  std::size_t size = PacketView::kHeader;
  for (AttributeReader reader(packet->attributes()); const auto a = reader.next();)
    size += 2 + a->value.size();
  expect(size == packet->bytes().size(), "attributes fill the packet");
  is_authentic(*packet, kSecret);
  const Told told = read_attributes(packet->attributes());
  expect(told.ues.size() <= kMaxUes && told.class_hint.size() <= kMaxHint, "what is read is bounded");
  expect(std::ranges::is_sorted(told.ues), "UEs are in order");
  expect(std::ranges::all_of(told.ues, [](const auto& ue) { return dp::can_be_ue(ue); }), "UEs can be UEs");
  expect(std::ranges::all_of(told.user + told.nas + told.acct_session_id,
                             [](char c) { return c > ' ' && c <= '~'; }),
         "texts are printable");
}

class Core {
 public:
  explicit Core(Input& input) : input_(input), source_(table_.sink_of("radius"), settings()) {}

  void step() {
    const unsigned what = input_.byte();
    switch (what & 3) {
      case 0:
        take(input_.take(input_.byte()));
        break;
      case 1:
      case 2:
        request(what >> 2);
        break;
      case 3:
        now_ += dp::Duration{std::int64_t{1'000'000} << (what >> 3) % 22};
        if (what & 4) advance();
        break;
    }
    check();
  }

 private:
  static RadiusSettings settings() {
    RadiusSettings settings;
    settings.clients = {{dp::Prefix{}, std::string(kSecret)}};
    settings.max_duplicates = 4;
    return settings;
  }
  // A request with a right authenticator; attributes of few values, so that sessions meet.
  void request(unsigned how) {
    constexpr Code kCodes[] = {Code::accounting_request, Code::accounting_request, Code::coa_request,
                               Code::disconnect_request};
    PacketWriter writer(kCodes[how & 3], static_cast<std::uint8_t>(how >> 2));
    const unsigned names = input_.byte();
    if ((how & 3) < 2) writer.add_integer(attribute::kAcctStatusType, names >> 5);
    if (names & 1) writer.add(attribute::kAcctSessionId, input_.take(1));
    if (names & 2) writer.add(attribute::kUserName, input_.take(1));
    if (names & 4) writer.add_integer(attribute::kFramedIpAddress, 0x0a2d0001 + (input_.byte() & 3));
    if (names & 8) writer.add_integer(attribute::kNasIpAddress, 0x0a000001 + (input_.byte() & 1));
    if (names & 16) {
      const unsigned type = input_.byte();
      writer.add(static_cast<std::uint8_t>(type), input_.take(input_.byte() & 63));
    }
    if (how & 32) add_message_authenticator(writer, kSecret);
    sign_request(writer, kSecret);
    check_codec(writer.bytes());
    const auto answer = take(writer.bytes());
    expect(!answer.empty() || (names & 16) != 0, "an authentic request is answered");
  }
  std::span<const std::byte> take(dp::Bytes payload) {
    const std::size_t most = payload.size() + 24;
    const auto answer = source_.take({now_, {0, 0xc0000201, 20'000, false}, {}, payload});
    expect(answer.size() <= most && (answer.empty() || PacketView::at(answer)),
           "an answer is a bounded packet");
    return answer;
  }
  void advance() {
    int calls = 0;
    for (dp::Time next = now_; next <= now_; next = source_.advance(now_)) {
      expect(++calls < 10, "what is due by now is done after a few calls");
    }
  }
  void check() {
    expect(source_.sessions() == table_.size() && table_.size() <= kMaxSessions,
           "sessions are those of the table");
    table_.for_each([this](const SessionTable::Entry& entry) {
      for (const dp::UeAddress& ue : entry.session.ues) {
        const auto* const holder = table_.holder_of(ue);
        expect(holder != nullptr, "a UE that is claimed has a holder");
        expect(entry.session.state != SessionState::live || holder->session.state == SessionState::live,
               "a live session goes before others");
      }
    });
    const auto& counts = source_.counts();
    for (const auto& [key, count] : counts_) expect(counts.at(key) >= count, "counts only grow");
    counts_ = counts;
  }

  Input& input_;
  dp::Time now_{};
  SessionTable table_{kMaxSessions};
  RadiusSource source_;
  MessageCounts counts_;
};

}  // namespace
}  // namespace control::told::radius

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace control::told::radius;
  dp::test::Input input(data, size);
  check_codec(std::as_bytes(std::span(data, size)));
  Core core(input);
  while (!input.empty()) core.step();
  return 0;
}

// RADIUS accounting as a source of sessions (RFC 2866), with disconnect and CoA requests (RFC 5176).
// Tests: tests/contract/told_source_test.cc, tests/oracle/radius_test.cc
#pragma once
#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "control/told/radius/clients.h"
#include "control/told/radius/duplicates.h"
#include "control/told/radius/packet.h"
#include "control/told/radius/sessions.h"
#include "control/told/source.h"

namespace control::told::radius {

inline constexpr std::uint16_t kAccountingPort = 1813;

struct RadiusSettings {
  std::vector<Client> clients;
  bool answer = true;  // no: the requests are copies, which somebody else answers
  SessionTimes times{};
  dp::Duration duplicates_window = std::chrono::seconds(60);
  std::size_t max_duplicates = 65'536;  // about 200 octets each
};

// A request counts if a client made it with its secret, whichever port it came to. An answer has at most 24
// octets more than the request. A request that could not be applied is answered too, so that the client does
// not repeat it: the next interim tells all again. The sessions are bounded by the sink.
class RadiusSource final : public Source {
 public:
  // Requires: as Clients(). `sink` outlives it.
  RadiusSource(SessionSink& sink, const RadiusSettings& settings);

  std::string_view name() const noexcept override { return "radius"; }
  std::span<const std::byte> take(const Datagram& datagram) override;
  dp::Time advance(dp::Time now) override;
  const MessageCounts& counts() const noexcept override { return counts_; }

  std::size_t sessions() const noexcept { return sessions_.size(); }

 private:
  Verdict apply(const PacketView& request, const Datagram& datagram);
  Verdict apply_accounting(const Told& told, const std::string& from);
  std::span<const std::byte> answer(const PacketView& request, const Verdict& verdict,
                                    const std::string& secret);
  std::span<const std::byte> note(std::string_view kind, std::string_view result);
  void note_ends();

  const Clients clients_;
  const bool answers_;
  Sessions sessions_;
  Duplicates duplicates_;
  dp::Time now_ = dp::Time::min();  // the time of the last datagram or advance()
  std::vector<std::byte> answer_;
  MessageCounts counts_;
};

}  // namespace control::told::radius

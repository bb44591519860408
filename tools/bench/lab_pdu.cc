#include "tools/bench/lab_pdu.h"

#include <array>
#include <chrono>
#include <stdexcept>

#include <fmt/format.h>

#include "dataplane/base/rng.h"
#include "dataplane/rlc/am_entity.h"
#include "tools/common/table.h"
#include "tools/lab/figures/stats.h"

namespace bench {
namespace {

constexpr std::uint32_t kSdu = 1500;
constexpr unsigned kPdus = 64;  // a TTI: 2048 kbit/s of 320-bit payloads

// Has SDUs without end, all with the same bytes, and takes any.
class Host final : public dp::AmHost {
 public:
  explicit Host(bool sends) : sends_(sends) {}
  void stop() { sends_ = false; }

  bool waiting() const noexcept override { return sends_; }
  bool start(dp::AmSdu& sdu) noexcept override {
    if (!sends_) return false;
    sdu = {memory_.data(), kSdu, nullptr};
    ++started;
    return true;
  }
  void acked(const dp::AmSdu&) noexcept override { ++acknowledged; }
  void discarded(const dp::AmSdu&) noexcept override { ++given_up; }
  void released(const dp::AmSdu&) noexcept override {}
  std::span<std::byte> begin(std::uint32_t) noexcept override { return memory_; }
  void end(std::uint32_t, std::size_t length) noexcept override { delivered += length == kSdu; }
  void abandon(std::uint32_t) noexcept override {}
  void unrecoverable() noexcept override {}

  std::uint64_t started = 0, acknowledged = 0, given_up = 0, delivered = 0;

 private:
  bool sends_;
  std::array<std::byte, kSdu + 1> memory_{};
};

// The PDUs that one end sends in a TTI, until the other has them.
struct Frame {
  explicit Frame(std::uint32_t pdu_size) : bytes(std::size_t{kPdus} * pdu_size) {}
  void build(dp::AmEntity& from, dp::Time now) {
    pdus = from.build(kPdus, now, bytes.data(), first_sdus.data());
  }
  void receive(dp::AmEntity& to, dp::Time now) const {
    to.receive(pdus, bytes.data(), first_sdus.data(), now);
  }
  std::vector<std::byte> bytes;
  std::array<std::uint32_t, kPdus> first_sdus;
  unsigned pdus = 0;
};

// The time that a call takes is added.
class Stopwatch {
 public:
  template <class F>
  void add(F&& f) {
    const auto begun = std::chrono::steady_clock::now();
    f();
    spent_ += std::chrono::steady_clock::now() - begun;
  }
  double ns() const { return std::chrono::duration<double, std::nano>(spent_).count(); }

 private:
  std::chrono::steady_clock::duration spent_{};
};

}  // namespace

void measure_pdus(PduSubject& subject, unsigned ttis) {
  const dp::AmConfig config;
  Host source(true), sink(false);
  dp::AmEntity sender(config, source, dp::Time{}), receiver(config, sink, dp::Time{});
  Frame data(config.pdu_size), reports(config.pdu_size);
  dp::Rng rng(1);
  Stopwatch at_sender, at_receiver;
  dp::Time now{};
  for (unsigned tti = 0; tti < ttis; ++tti, now += config.tti) {
    at_sender.add([&] { data.build(sender, now); });
    const bool lost = rng.chance(subject.frame_errors);
    at_receiver.add([&] {
      if (!lost) data.receive(receiver, now);
      reports.build(receiver, now);
    });
    at_sender.add([&] { reports.receive(sender, now); });
  }
  subject.again = sender.stats().pdus_retransmitted.get();
  subject.pdus = sender.stats().pdus_new.get() + subject.again;
  // PDUs under way are delivered outside the measured time.
  source.stop();
  for (unsigned tti = 0; tti < 100; ++tti, now += config.tti) {
    data.build(sender, now);
    data.receive(receiver, now);
    reports.build(receiver, now);
    reports.receive(sender, now);
  }
  if (source.started != source.acknowledged + source.given_up || sink.delivered != source.acknowledged) {
    throw std::runtime_error("SDUs are missing between two RLC AM entities");
  }
  subject.sender_ns.push_back(at_sender.ns() / static_cast<double>(subject.pdus));
  subject.receiver_ns.push_back(at_receiver.ns() / static_cast<double>(subject.pdus));
}

std::string pdu_table(const std::vector<PduSubject>& subjects) {
  tools::Table table(
      {"RLC AM: ns A PDU", ">FRAMES LOST", ">PDUS", ">AGAIN", ">LEAST", ">MEDIAN", ">TARGET", ">MET"});
  for (const PduSubject& s : subjects) {
    for (const auto& [end, ns] :
         {std::pair{"at the sender", &s.sender_ns}, {"at the receiver", &s.receiver_ns}}) {
      table.add_cells(end, fmt::format("{:g} %", s.frame_errors * 100), s.pdus, s.again,
                      fmt::format("{:.1f}", lab::percentile(*ns, 0)), fmt::format("{:.1f}", lab::median(*ns)),
                      fmt::format("{:g}", kPduTargetNs), lab::median(*ns) <= kPduTargetNs ? "yes" : "NO");
    }
  }
  return table.text();
}

nlohmann::ordered_json pdu_json(const std::vector<PduSubject>& subjects) {
  auto rows = nlohmann::ordered_json::array();
  for (const PduSubject& s : subjects) {
    for (const auto& [end, ns] : {std::pair{"sender", &s.sender_ns}, {"receiver", &s.receiver_ns}}) {
      rows.push_back({{"subject", "RLC AM PDU"},
                      {"end", end},
                      {"frame_errors", s.frame_errors},
                      {"ns_p50", lab::median(*ns)},
                      {"target_ns", kPduTargetNs},
                      {"met", lab::median(*ns) <= kPduTargetNs}});
    }
  }
  return rows;
}

}  // namespace bench

// Settings that the two legs of the link `am` share, and checks of settings that no radio link can have.
#include <variant>

#include <fmt/core.h>

#include "config/channel.h"
#include "config/leg.h"
#include "config/leg_nodes.h"
#include "config/notation/units.h"
#include "config/profile_rate.h"

namespace config {

void LegPair::join_am(Reader& reader) const {
  if (is_am(downlink_) != is_am(uplink_)) return refuse_half(reader);
  if (!is_am(downlink_)) return;
  if (mirrored_) uplink_.link = downlink_.link;
  if (!rate_given_) uplink_.rate = downlink_.rate;
  follow_profile(uplink_);
  {
    const Reader::Scope scope(reader, "downlink");
    check_rate(reader, down_node_, downlink_);
  }
  const auto& down = std::get<dp::AmLinkConfig>(downlink_.link);
  const auto& up = std::get<dp::AmLinkConfig>(uplink_.link);
  check_channel(reader, "downlink", down_node_);
  check_channel(reader, "uplink", up_node_);
  check_trace(reader, "downlink", down_node_, down);
  if (!mirrored_) check_trace(reader, "uplink", up_node_, up);
  check_reports(reader, "downlink", down_node_, down);
  check_errors(reader, "downlink", down_node_, down);
  if (!mirrored_) check_errors(reader, "uplink", up_node_, up);
  const Reader::Scope scope(reader, "uplink");
  if (rate_given_) check_rate(reader, up_node_, uplink_);
  const auto link = find(up_node_, "link");
  if (up.rlc() == down.rlc()) return;
  reader.fail(
      link ? link->place() : node_.place(),
      "found RLC settings that differ from the downlink's; both directions share them: write the same "
      "ones here, or leave `link` out to take the downlink's");
}

void LegPair::check_channel(Reader& reader, std::string_view leg, const std::optional<Node>& node) const {
  const auto settings = find(find(node, "link"), dp::AmSpec::kName);
  if (!settings || settings->kind() != NodeKind::map) return;
  const auto key = repeated_beside_channel(*settings);
  if (!key) return;
  const Reader::Scope scope(reader, leg);
  const std::string name(key->text());
  reader.fail(key->place(), fmt::format("found `{}` beside a `channel` that is a map; write it in that map, "
                                        "or write the channel's name alone: `channel: {}`",
                                        name, settings->find("channel")->key(0).text()));
}

void LegPair::check_trace(Reader& reader, std::string_view leg, const std::optional<Node>& node,
                          const dp::AmLinkConfig& am) const {
  const std::string_view model = dp::ChannelList::kNames[static_cast<std::size_t>(am.channel)];
  const bool replays = model == dp::TraceSpec::kName;
  if (replays == (am.trace != nullptr)) return;
  const Reader::Scope scope(reader, leg);
  const auto link = find(node, "link");
  reader.fail(link ? link->place() : node_.place(),
              replays ? "found `channel: trace` without a trace; name its file: `trace: PATH`"
                      : "found a `trace`, but the channel is `" + std::string(model) +
                            "`, which makes its own losses; write `channel: trace`, or remove `trace`");
}

// Gaps are reported when a later PDU arrives, and retransmissions poll if configured: without either nothing
// triggers a report and the window fills.
void LegPair::check_reports(Reader& reader, std::string_view leg, const std::optional<Node>& node,
                            const dp::AmLinkConfig& am) const {
  const bool asked = am.poll_last || am.poll_window > 0 || am.poll_pdus > 0;
  if (asked || am.timer_status_periodic > dp::Duration{}) return;
  const Reader::Scope scope(reader, leg);
  const auto link = find(node, "link");
  reader.fail(link ? link->place() : node_.place(),
              "found no way to a STATUS: `poll_last`, `poll_window`, `poll_pdus` and `timer_status_periodic` "
              "are all off, so that the sender's window fills and it stops for ever; write `poll_last: yes`, "
              "or a `timer_status_periodic` such as 100ms");
}

// PDUs depend on the bearer's traffic, so that neither a trace from another bearer nor a model of frames can
// determine which are lost.
void LegPair::check_errors(Reader& reader, std::string_view leg, const std::optional<Node>& node,
                           const dp::AmLinkConfig& am) const {
  if (am.errors != dp::AmErrors::pdu) return;
  const auto link = find(node, "link");
  const auto errors = find(find(link, dp::AmSpec::kName), "errors");
  const Place place = errors ? errors->place() : link ? link->place() : node_.place();
  const Reader::Scope scope(reader, leg);
  if (am.shared_errors) {
    reader.fail(
        place,
        "found `errors: pdu` beside `shared_errors: yes`, but bearers that send different PDUs cannot "
        "lose the same ones; write `shared_errors: no`, or `errors: frame`");
  }
  const std::string_view model = dp::ChannelList::kNames[static_cast<std::size_t>(am.channel)];
  if (model == dp::BernoulliSpec::kName || model == dp::NoErrorsSpec::kName) return;
  reader.fail(place, fmt::format("found `errors: pdu` beside the channel `{}`, which loses whole frames, one "
                                 "after another; expected a channel without memory: write `channel: "
                                 "bernoulli`, or `errors: frame`",
                                 model));
}

void LegPair::refuse_half(Reader& reader) const {
  const bool down = is_am(downlink_);
  const Reader::Scope scope(reader, down ? "uplink" : "downlink");
  const auto link = find(down ? up_node_ : down_node_, "link");
  const std::string found(dp::LinkList::kNames[(down ? uplink_ : downlink_).link.index()]);
  reader.fail(link ? link->place() : node_.place(),
              fmt::format("found the link `{}`, but the other direction's is `am`: its STATUS PDUs come back "
                          "this way; write `link: am`{}",
                          found, (down ? ", or leave it out" : "")));
}

void LegPair::check_rate(Reader& reader, const std::optional<Node>& node, const dp::LegSettings& leg) const {
  const auto& am = std::get<dp::AmLinkConfig>(leg.link);
  if (leg.rate <= am.max_rate()) return;
  const auto rate = find(node, "rate");
  reader.fail(rate ? rate->place() : node_.place(),
              fmt::format("found the rate {}, but an `am` link carries at most {} PDUs a TTI: {} with its "
                          "pdu_size and tti; lower the rate or enlarge the PDUs",
                          format_quantity(dp::Unit::rate, leg.rate), dp::kMaxPdusPerTti,
                          format_quantity(dp::Unit::rate, am.max_rate())));
}

}  // namespace config

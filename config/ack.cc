#include "config/ack.h"

#include <chrono>
#include <string_view>

#include <fmt/core.h>

#include "config/choice.h"
#include "config/notation/kinds.h"
#include "dataplane/base/expect.h"

namespace config {
namespace {

using dp::AckList, dp::AckSettings;
using std::chrono::hours, std::chrono::seconds;

constexpr Choice<AckList> kStageChoice{};
constexpr std::string_view kForm = "ACK stages such as [{ack-rate: {maxd: 500ms}}]";

constexpr auto flows_of = [](auto& acks) -> auto& { return acks.flows.flows; };
constexpr auto idle_of = [](auto& acks) -> auto& { return acks.flows.idle; };
constexpr auto idle_embryonic_of = [](auto& acks) -> auto& { return acks.flows.idle_embryonic; };

constexpr Quantity<dp::Duration> kIdle{dp::Unit::duration, seconds{1}, hours{24 * 7}};

constexpr dp::FieldTable kFlowRows{
    Row{"max", flows_of, Quantity<std::uint32_t>{dp::Unit::count, 1, 65'536},
        "TCP connections that are followed at a time; a bearer takes its memory when it is made"},
    Row{"idle", idle_of, kIdle,
        "after so long without a segment an established connection may make room for another"},
    Row{"idle_embryonic", idle_embryonic_of, kIdle,
        "the same for one that is not established, or over; these go first"},
    Row{"max_held", &AckSettings::max_held, Quantity<std::uint32_t>{dp::Unit::count, 1, 65'536},
        "ACKs that all stages together hold; beyond that the oldest leave"},
};
constexpr Section kFlowTable{kFlowRows};

// The stage's index in AckList; AckList::kSize for an unknown name.
std::size_t kind_of(const Node& stage) {
  const bool named = stage.kind() == NodeKind::map && stage.size() == 1;
  return AckList::index_of((named ? stage.key(0) : stage).text());
}

std::string_view excludes(std::size_t kind, std::size_t other, bool stands_behind) {
  DP_EXPECT(kind < AckList::kSize && other < AckList::kSize);
  std::string_view why;
  AckList::visit_named(AckList::kNames[kind], [&]<class Tag>(Tag) {
    why = dp::excludes<typename Tag::type>(AckList::kNames[other], stands_behind);
  });
  return why;
}

// False, with a reported error, if the stage cannot follow one of those in `before`.
bool fits(Reader& reader, const Node& node, std::size_t kind, const AckSettings& before) {
  const std::string name(AckList::kNames[kind]);
  for (std::uint32_t k = 0; k < before.stages; ++k) {
    const std::size_t other = before.stage[k].index();
    if (other == kind) {
      reader.fail(node.place(), "found the stage `" + name + "` twice, expected each at most once; keep one");
      return false;
    }
    auto why = excludes(kind, other, true);
    const bool mends =
        !why.empty() && excludes(kind, other, false).empty() && excludes(other, kind, true).empty();
    if (why.empty()) why = excludes(other, kind, false);
    if (why.empty()) continue;
    reader.fail(node.place(), fmt::format("found `{}` {} `{}`, with which it cannot work: {}; {}", name,
                                          mends ? "behind" : "beside", AckList::kNames[other], why,
                                          mends ? "put it before that" : "keep one of them"));
    return false;
  }
  return true;
}

template <class Stage>
std::string doc_of() {
  return fmt::format("{}. On a sudden bypass: {}. With asymmetric routing: {}", Stage::kDoc, Stage::kBypass,
                     Stage::kAsymmetric);
}

}  // namespace

std::string AckKind::values() const {
  return fmt::format("list of at most {} of {}", AckSettings::kMaxStages, one_of(AckList::kNames));
}

void AckKind::load(Reader& reader, const Node& node, AckSettings& into) const {
  into.stages = 0;
  into.stage = {};
  if (!reader.expect_list(node, kForm)) return;
  if (node.size() > AckSettings::kMaxStages) {
    return reader.fail(node.place(), fmt::format("found {} ACK stages, expected at most {}", node.size(),
                                                 AckSettings::kMaxStages));
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Reader::Scope scope(reader, i);
    const Node item = node.item(i);
    dp::AckConfig stage;
    kStageChoice.load(reader, item, stage);
    const std::size_t kind = kind_of(item);
    if (kind < AckList::kSize && fits(reader, item, kind, into)) into.stage[into.stages++] = stage;
  }
}

Json AckKind::print(const AckSettings& acks) const {
  Json out = Json::array();
  for (std::uint32_t k = 0; k < acks.stages; ++k) out.push_back(kStageChoice.print(acks.stage[k]));
  return out;
}

void AckKind::list(std::vector<HelpRow>& out, const std::string& path, const AckSettings&) const {
  AckList::for_each([&]<class Tag>(Tag) {
    using Stage = typename Tag::type;
    using Config = typename Stage::Config;
    const std::string below = path + "[]." + std::string(Stage::kName);
    out.push_back({below, "map", "", "", doc_of<Stage>(), true});
    list_keys(out, below, Config{}, field_rows<Config>());
  });
}

void FlowTableKind::load(Reader& reader, const Node& node, AckSettings& into) const {
  kFlowTable.load(reader, node, into);
}

Json FlowTableKind::print(const AckSettings& acks) const { return kFlowTable.print(acks); }

void FlowTableKind::list(std::vector<HelpRow>& out, const std::string& path,
                         const AckSettings& initial) const {
  kFlowTable.list(out, path, initial);
}

bool refuse_in_downlink(Reader& reader, const Node& key) {
  if (key.text() != "ack" && key.text() != "flows") return false;
  const Reader::Scope scope(reader, key.text());
  reader.fail(key.place(), "found `" + std::string(key.text()) +
                               "` in the downlink, expected it in the uplink: ACK stages act on what the UE "
                               "sends; move it there");
  return true;
}

void settle_flow_table(Reader& reader, const Node& uplink, AckSettings& acks) {
  if (acks.stages != 0) return;
  acks = {};
  const auto ack = uplink.find("ack"), flows = uplink.find("flows");
  const bool none = !ack || (ack->size() == 0 && !ack->is_scalar());
  if (!flows || !none) return;
  const Reader::Scope scope(reader, "flows");
  reader.fail(flows->place(),
              "found `flows`, but this uplink has no ACK stages, for which flows are followed; remove it, or "
              "add `ack: [...]`");
}

}  // namespace config

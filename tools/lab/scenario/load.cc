#include <algorithm>
#include <chrono>

#include "config/bearers.h"
#include "config/choice.h"
#include "config/class_profiles.h"
#include "tools/lab/scenario/draft.h"
#include "tools/lab/scenario/rules.h"

namespace lab {
namespace {

using config::Node;
using config::Quantity;
using config::Reader;
using config::Row;

// rncd's list of bearers, without ranges and networks; with a single cell, which need not be named.
struct BearersKind : config::BearersKind {
  void load(Reader& reader, const Node& node, config::Config& into) const {
    config::BearersKind{.named_cells = false}.load(reader, node, into);
    for (std::size_t i = 0; node.kind() == config::NodeKind::list && i < node.size(); ++i) {
      const Reader::Scope scope(reader, i);
      if (const auto dedicated = node.item(i).find("dedicated")) {
        reader.fail(dedicated->place(),
                    "found dedicated bearers, expected one bearer for each UE of a scenario");
      }
      const auto learn = node.item(i).find("learn");
      if (!learn || learn->text() == "no" || learn->text() == "false") continue;
      reader.fail(learn->place(),
                  "found a bearer that is learnt, expected each UE of a scenario by its address");
    }
  }
  void list(std::vector<config::HelpRow>& out, const std::string& path, const config::Config& from) const {
    config::BearersKind::list(out, path, from);
    std::erase_if(out, [&](const config::HelpRow& row) {
      return row.path == path + "[].learn" || row.path == path + "[].limit" || row.path == path + "[].idle" ||
             row.path == path + "[].cell" || row.path == path + "[].network" ||
             row.path.starts_with(path + "[].dedicated");
    });
    for (config::HelpRow& row : out) {
      if (row.path != path + "[].class") continue;
      row.initial = "required";
      row.doc = "what the bearer is made of";
    }
  }
};

constexpr auto scenario = [](auto member) {
  return [member](auto& draft) -> auto& { return draft.scenario.*member; };
};

constexpr auto classes_of = [](auto& draft) -> auto& { return draft.network.classes; };
constexpr auto network_of = [](auto& draft) -> auto& { return draft.network; };

// All rows of a cell but `members`: a scenario's cell has room for all its bearers.
constexpr auto kCellRows =
    dp::joined(dp::FieldTable{Row{"scheduler", &dp::CellSettings::scheduler,
                                  config::Choice<dp::SchedulerList>{}, "whose each slot is"}},
               dp::CellSettings::kFields.apply([](const auto& slots, const auto&, const auto&... others) {
                 return dp::FieldTable{config::field_row(slots), config::field_row(others)...};
               }));

constexpr dp::Duration kShortest{1'000'000}, kLongest{10'000'000'000'000'000};

const auto kRows = dp::FieldTable{
    Row{"version", std::identity{}, config::VersionKind{}, "the version of this notation", true},
    Row{"duration", scenario(&Scenario::duration),
        Quantity<dp::Duration>{dp::Unit::duration, kShortest, kLongest}, "simulated time of a run", true},
    Row{"measure_from", scenario(&Scenario::measure_from),
        Quantity<dp::Duration>{dp::Unit::duration, dp::Duration{0}, kLongest},
        "figures are of the time from here on"},
    Row{"runs", scenario(&Scenario::runs), Quantity<std::uint32_t>{dp::Unit::count, 1, 1'000'000},
        "runs with a seed each"},
    Row{"seed", scenario(&Scenario::seed),
        Quantity<std::uint64_t>{dp::Unit::count, 0, std::uint64_t{1} << 62},
        "of the first run; each run has one more"},
    Row{"classes", classes_of, config::ClassesKind{}, "what bearers are made of, as in rncd's configuration",
        true},
    Row{"bearers", network_of, BearersKind{}, "who has a bearer, and of which class", true},
    Row{"wires", std::identity{}, WiresKind{}, "what lies between servers and the core port", true},
    Row{"radio", std::identity{}, RadioKind{},
        "what lies between the radio port and each UE of a class, who is at the port itself if not given"},
    Row{"gtp_u", scenario(&Scenario::gtp_u), TunnelsKind{},
        "the tunnels in which all packets cross the box; its wires, figures and traces are about the packets "
        "within"},
    Row{"cell", scenario(&Scenario::cell), config::Section{kCellRows},
        "that in which the bearers with the link `cell` are, all of them"},
    Row{"servers", std::identity{}, ServersKind{}, "who sends", true},
    Row{"flows", std::identity{}, FlowsKind{}, "who sends what to whom", true},
    Row{"changes", std::identity{}, ChangesKind{}, "what is made different while the run goes on"},
};

}  // namespace

std::optional<std::size_t> find_named(Reader& reader, const Node& node, const std::vector<std::string>& names,
                                      std::string_view thing, std::string_view section) {
  const auto at = std::ranges::find(names, node.text());
  if (config::is_text(node, reader.strict()) && at != names.end()) {
    return static_cast<std::size_t>(at - names.begin());
  }
  const std::string what =
      "a " + std::string(thing) + " that is defined under `" + std::string(section) + "`";
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto hint = node.is_scalar() ? config::did_you_mean(node.text(), views) : "";
  reader.expected(node, what + (names.empty()   ? "; there is none"
                                : !hint.empty() ? hint
                                                : ": " + config::one_of(views)));
  return std::nullopt;
}

std::optional<std::size_t> find_bearer(Reader& reader, const Node& node, const config::Config& network) {
  const auto ue = config::load_ue(reader, node);
  if (!ue) return std::nullopt;
  const auto at = std::ranges::find(network.bearers, *ue, &config::Bearer::ue);
  if (at != network.bearers.end()) return static_cast<std::size_t>(at - network.bearers.begin());
  reader.expected(node, "a UE that has a bearer; list it under `bearers`");
  return std::nullopt;
}

dp::TcpSenderSettings lab_sender() {
  dp::TcpSenderSettings s;
  s.congestion = dp::Reno::Config{};
  s.initial_window = 1;
  s.limited_transmit = false;
  s.rto.initial = std::chrono::seconds{3};
  s.rto.floor = std::chrono::seconds{1};
  s.rto.ceiling = std::chrono::seconds{64};
  s.rto.handshake = false;
  return s;
}

dp::TcpReceiverSettings lab_receiver() {
  dp::TcpReceiverSettings s;
  s.rto = lab_sender().rto;
  return s;
}

std::vector<config::HelpRow> list_scenario() {
  std::vector<config::HelpRow> rows;
  config::list_keys(rows, "", Draft{}, kRows);
  return rows;
}

config::Checked<Scenario> load_scenario(std::string_view yaml, const std::string& file_name,
                                        const config::Overrides& overrides) {
  return config::load_document<Scenario>(yaml, file_name, overrides, [](Reader& reader, const Node& root) {
    Draft draft;
    config::load_keys(reader, root, draft, kRows);
    draft.scenario.classes = std::move(draft.network.classes);
    draft.scenario.bearers = std::move(draft.network.bearers);
    check_rules(draft.scenario, root, reader);
    return std::move(draft.scenario);
  });
}

config::Checked<Scenario> load_scenario_file(const std::string& path, const config::Overrides& overrides) {
  auto text = config::read_file(path, "a scenario");
  return text ? load_scenario(*text, path, overrides)
              : config::Checked<Scenario>{std::nullopt, std::move(text.problems)};
}

}  // namespace lab

// One member of a family (dp::AqmList, dp::LinkList) with its settings: `drop-tail`, or `{drop-tail: {...}}`.
// Everything comes from the list and each member's field table; a new member needs nothing here.
#pragma once
#include <concepts>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "config/channel.h"
#include "config/notation/kinds.h"
#include "config/notation/table.h"
#include "config/radio.h"
#include "dataplane/base/fields.h"

namespace config {

// A row of a member's field table: a name, yes or no for a bool, else a number with a unit.
template <class S, class T, bool kNamed>
constexpr auto field_row(const dp::Field<S, T, kNamed>& f) {
  if constexpr (std::is_same_v<T, dp::ChannelChoice>) {
    return Row<std::identity, ChannelKind>{f.name, {}, {}, f.doc, false, {}, f.source};
  } else if constexpr (std::is_same_v<T, dp::RadioChoice>) {
    return Row<std::identity, RadioKind>{f.name, {}, {}, f.doc, false, {}, f.source};
  } else if constexpr (kNamed) {
    return Row<T S::*, OneOf<T>>{f.name, f.member, {f.names}, f.doc, false, {}, f.source};
  } else if constexpr (std::is_same_v<T, bool>) {
    return Row<T S::*, YesNo>{f.name, f.member, {}, f.doc, false, {}, f.source};
  } else if constexpr (std::is_same_v<T, dp::Amount>) {
    return Row<T S::*, AmountKind>{f.name, f.member, {f.min, f.max}, f.doc, false, {}, f.source};
  } else {
    return quantity_row(f);
  }
}

template <class Settings>
constexpr auto field_rows() {
  constexpr auto kRows =
      Settings::kFields.apply([](const auto&... f) { return dp::FieldTable{field_row(f)...}; });
  if constexpr (std::derived_from<Settings, dp::ChannelSettings>) {
    return dp::joined(kRows, kTraceRows);
  } else if constexpr (std::derived_from<Settings, dp::RadioSettings>) {
    return dp::joined(kRows, kRadioTraceRows);
  } else {
    return kRows;
  }
}

template <class List>
struct Choice {
  using Configs = typename List::Configs;

  std::string type() const { return "name or map"; }
  std::string values() const { return one_of(List::kNames); }

  // No rows beside those of the field table.
  static constexpr auto kNoMore = [](auto) { return dp::FieldTable<>{}; };

  // A named member starts from its defaults, whatever the value was. more(TypeTag<Member>) gives further rows
  // of its map.
  template <class More = decltype(kNoMore)>
  void load(Reader& reader, const Node& node, Configs& into, const More& more = kNoMore) const {
    const bool alone = is_text(node, reader.strict());
    if (!alone && (node.kind() != NodeKind::map || node.size() != 1)) {
      reader.expected(node, "one name (" + values() + "), or a map of one name to its settings");
      return;
    }
    const Node name = alone ? node : node.key(0);
    const bool known = List::visit_named(name.text(), [&]<class Tag>(Tag) {
      using Config = typename Tag::type::Config;
      Config config{};
      if (!alone) {
        const Reader::Scope scope(reader, name.text());
        load_keys(reader, node.value(0), config, dp::joined(more(Tag{}), field_rows<Config>()));
      }
      into = config;
    });
    if (!known) reader.expected(name, values() + did_you_mean(name.text(), List::kNames));
  }

  Json print(const Configs& value) const {
    const std::string name(List::kNames[value.index()]);
    return std::visit(
        [&](const auto& config) -> Json {
          const Json fields = print_keys(config, field_rows<std::decay_t<decltype(config)>>());
          return fields.empty() ? Json(name) : Json{{name, fields}};
        },
        value);
  }

  template <class More = decltype(kNoMore)>
  void list(std::vector<HelpRow>& out, const std::string& path, const Configs&,
            const More& more = kNoMore) const {
    List::for_each([&]<class Tag>(Tag) {
      using Member = typename Tag::type;
      const std::string below = path + "." + std::string(Member::kName);
      out.push_back({below, "map", "", "", std::string(Member::kDoc), true});
      using Config = typename Member::Config;
      list_keys(out, below, Config{}, dp::joined(more(Tag{}), field_rows<Config>()));
    });
  }
};

}  // namespace config

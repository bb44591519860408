// The key of a link that names one model of a family whose members all take the same settings (channels,
// radios): `channel: markov`. The settings may be in a map of the model's, as in every family, `channel:
// {markov: {fer: 10%}}`, or beside it in the link.
#pragma once
#include <string>
#include <tuple>

#include "config/notation/kinds.h"
#include "config/notation/table.h"

namespace config {

// Of<List, Settings>: the family. choice(link) is the link's member with the index of its model in List;
// rows<Model>() are the rows of Settings that the model uses.
template <class Family>
struct ModelKind {
  using List = typename Family::List;

  std::string type() const { return "name or map"; }
  std::string values() const { return one_of(List::kNames); }

  // S is the link's settings: a Family::Settings with the choice.
  template <class S>
  Json print(const S& from) const {
    return std::string(List::kNames[static_cast<std::size_t>(Family::choice(from))]);
  }

  // A map starts from the defaults of all settings of the family; a name alone keeps them.
  template <class S>
  void load(Reader& reader, const Node& node, S& into) const {
    const bool alone = is_text(node, reader.strict());
    if (!alone && (node.kind() != NodeKind::map || node.size() != 1)) {
      reader.expected(node, "one name (" + values() + "), or a map of one name to its settings");
      return;
    }
    const Node name = alone ? node : node.key(0);
    const bool known = List::visit_named(name.text(), [&]<class Tag>(Tag) {
      auto& choice = Family::choice(into);
      choice = static_cast<std::remove_reference_t<decltype(choice)>>(List::index_of(Tag::type::kName));
      if (alone) return;
      typename Family::Settings& settings = into;
      settings = {};
      const Reader::Scope scope(reader, name.text());
      load_keys(reader, node.value(0), settings, Family::template rows<typename Tag::type>());
    });
    if (!known) reader.expected(name, values() + did_you_mean(name.text(), List::kNames));
  }
};

}  // namespace config

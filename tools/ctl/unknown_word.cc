#include "tools/ctl/unknown_word.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ctl {
namespace {

// What other tools call it.
constexpr std::array kSynonyms{
    std::pair{"delete", "remove"},  std::pair{"del", "remove"}, std::pair{"rm", "remove"},
    std::pair{"add", "set"},        std::pair{"create", "set"}, std::pair{"new", "set"},
    std::pair{"change", "set"},     std::pair{"modify", "set"}, std::pair{"list", "show"},
    std::pair{"ls", "show"},        std::pair{"get", "show"},   std::pair{"info", "show"},
    std::pair{"status", "show"},    std::pair{"rate", "rrc"},   std::pair{"reconfigure", "rrc"},
    std::pair{"validate", "check"}, std::pair{"test", "check"},
};

// Edits from one word to the other (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row[b.size()];
}

using Names = std::vector<std::string>;

Names commands_of(const CLI::App& app) {
  Names names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::string meant(const std::string& word, const Names& names) {
  for (const auto& [synonym, name] : kSynonyms) {
    if (word == synonym && std::find(names.begin(), names.end(), name) != names.end()) return name;
  }
  std::string best;
  std::size_t least = word.size() / 3 + 2;
  for (const std::string& name : names) {
    const std::size_t edits = distance(word, name);
    if (edits < least && edits < name.size()) {
      least = edits;
      best = name;
    }
  }
  return best;
}

std::string joined(const Names& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

// How many words an option takes beside its name.
std::size_t values_of(const CLI::App& app, const std::string& option) {
  const CLI::Option* known = app.get_option_no_throw(option);
  if (known == nullptr && app.get_parent() != nullptr) return values_of(*app.get_parent(), option);
  return known != nullptr && known->get_items_expected_max() > 0 ? 1 : 0;
}

}  // namespace

std::string explain_unknown_word(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  std::string path = "rncctl";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with('-')) {
      i += values_of(*at, word);
      continue;
    }
    const Names names = commands_of(*at);
    if (names.empty()) return {};
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      const std::string name = meant(word, names);
      return "`" + word + "` is no command of `" + path + "`; there are " + joined(names) +
             (name.empty() ? "" : "; did you mean `" + path + " " + name + "`?");
    }
    at = at->get_subcommand(word);
    path += " " + word;
  }
  return {};
}

}  // namespace ctl

#include "tools/ctl/unknown_word.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "config/notation/words.h"

namespace ctl {
namespace {

// Synonyms that other tools use.
constexpr std::array kSynonyms{
    std::pair{"delete", "remove"},  std::pair{"del", "remove"}, std::pair{"rm", "remove"},
    std::pair{"add", "set"},        std::pair{"create", "set"}, std::pair{"new", "set"},
    std::pair{"change", "set"},     std::pair{"modify", "set"}, std::pair{"list", "show"},
    std::pair{"ls", "show"},        std::pair{"get", "show"},   std::pair{"info", "show"},
    std::pair{"status", "show"},    std::pair{"rate", "rrc"},   std::pair{"reconfigure", "rrc"},
    std::pair{"validate", "check"}, std::pair{"test", "check"},
};

using Names = std::vector<std::string>;

Names commands_of(const CLI::App& app) {
  Names names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); })) {
    names.push_back(command->get_name());
  }
  return names;
}

// The paths of all commands of that name.
void find_all(const CLI::App& app, const std::string& path, const std::string& word, Names& found) {
  for (const std::string& name : commands_of(app)) {
    const std::string one = path + " " + name;
    if (name == word) found.push_back("`" + one + "`");
    find_all(*app.get_subcommand(name), one, word, found);
  }
}

// The command that other tools call so, that is one elsewhere, or that is misspelt, in this order; quoted.
Names meant(const CLI::App& app, const std::string& path, const std::string& word, const Names& names) {
  const auto here = [&](std::string_view name) { return Names{"`" + path + " " + std::string(name) + "`"}; };
  for (const auto& [synonym, name] : kSynonyms) {
    if (word == synonym && std::find(names.begin(), names.end(), name) != names.end()) return here(name);
  }
  Names elsewhere;
  const CLI::App* root = &app;
  while (root->get_parent() != nullptr) root = root->get_parent();
  find_all(*root, "rncctl", word, elsewhere);
  if (!elsewhere.empty()) return elsewhere;
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = config::nearest(word, views);
  return near.empty() ? Names{} : here(near);
}

std::string joined(const Names& names, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += names[i];
  }
  return text;
}

// The number of words that an option takes beside its name.
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
      const Names probable = meant(*at, path, word, names);
      return "`" + config::shorten(word) + "` is no command of `" + path + "`; there are " +
             joined(names, " and ") +
             (probable.empty() ? "" : "; did you mean " + joined(probable, " or ") + "?");
    }
    at = at->get_subcommand(word);
    path += " " + word;
  }
  return {};
}

}  // namespace ctl

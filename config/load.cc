#include "config/load.h"

#include <algorithm>
#include <iterator>

#include "config/reader.h"
#include "config/schema.h"
#include "config/validate.h"

namespace config {

Loaded load_text(std::string_view text, const std::string& name, const Overrides& overrides) {
  Document document = read_document(text, name, overrides);
  Loaded loaded{std::nullopt, std::move(document.problems)};
  if (!document.root) return loaded;
  const Node root = document.tree.node(*document.root);
  Reader reader(document.tree, "", false);
  Config config;
  load_config(reader, root, config);
  validate(config, root, reader);
  std::ranges::move(reader.take(), std::back_inserter(loaded.problems));
  sort_problems(loaded.problems);
  if (loaded.problems.empty()) loaded.value = std::move(config);
  return loaded;
}

Loaded load_file(const std::string& path, const Overrides& overrides) {
  auto text = read_file(path);
  return text ? load_text(*text, path, overrides) : Loaded{std::nullopt, std::move(text.problems)};
}

}  // namespace config

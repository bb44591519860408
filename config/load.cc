#include "config/load.h"

#include "config/schema.h"
#include "config/validate.h"

namespace config {

Loaded load_text(std::string_view text, const std::string& name, const Overrides& overrides) {
  return load_document<Config>(text, name, overrides, [](Reader& reader, const Node& root) {
    Config config;
    load_config(reader, root, config);
    validate(config, root, reader);
    return config;
  });
}

Loaded load_file(const std::string& path, const Overrides& overrides) {
  auto text = read_file(path);
  return text ? load_text(*text, path, overrides) : Loaded{std::nullopt, std::move(text.problems)};
}

}  // namespace config

#include "config/load.h"

#include "config/notation/files.h"
#include "config/schema.h"
#include "config/validate.h"

namespace config {

Loaded load_text(std::string_view text, const std::string& name, const Overrides& overrides,
                 TraceSource* traces) {
  return load_document<Config>(text, name, overrides, [traces](Reader& reader, const Node& root) {
    Config config;
    reader.set_traces(traces);
    load_config(reader, root, config);
    validate(config, root, reader);
    return config;
  });
}

Loaded load_file(const std::string& path, const Overrides& overrides) {
  auto text = read_file(path);
  return text ? load_text(*text, path, overrides) : Loaded{std::nullopt, std::move(text.problems)};
}

Loaded reload_file(const std::string& path, const Overrides& overrides) {
  const auto file =
      RegularFile::open({.name = path, .shown = path, .what = "a configuration", .most = kMaxFileBytes});
  if (!file) return {std::nullopt, file.problems};
  const auto text = file->text();
  return text ? load_text(*text, path, overrides) : Loaded{std::nullopt, text.problems};
}

}  // namespace config

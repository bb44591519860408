// libFuzzer target: the text of a configuration. What is taken is printed and taken again; what is refused
// has a problem with a place in the text.
#include <algorithm>
#include <string>
#include <string_view>

#include "config/load.h"
#include "config/print.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using dp::test::expect;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  config::UnopenedTraces traces;  // whatever path it names, no file is opened
  const config::Loaded loaded = config::load_text(text, "fuzz.yaml", {}, &traces);
  expect(loaded.value.has_value() == loaded.problems.empty(), "a configuration, or why there is none");
  for (const config::Problem& problem : loaded.problems) {
    expect(!problem.message.empty() && problem.line <= lines + 1, "a problem is told with its place");
    expect(!config::to_string(problem).empty(), "a problem can be written");
  }
  if (!loaded) return 0;
  const auto printed = config::to_json(*loaded);
  const config::Loaded again = config::load_text(printed.dump(), "again.yaml", {}, &traces);
  expect(again.value.has_value() && config::to_json(*again) == printed,
         "what is printed reads back as it was");
  return 0;
}

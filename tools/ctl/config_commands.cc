// The commands that hand over a configuration, or take back one that was.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>

#include "tools/ctl/arguments.h"
#include "tools/ctl/ask.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/input.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

constexpr std::size_t kWhole = std::size_t{1} << 20;  // a longer text goes in pieces
constexpr std::size_t kPiece = std::size_t{512} << 10;
constexpr std::chrono::milliseconds kPatiencePerMiB{1000};

struct ConfigOptions {
  std::string file;
  unsigned confirm = 0;
  bool differences = false;
};

// The end of the piece that begins at `from`, never inside a character.
std::size_t piece_end(const std::string& text, std::size_t from) {
  std::size_t end = std::min(text.size(), from + kPiece);
  while (end < text.size() && (text[end] & 0xc0) == 0x80) --end;
  return end;
}

// Calls a method that takes a configuration. A text that is longer than a request may be is sent before it.
Json call_with(Caller& caller, const std::string& method, const std::string& text, Json params) {
  if (text.size() <= kWhole) {
    params["config"] = text;
    return caller.call(method, params);
  }
  caller.allow(kPatiencePerMiB * static_cast<int>(text.size() >> 20));
  Json piece = Json::object();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = piece_end(text, at);
    piece["text"] = text.substr(at, end - at);
    piece["upload"] = caller.call("config.upload", piece).at("upload");
    at = end;
  }
  params["upload"] = piece["upload"];
  return caller.call(method, params);
}

// Its name in the log.
std::string name_of(const std::string& file) {
  if (file == "-") return "standard input";
  const std::unique_ptr<char, decltype(&std::free)> whole(::realpath(file.c_str(), nullptr), &std::free);
  return whole == nullptr ? file : whole.get();
}

void add_apply(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<ConfigOptions>();
  auto* apply =
      app.add_subcommand("apply", "have the running rncd take over a configuration; its file stays");
  apply->add_option("FILE", o->file, "the configuration; - is standard input")->required();
  auto* confirm =
      apply
          ->add_option("--confirm", o->confirm,
                       "seconds within which `rncctl confirm` has to follow, else what ran before comes back")
          ->check(whole_number(1, 86400));
  apply
      ->add_flag("--diff,--dry-run", o->differences,
                 "only say what would change, key by key and bearer by bearer")
      ->excludes(confirm);
  apply->callback([=, &chosen] {
    const auto text = std::make_shared<const std::string>(text_of_file(o->file, "a configuration"));
    const char* const method = o->differences ? "config.diff" : "config.apply";
    Json params = Json::object();
    if (!o->differences) params["file"] = name_of(o->file);
    if (o->confirm != 0) params["confirm"] = o->confirm;
    chosen = {[=](Caller& caller) { return call_with(caller, method, *text, params); },
              o->differences ? views::difference : views::applied};
  });
  app.add_subcommand("confirm", "what `apply --confirm` has changed stays")->callback([&chosen] {
    chosen = {ask("config.confirm", nullptr), views::fields};
  });
  app.add_subcommand("rollback", "what ran before `apply --confirm` comes back now")->callback([&chosen] {
    chosen = {ask("config.rollback", nullptr), views::applied};
  });
}

}  // namespace

void add_config_commands(CLI::App& app, Command& chosen) {
  add_apply(app, chosen);
  auto* config = app.add_subcommand("config", "configurations")->require_subcommand(1);
  auto o = std::make_shared<ConfigOptions>();
  auto* check = config->add_subcommand("check", "have a file checked by the running rncd");
  check->add_option("FILE", o->file, "the file; - is standard input")->required();
  check->callback([=, &chosen] {
    const auto text = std::make_shared<const std::string>(text_of_file(o->file, "a configuration"));
    chosen = {[=](Caller& caller) { return call_with(caller, "config.check", *text, Json::object()); },
              views::checked, [](const Json& result) { return result.value("ok", false); }};
  });
}

}  // namespace ctl

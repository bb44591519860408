// Runs words of rncctl without an rncd.
#pragma once
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/ctl/commands.h"

namespace ctl {

// Remembers the requests and answers from a list.
struct FakeCaller : Caller {
  Json call(const std::string& method, const Json& params) override {
    asked.emplace_back(method, params);
    return asked.size() <= answers.size() ? answers[asked.size() - 1] : Json::object();
  }
  std::vector<std::pair<std::string, Json>> asked;
  std::vector<Json> answers;
};

inline Command parse(std::vector<std::string> words) {
  Command command;
  CLI::App app;
  app.require_subcommand(1);
  add_commands(app, command);
  app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  return command;
}

inline std::pair<std::string, Json> asked_by(std::vector<std::string> words) {
  FakeCaller caller;
  parse(std::move(words)).fetch(caller);
  return caller.asked.at(0);
}

// The output of a list, and its notes beside.
struct Shown {
  std::string out, notes;
};
inline Shown shown(FakeCaller& caller, std::vector<std::string> words, bool json = false) {
  std::ostringstream out, notes;
  parse(std::move(words)).show(caller, {out, notes, json, true});
  return {out.str(), notes.str()};
}

}  // namespace ctl

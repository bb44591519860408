// The error for a word that is no command: the word, the commands in its place, and the one that was meant.
#pragma once
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace ctl {

// `words` as the user typed them, without the program's name. Empty if each word that should be a command is
// one: then the fault is another, and CLI11's own message names it.
std::string explain_unknown_word(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace ctl

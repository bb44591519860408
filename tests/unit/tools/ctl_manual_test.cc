// Each line of README.md and control/manual that begins with rncctl is a command that rncctl takes.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/ctl/arguments.h"
#include "tools/ctl/commands.h"

namespace ctl {
namespace {

std::vector<std::filesystem::path> pages() {
  const std::filesystem::path root = RNCD_SOURCE_ROOT;
  std::vector<std::filesystem::path> found{root / "README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(root / "control/manual"))
    found.push_back(entry.path());
  return found;
}

// A file of lines UE [RATE [UPLINK_RATE]].
std::string list_of_ues() {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "rncctl-manual-ues";
  std::ofstream(path) << "10.45.0.2 8M\n";
  return path;
}

// The words of each command of a page, without `rncctl`. A line with `...` stands for several commands. A
// configuration that a command names is read as its words are: the example stands for it, and a list of one
// UE for a list.
std::vector<std::vector<std::string>> commands_of(const std::filesystem::path& page) {
  std::vector<std::vector<std::string>> found;
  std::ifstream in(page);
  for (std::string line; std::getline(in, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.starts_with("sudo ")) line.erase(0, 5);
    if (!line.starts_with("rncctl ") || line.find("...") != std::string::npos) continue;
    found.push_back(split_words(line.substr(7)));
    for (std::string& word : found.back()) {
      if (word.ends_with(".yaml")) word = std::string(RNCD_SOURCE_ROOT) + "/config/rncd.example.yaml";
      if (word.ends_with(".txt")) word = list_of_ues();
    }
  }
  return found;
}

TEST(Manual, NamesOnlyCommandsThatThereAre) {
  std::set<std::string> first_words;
  for (const auto& page : pages()) {
    for (const auto& words : commands_of(page)) {
      Command command;
      CLI::App app;
      app.require_subcommand(1);
      add_commands(app, command);
      EXPECT_NO_THROW(app.parse(std::vector<std::string>(words.rbegin(), words.rend())))
          << page << ": " << ::testing::PrintToString(words);
      EXPECT_TRUE(command.chosen()) << page << ": " << ::testing::PrintToString(words);
      first_words.insert(words.at(0));
    }
  }
  // Fails when the pages are gone or the pattern finds no command in them.
  for (const char* word : {"show", "bearer", "rrc", "mode", "wire", "apply", "cell", "proxy", "upgrade"})
    EXPECT_TRUE(first_words.contains(word)) << word;
}

}  // namespace
}  // namespace ctl

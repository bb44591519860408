// The screen of `rncctl top` as lines of text: a function of what rncd answered and of what its user chose.
// Tests: tests/unit/tools/ctl_top_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ctl/client.h"

namespace ctl::top {

// The columns by which bearers can be sorted, as `bearer.top` names them.
inline constexpr std::array<std::string_view, 6> kSorts{"rate", "used", "queue", "delay", "drops", "marks"};

enum class View { bearers, flows, workers, drops, cells, help };

// The choices of the user.
struct State {
  View view = View::bearers;
  std::size_t sort = 0;  // in kSorts
  std::string direction = "downlink";
  bool reverse = false;
  bool paused = false;
  bool smooth = false;     // rates of the last 10 s beside those of the last second
  std::string filter{};    // a prefix or a class
  std::size_t chosen = 0;  // row of the bearer whose flows are shown
  std::string typed{};     // of a filter that is being typed
  bool typing = false;
  std::string trouble{};  // the last answer's refusal
};

// Answers of one moment. `before`: stats.get a while ago; null without.
struct Answers {
  Json top{}, stats{}, before{}, rest{};  // `rest`: for the view: flow.list, cell.list
  double seconds = 0;                     // between `before` and `stats`
};

struct Size {
  std::size_t columns = 80, lines = 24;
};

// At most as many lines as the size has, none longer than its columns.
std::vector<std::string> screen(const State& state, const Answers& answers, const Size& size);

// The number of bearers for which the screen has lines.
std::size_t rows_of(const Size& size);

}  // namespace ctl::top

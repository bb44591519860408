// From what runs and what is wanted to what has to be done: pure, so that it can be tested without a data
// plane.
#pragma once
#include <cstddef>
#include <vector>

#include "control/registry.h"

namespace control {

struct Want {
  dp::UeAddress ue;
  dp::BearerSettings settings;
  Origin origin = Origin::socket;
};

// Bearers that shall be as said, and bearers that shall not be. Of two wants for one UE the later counts.
struct Wish {
  std::vector<Want> set;
  std::vector<dp::UeAddress> remove;
};

struct Plan {
  std::vector<Want> create;
  std::vector<Want> change;  // other settings than it has
  std::vector<Want> adopt;   // the right settings, another origin: no command
  std::vector<dp::UeAddress> remove;
  std::size_t unchanged = 0;

  bool empty() const { return create.empty() && change.empty() && adopt.empty() && remove.empty(); }
};

Plan make_plan(const Registry& running, const Wish& wish);

}  // namespace control

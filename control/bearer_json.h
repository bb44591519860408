// A bearer as the control socket shows it.
#pragma once
#include "config/model.h"
#include "control/codec.h"
#include "control/registry.h"

namespace control::rpc {

Json to_json(const dp::UeAddress& ue, const Record& record, const std::vector<config::Class>& classes);

}  // namespace control::rpc

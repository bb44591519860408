// The shape of most commands: one call, and a view of a part of its answer.
#pragma once
#include <string>

#include "tools/ctl/client.h"

namespace ctl {

inline auto ask(const std::string& method, const Json& params, const std::string& pointer = "") {
  return [=](Caller& caller) {
    const auto result = caller.call(method, params);
    const Json::json_pointer part(pointer);
    if (!result.contains(part)) throw Refused("the answer to " + method + " lacks " + pointer, result);
    return result[part];
  };
}

}  // namespace ctl

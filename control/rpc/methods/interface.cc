// The methods that tell about the interface itself, and what it hides from everybody.
#include <string>
#include <utility>

#include "control/loop/version.h"
#include "control/rpc/answer.h"
#include "control/rpc/methods.h"
#include "control/rpc/params.h"

namespace control::rpc {

void hide_paths(Json& json) {
  if (json.is_structured()) {
    for (Json& part : json) hide_paths(part);
  } else if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    const auto holds = [&](const char* form) { return text.find(form) != std::string::npos; };
    if (text.starts_with('/') || holds(":/") || holds("=/")) json = "(hidden)";
  }
}

void version(const Request& request) {
  const Params params(request.params, kNothing);
  request.done(Json{{"rncd", kVersion}, {"api", kApiVersion}, {"dpdk", kDpdkVersion}, {"build", kBuild}});
}

void list_methods(const Request& request) {
  const Params params(request.params, kNothing);
  Json list = Json::array();
  for (const Method& method : methods()) {
    list.push_back({{"name", method.name},
                    {"params", params_of(method)},
                    {"doc", method.doc},
                    {"read_only", method.access == Access::reads}});
  }
  request.done(list_json(std::move(list)));
}

}  // namespace control::rpc

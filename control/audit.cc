#include "control/audit.h"

namespace control::rpc {

void append_result(log::Fields& fields, const Json& result) {
  for (const auto& [key, value] : result.items()) {
    if (value.is_number_integer()) {
      fields.emplace_back(key, value.get<std::int64_t>());
    } else {
      fields.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
}

Done logged(const Request& request, std::string_view event, std::string_view what) {
  return [done = request.done, peer = request.peer, event = std::string(event),
          what = std::string(what)](Outcome outcome) {
    log::Fields fields{{"pid", peer.pid}, {"uid", peer.uid}, {"for", what}};
    if (const Fault* fault = std::get_if<Fault>(&outcome)) {
      fields.emplace_back("refused", fault->message);
      log::warning(event, fields);
    } else {
      append_result(fields, std::get<Json>(outcome));
      log::info(event, fields);
    }
    done(std::move(outcome));
  };
}

}  // namespace control::rpc

#include "control/told/daemon/told_rpc.h"

#include "control/loop/version.h"
#include "control/rpc/codec.h"

namespace control::told {
namespace {

Json result_of(const rpc::Call& call, const std::function<Json(const Json& params)>& list) {
  if (!call.params.is_object()) throw rpc::Fault(rpc::kInvalidParams, "\"params\" must be an object");
  if (call.method == "session.list") return list(call.params);
  if (call.method == "version")
    return {{"program", "rncd-told"}, {"version", kVersion}, {"api", kApiVersion}};
  throw rpc::Fault(
      rpc::kMethodNotFound,
      "no such method; rncd-told has session.list {\"cursor\"?, \"limit\"?: 1 to 1000} and version");
}

}  // namespace

std::string answer_line(const std::string& line, const std::function<Json(const Json& params)>& list) {
  Json id = nullptr;
  try {
    const rpc::Message message = rpc::decode(line);
    if (message.batch) throw rpc::Fault(rpc::kInvalidRequest, "found a batch, expected one call a line");
    if (const auto* const bad = std::get_if<rpc::BadCall>(&message.calls.front())) {
      return rpc::encode_fault(bad->id, bad->fault);
    }
    const auto& call = std::get<rpc::Call>(message.calls.front());
    if (!call.id) return {};
    id = *call.id;
    return rpc::encode_result(id, result_of(call, list));
  } catch (const rpc::Fault& fault) {
    return rpc::encode_fault(id, fault);
  }
}

}  // namespace control::told

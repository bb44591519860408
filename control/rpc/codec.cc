#include "control/rpc/codec.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "config/notation/strict_json.h"
#include "config/notation/words.h"

namespace control::rpc {
namespace {

constexpr std::array<std::string_view, 4> kMembers{"jsonrpc", "method", "params", "id"};

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json parse(std::string_view text) {
  auto parsed = config::parse_json(text, {.depth = kMaxDepth, .values = kMaxValues, .elements = kMaxBatch});
  if (const auto* fault = std::get_if<config::JsonFault>(&parsed)) {
    using Kind = config::JsonFault::Kind;
    if (fault->kind == Kind::syntax) throw Fault(kParseError, fault->text);
    if (fault->kind != Kind::elements) throw Fault(kInvalidRequest, "the request: " + fault->text);
    throw Fault(
        kInvalidRequest,
        fmt::format("the batch has more than {} calls, the most that are taken; send several", kMaxBatch));
  }
  return std::get<Json>(std::move(parsed));
}

bool valid_id(const Json& id) { return id.is_string() || id.is_number() || id.is_null(); }

std::optional<std::string> refused(const Json& call) {
  if (!call.is_object()) return "a call must be an object, found " + std::string(call.type_name());
  for (const auto& [key, value] : call.items()) {
    if (std::find(kMembers.begin(), kMembers.end(), key) == kMembers.end()) {
      return fmt::format("unknown member \"{}\"{}", config::shorten(key),
                         config::did_you_mean(key, kMembers));
    }
  }
  const auto version = call.find("jsonrpc");
  if (version == call.end() || *version != "2.0") return "\"jsonrpc\" must be \"2.0\"";
  const auto method = call.find("method");
  if (method == call.end() || !method->is_string()) return "\"method\" must be a string";
  if (call.contains("id") && !valid_id(call["id"])) return "\"id\" must be a string, a number or null";
  const auto params = call.find("params");
  if (params != call.end() && !params->is_structured()) return "\"params\" must be an object";
  return std::nullopt;
}

std::variant<Call, BadCall> decode_call(Json& call) {
  if (const auto why = refused(call)) {
    const bool has_id = call.is_object() && call.contains("id") && valid_id(call["id"]);
    return BadCall{has_id ? call["id"] : Json(nullptr), Fault(kInvalidRequest, *why)};
  }
  Call out;
  out.method = call["method"].get<std::string>();
  if (call.contains("id")) out.id = std::move(call["id"]);
  out.params = call.contains("params") ? std::move(call["params"]) : Json::object();
  return out;
}

}  // namespace

Message decode(std::string_view text) {
  Json document = parse(text);
  Message message;
  message.batch = document.is_array();
  if (!message.batch) {
    message.calls.push_back(decode_call(document));
    return message;
  }
  if (document.empty()) throw Fault(kInvalidRequest, "the batch is empty");
  for (Json& call : document) message.calls.push_back(decode_call(call));
  return message;
}

std::string encode_result(const Json& id, const Json& result) {
  return dump({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

std::string encode_fault(const Json& id, const Fault& fault) {
  Json error = {{"code", fault.code}, {"message", fault.message}};
  if (!fault.data.is_null()) error["data"] = fault.data;
  return dump({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}});
}

std::string encode(const Json& id, const Outcome& outcome) {
  if (const Fault* fault = std::get_if<Fault>(&outcome)) return encode_fault(id, *fault);
  if (const Json* result = std::get_if<Json>(&outcome)) return encode_result(id, *result);
  return R"({"id":)" + to_text(id) + R"(,"jsonrpc":"2.0","result":)" + std::get<Text>(outcome).json + "}";
}

std::string to_text(const Json& value) { return dump(value); }

}  // namespace control::rpc

// libFuzzer target. Input: a line of the control socket.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "config/notation/strict_json.h"
#include "control/rpc/codec.h"

namespace {

using control::rpc::Json;

void expect(bool held, const char* rule) {
  if (held) return;
  std::fprintf(stderr, "decode: %s\n", rule);
  std::abort();
}

// The library's own parser decides whether a text is JSON, and on its value.
void check_document(std::string_view text) {
  auto parsed = config::parse_json(text);
  const auto* fault = std::get_if<config::JsonFault>(&parsed);
  if (fault == nullptr) {
    expect(std::get<Json>(parsed) == Json::parse(text), "another document than the library reads");
  } else {
    expect(fault->text.size() < 4096, "a fault that is not short");
    expect((fault->kind != config::JsonFault::Kind::syntax) || !Json::accept(text),
           "JSON that is refused as none");
  }
}

void check_answers(const control::rpc::Message& message) {
  for (const auto& item : message.calls) {
    std::string answer;
    if (const auto* call = std::get_if<control::rpc::Call>(&item)) {
      expect(call->params.is_structured(), "parameters that are neither list nor object");
      answer = control::rpc::encode_result(call->id.value_or(nullptr), call->params);
    } else {
      const auto& bad = std::get<control::rpc::BadCall>(item);
      answer = control::rpc::encode_fault(bad.id, bad.fault);
    }
    expect(answer.find('\n') == std::string::npos && Json::accept(answer),
           "an answer that is not one line of JSON");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_document(text);
  try {
    check_answers(control::rpc::decode(text));
  } catch (const control::rpc::Fault& fault) {
    expect(!fault.message.empty(), "a refusal without a reason");
  }
  return 0;
}

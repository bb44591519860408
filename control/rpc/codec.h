// JSON-RPC 2.0 on the wire: text to calls, outcomes to text. Pure; knows no method.
#pragma once
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

namespace control::rpc {

using Json = nlohmann::json;

enum Code : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kTooManyConnections = -32000,
  kNoSuchBearer = -32001,
  kTableFull = -32002,
  kMailboxTimeout = -32003,
  kOutOfMemory = -32004,
  kReadOnly = -32005,
  kCellFull = -32006,
  kCellUsed = -32007,
  kDraining = -32008,
  kUnconfirmed = -32009,
  kNotSaved = -32010,
};

// The reason why a call was refused; thrown by the code that finds it.
struct Fault : std::exception {
  Fault(int c, std::string text, Json more = nullptr)
      : code(c), message(std::move(text)), data(std::move(more)) {}
  const char* what() const noexcept override { return message.c_str(); }

  int code;
  std::string message;
  Json data;  // null: none
};

// A result that is JSON text already, made piece by piece.
struct Text {
  std::string json;
};

using Outcome = std::variant<Json, Fault, Text>;
using Done = std::function<void(Outcome)>;

struct Call {
  std::optional<Json> id;  // none: a notification, which is never answered
  std::string method;
  Json params;  // object; empty when there were none
};

// An element that is no valid call; `id` is null unless it could be read.
struct BadCall {
  Json id;
  Fault fault;
};

struct Message {
  bool batch = false;
  std::vector<std::variant<Call, BadCall>> calls;
};

inline constexpr std::size_t kMaxBatch = 1000;
inline constexpr std::size_t kMaxDepth = 32;
// JSON values in one request: 10,000 bearers with both legs written out have as many.
inline constexpr std::size_t kMaxValues = std::size_t{1} << 18;

// Throws Fault when the text is no message at all (its answer has the id null).
Message decode(std::string_view text);

std::string encode_result(const Json& id, const Json& result);
std::string encode_fault(const Json& id, const Fault& fault);
std::string encode(const Json& id, const Outcome& outcome);
// Prints one line; bytes that are no UTF-8 are replaced.
std::string to_text(const Json& value);

}  // namespace control::rpc

// A call's parameters, read by name with strict types. A parameter that is missing, has another type or is in
// no row causes a Fault.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/networks.h"
#include "control/rpc/codec.h"
#include "control/rpc/rows.h"
#include "dataplane/base/address.h"
#include "dataplane/base/ids.h"

namespace control::rpc {

class Params {
 public:
  // Checks that each row that has to be given is there, and nothing that no row names: else it throws a
  // Fault. Requires: `json` and `rows` outlive this. `where` names the object in messages ("bearers[3]"),
  // empty for the call itself.
  Params(const Json& json, Rows rows, std::string where = {});

  bool has(std::string_view name) const { return json_.contains(name); }
  const Json* find(std::string_view name) const;
  const Json& need(std::string_view name) const;

  std::optional<std::string> text(std::string_view name) const;
  std::string need_text(std::string_view name) const;
  // The given number, or the usual one, or 0 if there is none. Requires: its row has integers.
  std::uint64_t number(std::string_view name) const;
  bool flag(std::string_view name) const;  // false when it is not given
  // Null when it is not given.
  const Json* array(std::string_view name) const;
  const Json* object(std::string_view name) const;

  // The bearer of the UE of that name: the dedicated one that "qfi" or "teid" names, where they are rows, or
  // the default one.
  dp::UeAddress need_ue(std::string_view name, const config::Networks& networks) const;
  // A number or text such as "0x21".
  std::optional<std::uint32_t> teid(std::string_view name) const;

  // Throws the Fault of a parameter that is of the right type but has an impossible value.
  [[noreturn]] void refuse(std::string_view name, const std::string& why) const;
  std::string path(std::string_view name) const;

 private:
  const Json* typed(std::string_view name, Json::value_t type, const char* expected) const;

  const Row* row(std::string_view name) const;

  const Json& json_;
  Rows rows_;
  std::string where_;
};

// Reads "10.45.0.2", or in one of these networks "10.45.0.2@NAME"; of a dedicated bearer "10.45.0.2 qfi 1" or
// "10.45.0.2 teid 0x21".
dp::UeAddress to_ue(const Json& value, const std::string& path, const config::Networks& networks);
// Reads an item of a list of bearers: one of these texts, or {"ue", "qfi"?, "teid"?}.
dp::UeAddress listed_ue(const Json& value, const std::string& path, const config::Networks& networks);

// Adds the name of a bearer: its UE by that key, and "qfi" or "teid" for a dedicated bearer.
void add_name(Json& json, const char* key, const dp::UeAddress& bearer, const config::Networks& networks);

}  // namespace control::rpc

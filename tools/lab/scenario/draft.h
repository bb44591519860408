// A scenario while it is read. The tables in load*.cc fill it in the order of their rows, so that a flow
// finds the servers and bearers that it names. Lives for one load.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/model.h"
#include "config/notation/table.h"
#include "config/notation/words.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

// The index for names that were not found.
inline constexpr std::size_t kNowhere = ~std::size_t{0};

struct Draft {
  config::Config network;  // classes and bearers
  Scenario scenario;
};

// The index of the node's text among `names`, the items of `section`; none after a reported error.
std::optional<std::size_t> find_named(config::Reader& reader, const config::Node& node,
                                      const std::vector<std::string>& names, std::string_view thing,
                                      std::string_view section);
// The index of the bearer of the node's UE; none after a reported error.
std::optional<std::size_t> find_bearer(config::Reader& reader, const config::Node& node,
                                       const config::Config& network);

struct WiresKind {
  std::string type() const { return "map"; }
  std::string values() const { return "name of the wire to its settings"; }
  void load(config::Reader& reader, const config::Node& node, Draft& into) const;
  config::Json print(const Draft&) const { return config::Json::object(); }
  void list(std::vector<config::HelpRow>& out, const std::string& path, const Draft&) const;
};

struct RadioKind {
  std::string type() const { return "map"; }
  std::string values() const { return "name of the class to its wires"; }
  void load(config::Reader& reader, const config::Node& node, Draft& into) const;
  config::Json print(const Draft&) const { return config::Json::object(); }
  void list(std::vector<config::HelpRow>& out, const std::string& path, const Draft&) const;
};

struct ServersKind {
  std::string type() const { return "map"; }
  std::string values() const { return "name of the server to its address and wire"; }
  void load(config::Reader& reader, const config::Node& node, Draft& into) const;
  config::Json print(const Draft&) const { return config::Json::object(); }
  void list(std::vector<config::HelpRow>& out, const std::string& path, const Draft&) const;
};

struct FlowsKind {
  std::string type() const { return "list"; }
  std::string values() const { return "a list such as [{server: NAME, ue: 10.45.0.2}]"; }
  void load(config::Reader& reader, const config::Node& node, Draft& into) const;
  config::Json print(const Draft&) const { return config::Json::object(); }
  void list(std::vector<config::HelpRow>& out, const std::string& path, const Draft&) const;
};

struct TunnelsKind {
  std::string type() const { return "map"; }
  std::string values() const { return "none, or a map such as {} or {qfi: 9}"; }
  void load(config::Reader& reader, const config::Node& node, std::optional<TunnelSettings>& into) const;
  config::Json print(const std::optional<TunnelSettings>&) const { return "none"; }
  void list(std::vector<config::HelpRow>& out, const std::string& path,
            const std::optional<TunnelSettings>&) const;
};

// Each change is relative to the bearer's settings at that time.
struct ChangesKind {
  std::string type() const { return "list"; }
  std::string values() const { return "a list such as [{at: 50s, ue: 10.45.0.2, downlink: {rate: 128k}}]"; }
  void load(config::Reader& reader, const config::Node& node, Draft& into) const;
  config::Json print(const Draft&) const { return config::Json::object(); }
  void list(std::vector<config::HelpRow>& out, const std::string& path, const Draft&) const;
};

// `word` is a std::optional without value.
template <class Kind>
struct OrWord {
  Kind kind;
  std::string_view word = "unlimited";

  std::string type() const { return kind.type(); }
  std::string values() const { return std::string(word) + ", or " + kind.values(); }
  template <class T>
  config::Json print(const std::optional<T>& value) const {
    return value ? kind.print(*value) : config::Json(word);
  }
  auto parse(const config::Node& node, bool strict) const {
    using Result = dp::Result<std::optional<std::decay_t<decltype(*kind.parse(node, strict))>>>;
    if (config::is_text(node, strict) && node.text() == word) return Result(std::nullopt);
    auto value = kind.parse(node, strict);
    return value ? Result(std::optional(*value))
                 : Result(dp::Error{std::string(word) + ", or " + value.error().message});
  }
};

}  // namespace lab

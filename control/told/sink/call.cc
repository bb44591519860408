#include "control/told/sink/call.h"

#include <algorithm>
#include <charconv>

#include "control/rpc/codec.h"

namespace control::told {
namespace {

constexpr std::size_t kMostReason = 300;  // octets of a reason that is kept

// The value at a path such as "downlink.rate"; null if there is none.
const Json* value_at(const Json& entry, std::string_view path) {
  const Json* at = &entry;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    if (!at->is_object()) return nullptr;
    const auto member = at->find(path.substr(0, end));
    if (member == at->end()) return nullptr;
    at = &*member;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return at;
}

}  // namespace

std::optional<RefusedEntry> refused_entry(const RncdRefusal& refusal, std::string_view list) {
  std::string_view rest = refusal.message;
  if (rest.starts_with("params.")) rest.remove_prefix(7);
  if (!rest.starts_with(list) || !rest.substr(list.size()).starts_with('[')) return std::nullopt;
  rest.remove_prefix(list.size() + 1);
  RefusedEntry entry;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), entry.index);
  if (code != std::errc{} || end == rest.data() + rest.size() || *end != ']') return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
  const std::size_t colon = rest.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  entry.path = rest.substr(0, colon);
  if (entry.path.starts_with('.')) entry.path.erase(0, 1);
  entry.why = entry.path.empty() ? rest.substr(colon + 2) : rest.substr(rest.starts_with('.') ? 1 : 0);
  entry.why.resize(std::min(entry.why.size(), kMostReason));
  return entry;
}

bool comes_too_late(const RncdRefusal& refusal) {
  return refusal.message.find("generation") != std::string::npos;
}

bool lacks_room(const RncdRefusal& refusal) {
  constexpr int kCodes[] = {rpc::kTableFull, rpc::kOutOfMemory, rpc::kCellFull, rpc::kNoSuchBearer};
  return std::ranges::find(kCodes, refusal.code) != std::end(kCodes);
}

bool shares_fault(const Json& bad, const Json& other, std::string_view path) {
  if (path.empty()) return false;
  const Json *const first = value_at(bad, path), *const second = value_at(other, path);
  if (first == nullptr || second == nullptr) return false;
  return first->is_object() ? second->is_object() : *first == *second;
}

}  // namespace control::told

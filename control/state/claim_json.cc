#include "control/state/claim_json.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

namespace control {
namespace {

using Json = nlohmann::json;
using Seconds = std::chrono::duration<double>;

// In the order of Keeper.
constexpr std::array<std::string_view, 4> kKeeperNames{"none", "program", "by_hand", "nobody"};
constexpr double kMostSeconds = 366 * 86400;

}  // namespace

std::string claim_text(const Claim& claim, Claim::Clock::time_point now) {
  Json json{{"keeper", kKeeperNames[static_cast<std::size_t>(claim.keeper)]}, {"made", claim.made}};
  if (claim.keeper == Keeper::program)
    json.update({{"owner", claim.owner}, {"generation", claim.generation}});
  if (claim.until != Claim::kNever) json["seconds"] = std::max(Seconds(claim.until - now).count(), 0.0);
  return json.dump();
}

dp::Result<Claim> read_claim(const Json& json, Claim::Clock::time_point now) {
  const auto refused = [&json] { return dp::Error{"the claim " + json.dump()}; };
  if (!json.is_object() || !json.contains("keeper") || !json["keeper"].is_string()) return refused();
  const auto keeper = std::ranges::find(kKeeperNames, json["keeper"].get_ref<const std::string&>());
  if (keeper == kKeeperNames.end() || keeper == kKeeperNames.begin()) return refused();
  Claim claim{.keeper = static_cast<Keeper>(keeper - kKeeperNames.begin())};
  if (const auto made = json.find("made"); made != json.end()) {
    if (!made->is_boolean()) return refused();
    claim.made = made->get<bool>();
  }
  if (const auto seconds = json.find("seconds"); seconds != json.end()) {
    if (!seconds->is_number() || *seconds < 0.0 || *seconds > kMostSeconds) return refused();
    claim.until = now + std::chrono::duration_cast<Claim::Clock::duration>(Seconds(seconds->get<double>()));
  }
  if (claim.keeper != Keeper::program) return claim;
  const auto owner = json.find("owner"), generation = json.find("generation");
  if (owner == json.end() || !owner->is_string() || generation == json.end() ||
      !generation->is_number_unsigned())
    return refused();
  claim.owner = owner->get<std::string>();
  claim.generation = generation->get<std::uint64_t>();
  return claim;
}

}  // namespace control

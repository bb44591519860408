#include <algorithm>

#include <fmt/core.h>

#include "config/json.h"
#include "config/notation/words.h"
#include "config/profile_rate.h"
#include "control/rpc/answer.h"
#include "control/rpc/bearer_json.h"
#include "control/rpc/methods.h"
#include "control/rpc/params.h"

namespace control::rpc {
namespace {

Json profile_json(const dp::AqmProfile& profile, std::optional<std::uint64_t> rate) {
  Json json = config::print_profile(profile);
  json["policy"] = dp::AqmList::kNames[profile.policy];
  json["name"] = profile.name;
  if (!rate) return json;
  json["rate"] = *rate;
  json["values"] = Json(config::print_profile_keys(profile, config::at_rate(profile, *rate)));
  return json;
}

bool hidden(const config::Profiles& own, const dp::AqmProfileRef& profile) {
  return config::find_profile(own, profile->policy, profile->name).ptr != profile.ptr;
}

// The names of a policy's profiles, for a caller that took the policy's name for a profile's.
std::string profiles_of(std::string_view policy, const config::Profiles& own) {
  std::vector<std::string_view> names;
  for (const config::Profiles* profiles : {&config::built_in_profiles(), &own}) {
    for (const dp::AqmProfileRef& p : *profiles) {
      if (policy == dp::AqmList::kNames[p->policy] && !hidden(own, p)) names.push_back(p->name);
    }
  }
  const std::string is_policy = "; " + std::string(policy) + " is a policy";
  return is_policy +
         (names.empty() ? " that has no profiles" : ", whose profiles are " + config::one_of(names));
}

}  // namespace

void profile_get(const Request& request) {
  const Params params(request.params, kProfileGet);
  const config::Profiles& own = request.services.plane.config().profiles;
  const auto policy = params.text("policy"), name = params.text("name");
  std::optional<std::uint64_t> rate;
  if (params.has("rate")) {
    const auto read = config::read_rate(params.need("rate"), "rate");
    if (!read) throw Fault(kInvalidParams, config::to_string(read.problems.front()));
    rate = *read;
  }
  Json found = Json::array();
  std::vector<std::string_view> names;
  for (const config::Profiles* profiles : {&config::built_in_profiles(), &own}) {
    for (const dp::AqmProfileRef& p : *profiles) {
      if (hidden(own, p) || (policy && *policy != dp::AqmList::kNames[p->policy])) continue;
      names.push_back(p->name);
      if (!name || *name == p->name) found.push_back(profile_json(*p, rate));
    }
  }
  if (policy && dp::AqmList::index_of(*policy) == dp::AqmList::kSize) {
    params.refuse("policy", fmt::format("no policy \"{}\"{}", config::shorten(*policy),
                                        config::did_you_mean(*policy, dp::AqmList::kNames)));
  }
  if (name && found.empty()) {
    const bool is_policy = dp::AqmList::index_of(*name) != dp::AqmList::kSize;
    params.refuse("name",
                  fmt::format("no profile \"{}\"{}", config::shorten(*name),
                              (is_policy ? profiles_of(*name, own) : config::did_you_mean(*name, names))));
  }
  Json json = list_json(std::move(found));
  json["rule"] = config::kProfileRule;
  request.done(std::move(json));
}

}  // namespace control::rpc

// The list of bearers.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "control/rpc/answer.h"
#include "control/rpc/bearer_json.h"
#include "control/rpc/bearer_params.h"
#include "control/rpc/methods.h"
#include "control/rpc/methods/keeping.h"

namespace control::rpc {
namespace {

struct ListQuery {
  std::optional<dp::ClassId> cls{};
  std::optional<dp::UeAddress> after{};
  std::optional<std::string> owner{};
  Members members = Members::all();
  std::uint64_t limit = 0;
  std::size_t room = 0;
};

bool is_wanted(const dp::UeAddress& ue, const Record& record, const DataPlane& plane,
               const ListQuery& query) {
  if (query.cls && record.settings->cls != *query.cls) return false;
  return !query.owner || owner_of(plane.registry(), ue, record) == query.owner;
}

// Bearers come and go between two slices, so the walk resumes in the registry by address.
Slices list(const DataPlane& plane, ListQuery query, Done done) {
  const BearerRegistry::Map& all = plane.registry().all();
  std::string text;
  std::optional<dp::UeAddress> last;
  bool more = false;
  std::uint64_t listed = 0;
  auto at = query.after ? plane.registry().after(*query.after) : all.begin();
  while (at != all.end()) {
    const dp::UeAddress ue = at->first;
    if (is_wanted(ue, at->second, plane, query)) {
      more = listed == query.limit;
      if (more) break;
      text +=
          (listed++ == 0 ? "" : ",") + to_text(to_json(ue, at->second, plane, Detail::brief, query.members));
      if (text.size() > query.room) break;  // it will be refused as it is: no more is computed
      last = ue;
    }
    co_await Slices::Pause{};
    at = plane.registry().after(ue);
  }
  const std::string next = more ? '"' + plane.registry().text_of(*last) + '"' : "null";
  done(list_text(text, next));
}

}  // namespace

void bearer_list(const Request& request) {
  const Params params(request.params, kBearerList);
  const DataPlane& plane = request.services.plane;
  ListQuery query;
  query.limit = params.number("limit");
  if (const auto name = params.text("class")) {
    query.cls = class_named(*name, "class", plane.config().classes);
  }
  if (params.has("cursor")) query.after = params.need_ue("cursor", plane.config().networks);
  query.owner = owner_in(params);
  if (const Json* members = params.array("members"))
    query.members = Members::read(*members, params.path("members"));
  query.room = request.room;
  request.rest = list(plane, query, request.done);
}

}  // namespace control::rpc

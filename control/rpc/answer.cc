#include "control/rpc/answer.h"

#include <fmt/core.h>

#include "dataplane/base/expect.h"

namespace control::rpc {
namespace {

Code code_of(Refusal::Why why) {
  switch (why) {
    case Refusal::Why::no_bearer:
      return kNoSuchBearer;
    case Refusal::Why::no_worker:
    case Refusal::Why::no_cell:
    case Refusal::Why::bad_cell:
    case Refusal::Why::bad_bearer:
    case Refusal::Why::no_proxy:
      return kInvalidParams;
    case Refusal::Why::cell_full:
      return kCellFull;
    case Refusal::Why::cell_used:
      return kCellUsed;
    case Refusal::Why::draining:
      return kDraining;
    case Refusal::Why::unconfirmed:
      return kUnconfirmed;
    case Refusal::Why::table_full:
      return kTableFull;
    case Refusal::Why::no_memory:
      return kOutOfMemory;
    case Refusal::Why::no_answer:
      return kMailboxTimeout;
    case Refusal::Why::abandoned:
      return kInternalError;
  }
  return kInternalError;
}

}  // namespace

Json list_json(Json items, Json next) { return {{"items", std::move(items)}, {"next", std::move(next)}}; }

Text list_text(std::string_view items, std::string_view next, std::string_view beside) {
  return {fmt::format(R"({{"items":[{}],"next":{}{}}})", items, next, beside)};
}

Fault fault_of(const std::exception_ptr& why) {
  DP_EXPECT(why != nullptr);
  DP_EXPECT(why != nullptr);
  try {
    std::rethrow_exception(why);
  } catch (const Fault& fault) {
    return fault;
  } catch (const Refusal& refusal) {
    return {code_of(refusal.why), refusal.what()};
  } catch (const std::exception& e) {
    return {kInternalError, e.what()};
  }
}

}  // namespace control::rpc

// Captures of frames, for the connection that has begun them.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "config/networks.h"
#include "control/capture/base64.h"
#include "control/rpc/audit.h"
#include "control/rpc/params.h"

namespace control::rpc {
namespace {

template <class F>
auto as_fault(F&& f) {
  try {
    return f();
  } catch (const CaptureRefused& refused) {
    throw Fault(kInvalidRequest, refused.what());
  }
}

std::uint32_t number_in(const Params& params, const Json& value, std::size_t most) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    params.refuse("filter",
                  "expected instructions [code, jt, jf, k] of whole numbers, as tcpdump -dd prints");
  }
  return value.get<std::uint32_t>();
}

PacketFilter filter_in(const Params& params) {
  const Json* const list = params.array("filter");
  if (list == nullptr) return {};
  std::vector<PacketFilter::Instruction> program;
  for (const Json& one : *list) {
    if (!one.is_array() || one.size() != 4) number_in(params, Json(), 0);
    program.push_back({static_cast<std::uint16_t>(number_in(params, one[0], 0xffff)),
                       static_cast<std::uint8_t>(number_in(params, one[1], 0xff)),
                       static_cast<std::uint8_t>(number_in(params, one[2], 0xff)),
                       number_in(params, one[3], 0xffff'ffff)});
  }
  auto filter = PacketFilter::of(std::move(program));
  if (!filter) params.refuse("filter", filter.error().message);
  return std::move(*filter);
}

const dp::Cell* cell_in(const Params& params, const DataPlane& plane) {
  const std::string name = params.need_text("cell");
  const CellRecord* const record = plane.cells().records().find(name);
  if (record == nullptr) params.refuse("cell", fmt::format("there is no cell \"{}\"", name));
  return record->cell.get();
}

// The frames that are wanted, and their name for the log.
void read_subject(const Params& params, const DataPlane& plane, CaptureWish& wish) {
  using Of = dp::TapFilter::Of;
  if (params.has("ue")) {
    wish.what.of = Of::ue;
    wish.what.ue = params.need_ue("ue", plane.config().networks);
    wish.name = config::text_of(wish.what.ue, plane.config().networks);
  } else if (params.has("port")) {
    wish.what.of = Of::port;
    wish.name = "port " + params.need_text("port");
    const auto side =
        std::ranges::find(dp::kSides, params.need_text("port"), [](dp::Side s) { return name(s); });
    if (side == dp::kSides.end()) params.refuse("port", "expected core or radio");
    wish.what.port = *side;
  } else if (params.has("cell")) {
    wish.what.of = Of::cell;
    wish.what.cell = cell_in(params, plane);
    wish.name = "cell " + params.need_text("cell");
  } else {
    if (!params.flag("drops")) params.refuse("drops", "expected true, or another subject in its place");
    wish.what.of = Of::drops;
    wish.name = "drops";
  }
}

CaptureWish wish_in(const Params& params, const Request& request) {
  CaptureWish wish;
  read_subject(params, request.services.plane, wish);
  wish.what.snaplen = static_cast<std::uint32_t>(params.number("snaplen"));
  wish.time = std::chrono::seconds(params.number("seconds"));
  wish.frames = params.number("frames");
  wish.filter = filter_in(params);
  wish.pid = request.peer.pid;
  wish.uid = request.peer.uid;
  wish.owner = request.peer.connection;
  return wish;
}

std::string subject_of(const Json& params) {
  for (const char* const name : {"ue", "port", "cell"}) {
    if (params.is_object() && params.contains(name)) return named_in(params, name, "", "");
  }
  return "drops";
}

}  // namespace

void capture_start(const Request& request) {
  audited(request, "capture.start", subject_of(request.params), [&](const Done& done) {
    const Params params(request.params, kCaptureStart);
    CaptureWish wish = wish_in(params, request);
    DataPlane& plane = request.services.plane;
    Json answer{{"snaplen", wish.what.snaplen}};
    if (wish.what.of == dp::TapFilter::Of::ue)
      answer["bearer"] = plane.registry().find(wish.what.ue) != nullptr;
    as_fault([&] {
      plane.captures().begin(std::move(wish), [done, answer = std::move(answer)](std::uint64_t id) {
        Json begun = answer;
        begun["id"] = id;
        done(std::move(begun));
      });
    });
  });
}

void capture_read(const Request& request) {
  const Params params(request.params, kOneCapture);
  const auto piece = as_fault(
      [&] { return request.services.plane.captures().read(params.number("id"), request.peer.connection); });
  request.done(Text{fmt::format(R"({{"pcapng":"{}","frames":{},"lost":{},"ended":{},"why":{}}})",
                                base64(piece.bytes), piece.frames, piece.lost, piece.ended,
                                piece.why.empty() ? "null" : to_text(Json(piece.why)))});
}

void capture_stop(const Request& request) {
  const Params params(request.params, kOneCapture);
  as_fault([&] { request.services.plane.captures().stop(params.number("id"), request.peer.connection); });
  request.done(Json::object());
}

}  // namespace control::rpc

#include "control/rpc/config_text.h"

#include <exception>
#include <utility>

#include <fmt/core.h>

#include "control/loop/sha256.h"

namespace control::rpc {
namespace {

std::string joined(const Uploads::Pieces& pieces) {
  std::size_t bytes = 0;
  for (const std::string& piece : pieces) bytes += piece.size();
  std::string text;
  text.reserve(bytes);
  for (const std::string& piece : pieces) text += piece;
  return text;
}

}  // namespace

ConfigText::ConfigText(const Request& request, const Params& params) : request_(request) {
  if (params.has("config") == params.has("upload")) {
    throw Fault(kInvalidParams,
                "expected one of \"config\" and \"upload\": the text, or where it was sent to");
  }
  if (params.has("upload")) {
    long_ = true;
    pieces_ = request.services.uploads.take(params.number("upload"), request.peer.uid);
    return;
  }
  std::string text = params.need_text("config");
  if (text.size() > kMaxConfigBytes) {
    params.refuse("config",
                  fmt::format("has {} bytes, at most {} are taken in a request; send it in pieces with "
                              "config.upload, as rncctl does",
                              text.size(), kMaxConfigBytes));
  }
  pieces_ = std::make_shared<const Uploads::Pieces>(Uploads::Pieces{std::move(text)});
}

void ConfigText::submit(const std::function<void(const std::string& text)>& work, std::function<void()> then,
                        Done done) const {
  const auto fault = std::make_shared<std::optional<Fault>>();
  const auto guarded = [pieces = pieces_, work, fault] {
    try {
      work(joined(*pieces));
    } catch (const Fault& refused) {
      *fault = refused;
    } catch (const std::bad_alloc&) {
      *fault = Fault(kOutOfMemory, "found too little memory to read the configuration");
    } catch (const std::exception& e) {
      *fault = Fault(kInternalError, std::string("internal error: ") + e.what());
    }
  };
  const auto end = [fault, then = std::move(then), done = std::move(done)] {
    if (*fault) return done(**fault);
    then();
  };
  Background* const thread = long_ ? request_.services.beside_long : request_.services.beside;
  if (thread != nullptr) return thread->submit(request_.client, guarded, end);
  guarded();
  end();
}

void load_beside(const Request& request, const Params& params, std::function<void(LoadedText&)> work,
                 std::function<void()> then, const Done& done) {
  const auto load = [work = std::move(work), overrides = request.services.overrides,
                     folder = request.services.plane.config().control.traces](const std::string& text) {
    LoadedText loaded;
    loaded.sha256 = sha256(text);
    config::TraceFolder traces(folder);
    loaded.config = config::load_text(text, "config", overrides, &traces);
    work(loaded);
  };
  ConfigText(request, params).submit(load, std::move(then), done);
}

void need_good(const LoadedText& text) {
  if (text.config) return;
  Json all = Json::array();
  for (const config::Problem& problem : text.config.problems) all.push_back(config::to_string(problem));
  throw Fault(kInvalidParams, all.front().get<std::string>(),
              Json{{"problems", all}, {"sha256", text.sha256}});
}

}  // namespace control::rpc

#include <memory>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "control/host/successor.h"
#include "control/rpc/answer.h"
#include "control/rpc/audit.h"
#include "control/rpc/config_text.h"
#include "control/rpc/params.h"
#include "control/state/commit.h"
#include "control/state/state_keeper.h"

namespace control::rpc {
namespace {

// The service, or a Fault: only a complete rncd has it.
template <class T>
T& need(T* part, const char* what) {
  if (part == nullptr)
    throw Fault(kInvalidRequest, fmt::format("found no {} here, expected a whole rncd", what));
  return *part;
}

Json changed_json(const Commit::Outcome& outcome) {
  return {{"created", outcome.applied.created},
          {"changed", outcome.applied.changed},
          {"removed", outcome.applied.removed},
          {"unchanged", outcome.applied.unchanged},
          {"kept", outcome.kept}};
}

// Turns the end of a change into the outcome of the call; `more` are members of the result.
Commit::OnDone answer_changed(Done done, Json more) {
  const auto answer = [more = std::move(more)](const Commit::Outcome& outcome) {
    Json json = changed_json(outcome);
    json.update(more);
    return json;
  };
  return answer_with<Commit::Outcome>(std::move(done), answer);
}

// The client's name of the file, for the log.
std::string file_named(const Json& params) {
  constexpr std::size_t kLongest = 4096;  // PATH_MAX
  const bool named = params.is_object() && params.contains("file") && params["file"].is_string();
  return named ? params["file"].get<std::string>().substr(0, kLongest) : std::string();
}

// Refuses an upgrade during a trial: the change on trial would be permanent in the new program.
void refuse_upgrade(const Services& services) {
  if (services.successor->chosen()) throw Fault(kInvalidRequest, "an upgrade is under way");
  if (services.commit == nullptr || !services.commit->pending()) return;
  throw Fault(kUnconfirmed, "a change waits to be confirmed; confirm it or roll it back first");
}

}  // namespace

void state_save(const Request& request) {
  const Params params(request.params, kNothing);
  audited(request, "state.save", "", [&request](const Done& done) {
    need(request.services.keeper, "saved state").save([done](const dp::Result<Saved>& saved) {
      if (!saved) return done(Fault(kNotSaved, saved.error().message));
      done(Json{{"file", saved->file}, {"bytes", saved->bytes}});
    });
  });
}

void config_apply(const Request& request) {
  const std::string file = file_named(request.params);
  audited(request, "config.apply", file, [&request](const Done& done) {
    const Params params(request.params, kConfigApply);
    std::optional<std::chrono::seconds> within;
    if (params.has("confirm")) within = std::chrono::seconds(params.number("confirm"));
    Commit& commit = need(request.services.commit, "commit");
    const auto loaded = std::make_shared<LoadedText>();
    const auto keep = [loaded](LoadedText& text) {
      need_good(text);
      *loaded = std::move(text);
    };
    const auto then = [&commit, loaded, within, done] {
      try {
        const Json seconds = within ? Json(within->count()) : Json(nullptr);
        Json more{{"confirm_within", seconds}, {"sha256", loaded->sha256}};
        commit.apply(std::move(*loaded->config), within, answer_changed(done, std::move(more)));
      } catch (...) {
        done(fault_of(std::current_exception()));
      }
    };
    load_beside(request, params, keep, then, done);
  });
}

void config_confirm(const Request& request) {
  const Params params(request.params, kNothing);
  audited(request, "config.confirm", "", [&request](const Done& done) {
    try {
      need(request.services.commit, "commit").confirm();
      done(Json{{"confirmed", true}});
    } catch (const Refusal&) {
      done(fault_of(std::current_exception()));
    }
  });
}

void config_rollback(const Request& request) {
  const Params params(request.params, kNothing);
  audited(request, "config.rollback", "", [&request](const Done& done) {
    try {
      need(request.services.commit, "commit").roll_back(answer_changed(done, {{"rolled_back", true}}));
    } catch (const Refusal&) {
      done(fault_of(std::current_exception()));
    }
  });
}

// A client that may have rncd run a program could do anything with rncd's privileges.
void process_upgrade(const Request& request) {
  const Params params(request.params, kUpgrade);
  const std::string program = params.need_text("program");
  audited(request, "process.upgrade", program, [&request, &program](const Done& done) {
    Successor& successor = need(request.services.successor, "successor");
    if (request.peer.uid != 0 && request.peer.uid != ::geteuid()) {
      throw Fault(kInvalidRequest,
                  fmt::format("found the user {}, expected root or the user that rncd runs as ({})",
                              request.peer.uid, ::geteuid()));
    }
    refuse_upgrade(request.services);
    const auto named = std::make_shared<std::optional<dp::Result<std::string>>>();
    const auto check = [named, &successor, program] { *named = successor.check(program); };
    const auto then = [named, &successor, &services = request.services, program, done] {
      const dp::Result<std::string>& result = **named;
      if (!result) return done(Fault(kInvalidParams, result.error().message));
      try {
        refuse_upgrade(services);
      } catch (const Fault& fault) {
        return done(fault);
      }
      successor.choose(program);
      done(Json{{"program", program}, {"version", *result}, {"pid", ::getpid()}});
    };
    need(request.services.beside, "thread beside control").submit(request.client, check, then);
  });
}

}  // namespace control::rpc

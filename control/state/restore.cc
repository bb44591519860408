#include "control/state/restore.h"

#include <exception>
#include <utility>

#include "control/loop/log.h"
#include "control/state/state_text.h"

namespace control {
namespace {

std::string words_of(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const std::exception& e) {
    return e.what();
  }
}

void take_over(DataPlane& plane, const config::Config& file, std::function<void()> done) {
  const auto kept = [](const std::string& why) { log::warning(Event::reload_kept, {{"reason", why}}); };
  plane.reloader().reload(file, kept, [done = std::move(done)](const Ended<Applied>& ended) {
    if (ended.why != nullptr) log::error(Event::reload_failed, {{"error", words_of(ended.why)}});
    done();
  });
}

}  // namespace

void restore(DataPlane& plane, std::shared_ptr<const SavedState> saved, const config::Config& file,
             std::function<void()> done) {
  plane.reloader().set_file(saved->file);
  const auto unrestored = std::make_shared<Unrestored>();
  const bool file_changed = fingerprint(file) != saved->disk;
  const auto then = [&plane, saved, unrestored, file_changed, file,
                     done = std::move(done)](const Ended<Applied>& ended) {
    if (ended.why != nullptr) {
      log::error(Event::bearers_not_restored,
                 {{"bearers", saved->bearers.size()}, {"first", words_of(ended.why)}});
    } else if (unrestored->bearers != 0) {
      log::warning(Event::bearers_not_restored,
                   {{"bearers", unrestored->bearers}, {"first", unrestored->first}});
    }
    log::info(Event::state_restored, {{"bearers", plane.registry().size()},
                                      {"learnt", plane.registry().count(Origin::learnt)},
                                      {"file_changed", file_changed ? "yes" : "no"}});
    if (!file_changed) return done();
    take_over(plane, file, done);
  };
  const auto wish = [&plane, saved, unrestored](Wish& made) {
    return wish_again(saved->bearers, plane, made, *unrestored);
  };
  plane.bearers().restore(wish, then);
}

}  // namespace control

#include "control/state/commit.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "control/loop/log.h"

namespace control {
namespace {

[[noreturn]] void refuse_commit(const std::string& text) { throw Refusal(Refusal::Why::unconfirmed, text); }

}  // namespace

void Commit::apply(config::Config file, std::optional<std::chrono::seconds> within, OnDone done) {
  if (pending()) {
    const auto seconds = left(Clock::now());
    refuse_commit(
        seconds ? fmt::format("a change waits to be confirmed, {} s from now at the latest; confirm it or "
                              "roll it back first",
                              seconds->count())
                : std::string("another change is being made; try again when it is done"));
  }
  before_.emplace(plane_.config(), plane_.reloader().file(), std::vector<Noted>());
  stage_ = Stage::noting;
  wanted_ = std::move(file);
  within_ = within;
  done_ = std::move(done);
  if (!within_) return begin();
  keeper_.pause(true);
  noting_ = note(plane_, before_->bearers);
}

// Bearers may be learnt between two slices, so the walk resumes in the registry by address.
Slices Commit::note(const DataPlane& plane, std::vector<Noted>& out) {
  for (auto at = plane.registry().all().begin(); at != plane.registry().all().end();) {
    const dp::UeAddress ue = at->first;
    const Record& record = at->second;
    const bool own = record.settings != plane.bearers().settings_of(record.settings->cls);
    if (own || record.origin != Origin::file || record.cell != nullptr || record.downlink_teid != 0) {
      const std::string cell = record.cell == nullptr ? std::string() : record.cell->name;
      out.push_back({ue, record.settings, record.origin, cell, record.downlink_teid});
    }
    co_await Slices::Pause{};
    at = plane.registry().after(ue);
  }
}

void Commit::poll(Clock::time_point until) {
  if (!noting_ || noting_.proceed(until) != Progress::done) return;
  noting_ = Slices();
  begin();
}

void Commit::begin() {
  stage_ = Stage::applying;
  reload(wanted_, Against::file, [this](Ended<Outcome> ended) { on_applied(std::move(ended)); });
}

// Refused changes are kept for the answer.
void Commit::reload(const config::Config& file, Against against, OnDone done) {
  const auto outcome = std::make_shared<Outcome>();
  const auto refused = [outcome](const std::string& why) { outcome->kept.push_back(why); };
  const auto over = [this, outcome, done = std::move(done)](Ended<Applied> ended) {
    if (ended.why != nullptr) return done({std::nullopt, ended.why});
    outcome->applied = std::move(*ended.done);
    changed_();
    done({std::move(*outcome), nullptr});
  };
  plane_.reloader().reload(file, refused, over, against);
}

void Commit::on_applied(Ended<Outcome> ended) {
  const bool waits = ended.why == nullptr && within_;
  if (waits) {
    stage_ = Stage::waiting;
    deadline_ = Clock::now() + *within_;
  } else {
    forget();
  }
  std::exchange(done_, nullptr)(std::move(ended));
}

void Commit::forget() {
  before_.reset();
  keeper_.pause(false);
}

void Commit::need_waiting() const {
  if (!pending()) refuse_commit("no change waits to be confirmed");
  if (stage_ != Stage::waiting)
    refuse_commit("the change is being made, or taken back; try again when that is done");
}

void Commit::confirm() {
  need_waiting();
  log::info(Event::change_confirmed);
  forget();
}

// Omits learnt bearers that have aged out meanwhile, and those whose cell no longer exists.
Slices Commit::wish(Wish& wish) const {
  for (const Noted& noted : before_->bearers) {
    const bool gone = noted.origin == Origin::learnt && plane_.registry().find(noted.ue) == nullptr;
    CellRecord* const cell = noted.cell.empty() ? nullptr : plane_.cells().records().find(noted.cell);
    if (!gone && fits(*noted.settings, cell))
      wish.set.push_back({noted.ue, noted.settings, noted.origin, cell, noted.downlink_teid});
    co_await Slices::Pause{};
  }
}

bool Commit::noted(const dp::UeAddress& ue) const {
  return std::ranges::binary_search(before_->bearers, ue, {}, &Noted::ue);
}

// The wish from before the change. Bearers that are new since, or had their class's settings, lose settings
// made over the socket.
Slices Commit::wish_back(Wish& made) const {
  Slices before = wish(made);
  co_await before;
  const BearerRegistry& registry = plane_.registry();
  for (auto at = registry.all().begin(); at != registry.all().end();) {
    const dp::UeAddress ue = at->first;
    const Record& record = at->second;
    const SharedSettings& cls = plane_.bearers().settings_of(record.settings->cls);
    if (noted(ue)) {
      // It is in the wish already.
    } else if (record.origin == Origin::socket) {
      made.remove.push_back(ue);
    } else if (record.settings != cls && fits(*cls, record.cell)) {
      made.set.push_back({ue, cls, record.origin, record.cell});
    }
    co_await Slices::Pause{};
    at = registry.after(ue);
  }
}

void Commit::restore_bearers() {
  plane_.bearers().restore([this](Wish& made) { return wish(made); },
                           [](const Ended<Applied>& ended) {
                             if (ended.why != nullptr) log::warning(Event::bearers_not_restored);
                           });
}

// Bearers that the change moved from the socket to the file become the socket's again before the file's
// bearers are removed. Bearers' own settings are restored last, since a class that goes back also changes
// bearers with settings equal to its own.
void Commit::roll_back(OnDone done) {
  need_waiting();
  stage_ = Stage::rolling_back;
  restore_bearers();
  reload(before_->running, Against::running, [this, done = std::move(done)](Ended<Outcome> ended) {
    const bool well = ended.why == nullptr;
    if (well) plane_.reloader().set_file(before_->file);
    const auto over = [this, well, done, ended = std::move(ended)](const Ended<Applied>&) {
      log::write(well ? log::Level::warning : log::Level::error, Event::change_rolled_back,
                 {{"done", well ? "yes" : "no"}});
      forget();
      done(ended);
    };
    plane_.bearers().restore([this](Wish& made) { return wish_back(made); }, over);
  });
}

std::optional<std::chrono::seconds> Commit::left(Clock::time_point now) const {
  if (!pending() || stage_ != Stage::waiting) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(std::max(deadline_ - now, Clock::duration::zero()));
}

void Commit::tick(Clock::time_point now) {
  if (!pending() || stage_ != Stage::waiting || now < deadline_) return;
  log::warning(Event::change_not_confirmed, {{"seconds", within_->count()}});
  roll_back([](const Ended<Outcome>&) {});
}

}  // namespace control

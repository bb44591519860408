// Families about rncd's own tasks (start, reload, save), under the names that Prometheus gives its own.
#include <chrono>

#include "control/metrics/metric_groups.h"

namespace control {
namespace {

double seconds(LastOutcome::Moment moment) {
  return std::chrono::duration<double>(moment.time_since_epoch()).count();
}

void add_outcome(Families& out, const LastOutcome& last, const char* name, const char* what) {
  const std::string family = std::string("rncd_") + name;
  Family::gauge(family + "_successful",
                std::string("1 when the last ") + what + " was done, 0 when it was refused or failed.")
      .add({}, last.good ? 1.0 : 0.0)
      .into(out);
  Family::gauge(family + "_timestamp_seconds",
                std::string("When a ") + what + " was done last, in Unix time.")
      .add({}, last.succeeded ? seconds(*last.succeeded) : 0.0)
      .into(out);
}

}  // namespace

void add_life_metrics(Families& out, const View& view) {
  const LifeView& life = view.life;
  Family::gauge("process_start_time_seconds", "When rncd started, an upgrade included, in Unix time.")
      .add({}, seconds(life.started))
      .into(out);
  add_outcome(out, life.reload, "config_last_reload", "reload of the configuration");
  if (life.save) add_outcome(out, *life.save, "state_last_save", "saving of the state");
  Family::gauge("rncd_config_on_trial", "1 while a change of the configuration waits to be confirmed.")
      .add({}, life.on_trial ? 1.0 : 0.0)
      .into(out);
}

}  // namespace control

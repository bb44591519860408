// The groups of metrics, each by what it reads.
#pragma once
#include "control/families.h"
#include "control/view.h"
#include "dataplane/packet/account.h"
#include "dataplane/worker/runtime.h"

namespace control {

void add_port_metrics(Families& out, dp::Runtime& runtime, const dp::Account& account);
void add_class_metrics(Families& out, dp::Runtime& runtime, const View& view);
void add_worker_metrics(Families& out, dp::Runtime& runtime, const View& view);
void add_bearer_metrics(Families& out, const View& view);

}  // namespace control

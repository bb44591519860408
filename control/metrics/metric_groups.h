// The groups of metrics, each by the objects that it reads.
// Tests: tests/contract/toy/toy_test.cc, tests/contract/toy/toy_stage_test.cc
#pragma once
#include <cstdint>
#include <span>

#include "control/metrics/families.h"
#include "control/metrics/view.h"
#include "dataplane/packet/account.h"
#include "dataplane/worker/runtime.h"

namespace control {

// By the bounds of dp::DurationHistogram; `buckets` has one more than there are bounds.
void fill_histogram(prometheus::ClientMetric::Histogram& out, std::span<const std::uint64_t> buckets,
                    std::uint64_t sum_ns);

void add_port_metrics(Families& out, dp::Runtime& runtime, const View& view, const dp::FrameAccount& account);
void add_gtp_u_metrics(Families& out, const dp::FrameAccount& account, const GtpUView& view);
void add_class_metrics(Families& out, dp::Runtime& runtime, const View& view);
void add_aqm_metrics(Families& out, dp::Runtime& runtime, const View& view);
void add_ack_metrics(Families& out, dp::Runtime& runtime, const View& view);
void add_proxy_metrics(Families& out, dp::Runtime& runtime, const View& view);
void add_wire_metrics(Families& out, dp::Runtime& runtime);
void add_cell_metrics(Families& out, const View& view);
void add_worker_metrics(Families& out, dp::Runtime& runtime, const View& view);
void add_learning_metrics(Families& out, const dp::FrameAccount& account, const View& view);
void add_change_metrics(Families& out, const ChangeStats& changes);
void add_life_metrics(Families& out, const View& view);
void add_socket_metrics(Families& out, const View& view);
void add_bearer_metrics(Families& out, const View& view);

}  // namespace control

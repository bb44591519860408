// The codes of the events that rncd logs by itself: the catalogue of control/REFERENCE.md is made from this
// list. Requests that change something are events too; their code is the method's name (control/rpc/audit.h).
// A code keeps its meaning: dashboards and scripts know it.
// Tests: tests/unit/control/loop/event_log_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace control::log {

// X(code, meaning, what to do; "" for nothing)
#define RNCD_EVENTS(X)                                                                                     \
  X(started, "rncd forwards frames", "")                                                                   \
  X(stopped, "rncd has ended; `residue` and `left_behind` are 0 if all went well", "")                     \
  X(signal, "a signal came, and what it does", "")                                                         \
  X(environment_unknown, "an environment variable begins with RNCD_ and is none of rncd's",                \
    "correct its name, or unset it")                                                                       \
  X(far_end_drops, "the other end of a veth drops what rncd sends to it",                                  \
    "attach an XDP program there, or set the offload that the event names")                                \
  X(port_bound, "a port has its device", "")                                                               \
  X(port_not_bound, "a port's device cannot be opened; rncd tries again", "mend what `reason` names")      \
  X(port_state, "a port's state has changed", "see States of ports")                                       \
  X(port_changed, "name, MTU or address of a port's interface have changed", "")                           \
  X(port_unfit, "frames of a port are lost or altered, for its interface has changed",                     \
    "set MTU, offloads or channels back as `problem` says")                                                \
  X(port_fit, "the interface of a port is as it must be again", "")                                        \
  X(port_not_fed, "the wire's XDP program sends frames past the workers",                                  \
    "look at `error`; a restart attaches the program anew")                                                \
  X(ports_unwatched, "changes of interfaces are not noticed", "look at `error`, then restart rncd")        \
  X(link_propagated, "one port's link was taken down, or up again, since the other's was", "")             \
  X(link_not_propagated, "a port's link could not be taken down or up", "look at `error`; set it by hand") \
  X(wire_taken, "the workers serve a wire that was there before this process", "")                         \
  X(wire_ordered, "somebody has ordered that frames go past the workers", "rncctl wire mode normal")       \
  X(wire_failover, "frames went past the workers, for one showed no progress",                             \
    "give workers CPUs of their own (dataplane.cpus)")                                                     \
  X(wire_tunnels_failed, "the XDP program cannot be told the ends of tunnels",                             \
    "free memory of the kernel, then reload")                                                              \
  X(shortcut, "frames that cross in the kernel without the workers: which ones do", "")                    \
  X(shortcut_failed, "strangers' frames come to the workers instead of crossing in the kernel",            \
    "free memory of the kernel, then reload")                                                              \
  X(bypass_hook_works, "the bypass program did what it was told", "")                                      \
  X(bypass_hook_failed, "the bypass program failed: the relay may be in the wrong place",                  \
    "run it by hand with the word that the event names")                                                   \
  X(worker_silent, "a worker has not polled for a second", "give it a CPU that nothing stops")             \
  X(worker_polls_again, "it polls again", "")                                                              \
  X(worker_awaited, "a change waits for the answer of a worker", "give it a CPU that nothing stops")       \
  X(worker_stopped, "a worker has ended by itself: rncd ends", "report it with the log before")            \
  X(workers_rebalanced, "bearers move from the busiest worker to another one", "")                         \
  X(ues_not_learnt, "UEs came that got no bearer",                                                         \
    "raise `limit` of the prefixes that the event names, or dataplane.max_bearers")                        \
  X(tunnel_changed, "a bearer's packets come by another tunnel: a handover", "")                           \
  X(tunnels_changed, "further ones in the same second", "")                                                \
  X(bearer_learnt, "a UE has got a bearer with its first packet; logged with level debug", "")             \
  X(bearers_learnt, "further ones in the same second", "")                                                 \
  X(bearer_gone, "a learnt bearer whose UE was silent has gone; logged with level debug", "")              \
  X(bearers_gone, "further ones in the same second", "")                                                   \
  X(bearer_given_up, "a bearer's program did not set it again in time, or an operator's time is over",     \
    "look at the program that `owner` names")                                                              \
  X(bearers_given_up, "further ones in the same second", "look at the programs that keep bearers")         \
  X(reloaded, "the configuration file was read again and is in force", "")                                 \
  X(reload_refused, "the file was refused; all is as before", "mend `problem`, then reload")               \
  X(reload_failed, "a reload has ended before all of it was in force", "look at `error`, then reload")     \
  X(reload_kept, "a reload left a setting as it was, which wants a restart", "restart when it suits")      \
  X(change_confirmed, "config.confirm: the change stays", "")                                              \
  X(change_not_confirmed, "nobody confirmed the change in time: it is rolled back", "apply it again")      \
  X(change_rolled_back, "the configuration is as it was before the change",                                \
    "with `done` no, compare with rncctl config show")                                                     \
  X(state_restored, "bearers and settings of the process before are back", "")                             \
  X(no_state_to_restore, "there is no saved state", "")                                                    \
  X(state_not_restored, "the saved state cannot be read; rncd starts from its file", "look at `error`")    \
  X(bearers_not_restored, "some bearers of the saved state could not be made", "look at `first`")          \
  X(state_not_saved, "the state cannot be saved: a restart would lose what was set since",                 \
    "mend what `error` names")                                                                             \
  X(upgrade_failed, "the new program was not started; the present one goes on", "look at `error`")         \
  X(proxies_drained, "split connections have ended before frames go past the proxies", "")                 \
  X(stop_gave_up, "rncd ends though frames wait", "")                                                      \
  X(queue_left_behind, "frames waited in buffers when rncd ended, and are lost", "")                       \
  X(frames_unaccounted, "the account of frames does not balance: a fault in rncd", "report it")            \
  X(socket_not_made, "a control socket is gone and cannot be made anew", "look at `error`, then reload")   \
  X(socket_made_anew, "a control socket was gone and is there again", "")                                  \
  X(accept_failed, "a client could not be accepted", "raise the limit of open files")                      \
  X(clients_cut, "clients were disconnected, by reason", "see Reasons for cutting clients")                \
  X(capture_ended, "a capture has ended: frames written and lost, and why", "")                            \
  X(rpc_failed, "a request has failed within rncd", "report it with the request")                          \
  X(metrics_trouble, "the thread of the metrics has failed, and goes on", "look at `error`")               \
  X(log_dropped, "lines were dropped, for the reader of the log is too slow", "")                          \
  X(told_started, "rncd-told listens", "")                                                                 \
  X(told_stopped, "rncd-told has ended; bearers that it has made stay for two minutes", "")                \
  X(told_reload, "rncd-told does not read its file again while it runs",                                   \
    "restart it: bearers stay meanwhile")                                                                  \
  X(session_begun, "rncd-told: the core has told a session", "")                                           \
  X(sessions_begun, "further ones in the same second", "")                                                 \
  X(session_changed, "rncd-told: rates, addresses or state of a session have changed", "")                 \
  X(sessions_changed, "further ones in the same second", "")                                               \
  X(session_ended, "rncd-told: a session has gone", "")                                                    \
  X(sessions_ended, "further ones in the same second", "")                                                 \
  X(rncd_connected, "rncd-told has a connection to rncd, and compares all bearers", "")                    \
  X(rncd_lost, "rncd-told has no connection to rncd; it tries again each second",                          \
    "look at `error`; start rncd")                                                                         \
  X(bearers_refused, "rncd-told: rncd refuses to set bearers",                                             \
    "look at `error`, and at rncctl show sessions")                                                        \
  X(log_waits, "there is no thread for the log: rncd waits for its reader", "raise the limit of threads")

#define RNCD_EVENT_MEMBER(code, meaning, remedy) code,
enum class Event : std::uint8_t { RNCD_EVENTS(RNCD_EVENT_MEMBER) };

struct EventText {
  std::string_view code, meaning, remedy;
};
#define RNCD_EVENT_TEXT(code, meaning, remedy) EventText{#code, meaning, remedy},
inline constexpr std::array kEvents{RNCD_EVENTS(RNCD_EVENT_TEXT)};

constexpr std::string_view name(Event event) { return kEvents[static_cast<std::size_t>(event)].code; }

}  // namespace control::log

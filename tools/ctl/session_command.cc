// The command that shows the sessions that a core has told rncd-told.
#include <memory>

#include "tools/ctl/commands.h"
#include "tools/ctl/lists.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

constexpr const char* kToldSocket = "/run/rncd-told/told.sock";

}  // namespace

void add_show_sessions(CLI::App& show, Command& chosen) {
  auto options = std::make_shared<ListOptions>();
  auto* list = show.add_subcommand("sessions", "sessions that the core has told rncd-told, a UE a row");
  add_page_options(*list, *options);
  add_list(*list, chosen, views::kSessions, options, [&chosen] {
    chosen.socket = kToldSocket;
    return ListSource{.method = "session.list", .params = Json::object()};
  });
}

}  // namespace ctl

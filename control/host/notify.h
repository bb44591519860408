// Tells systemd how we are (sd_notify's protocol: a datagram to the socket named by NOTIFY_SOCKET). Does
// nothing when nobody wants to know.
#pragma once
#include <string>

namespace control {

void notify_service_manager(const std::string& state);

}  // namespace control

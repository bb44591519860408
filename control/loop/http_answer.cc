// The rules of HTTP itself (RFC 9112), as far as one page needs them.
#include "control/loop/http_server.h"

namespace control {
namespace {

struct Status {
  std::string_view line;
  std::string_view more_headers = "";
};

std::string respond(const Status& status, std::string_view type, const std::string& body, bool with_body) {
  std::string text = "HTTP/1.1 ";
  text.append(status.line).append("\r\nContent-Type: ").append(type);
  text.append("\r\nContent-Length: ").append(std::to_string(body.size()));
  text.append("\r\nConnection: close\r\n").append(status.more_headers).append("\r\n");
  if (with_body) text.append(body);
  return text;
}

std::string refuse(const Status& status, const std::string& why, bool with_body = true) {
  return respond(status, "text/plain; charset=utf-8", why + "\n", with_body);
}

// Removes the text up to the next space, and the space.
std::string_view take_word(std::string_view& line) {
  const auto end = line.find(' ');
  const auto word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

}  // namespace

std::string http_answer(std::string_view request, const HttpPage& page) {
  std::string_view line = request.substr(0, request.find_first_of("\r\n"));
  const auto method = take_word(line), target = take_word(line);
  if (method.empty() || target.empty() || !line.starts_with("HTTP/1.")) {
    return refuse({"400 Bad Request"}, "expected a request such as: GET " + page.path + " HTTP/1.1");
  }
  const bool head = method == "HEAD";
  if (method != "GET" && !head) {
    return refuse({"405 Method Not Allowed", "Allow: GET, HEAD\r\n"}, "expected GET or HEAD");
  }
  if (target.substr(0, target.find('?')) != page.path) {
    return refuse({"404 Not Found"}, "there is only " + page.path, !head);
  }
  return respond({"200 OK"}, page.type, page.make(), !head);
}

}  // namespace control

// A line-delimited JSON-RPC 2.0 client over rncd's Unix socket. The connection is made at the first call and
// closed with its owner.
#pragma once
#include <chrono>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

namespace ctl {

using Json = nlohmann::json;

// rncd answered with a refusal.
struct Refused : std::runtime_error {
  Refused(const std::string& message, Json reason, int why = 0)
      : std::runtime_error(message), data(std::move(reason)), code(why) {}
  Json data;  // null: none
  int code;   // of JSON-RPC; 0: rncctl itself refused
};

// Nobody answered: no socket, no permission, a closed connection, or silence.
struct NoConnection : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The interface for calls to rncd; tests replace it by their own.
class Caller {
 public:
  virtual ~Caller() = default;
  virtual Json call(const std::string& method, const Json& params) = 0;
  // Lengthens the time that each later call may take.
  virtual void allow(std::chrono::milliseconds) {}
};

class Client : public Caller {
 public:
  Client(std::string path, std::chrono::milliseconds timeout) : path_(std::move(path)), timeout_(timeout) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() override;

  // The result; throws Refused or NoConnection.
  Json call(const std::string& method, const Json& params) override;
  void allow(std::chrono::milliseconds more) override { timeout_ += more; }

 private:
  void connect();
  void disconnect();
  bool was_closed() const;
  void send(const std::string& line);
  std::string receive_line();
  void wait_for(short events);
  [[noreturn]] void fail(const std::string& what);

  std::string path_;
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point deadline_;
  int socket_ = -1;
  int id_ = 0;
  std::string received_;
};

}  // namespace ctl

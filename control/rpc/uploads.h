// Texts that are longer than a request may be: a client sends them in pieces, and then names the upload in
// the call that uses it. Bounded in number, size and time. Belongs to the control thread.
#pragma once
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "config/notation/files.h"

namespace control::rpc {

class Uploads {
 public:
  using Clock = std::chrono::steady_clock;
  using Pieces = std::vector<std::string>;

  static constexpr std::size_t kMostBytes = config::kMaxFileBytes;  // bytes of one text
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  // bytes of one piece
  static constexpr std::size_t kMost = 2;                           // uploads at a time
  static constexpr std::chrono::seconds kPatience{60};              // from one piece to the next

  struct Upload {
    std::uint64_t id = 0;
    uid_t uid = 0;
    Clock::time_point last{};
    std::shared_ptr<Pieces> pieces = std::make_shared<Pieces>();
    std::size_t bytes = 0;
  };

  // These throw Fault. An upload belongs to the user who has begun it: for another user it does not exist.
  const Upload& begin(uid_t uid, std::string piece, Clock::time_point now);
  const Upload& append(std::uint64_t id, uid_t uid, std::string piece, Clock::time_point now);
  // Ends the upload, and returns its pieces.
  std::shared_ptr<const Pieces> take(std::uint64_t id, uid_t uid);

 private:
  std::list<Upload>::iterator find(std::uint64_t id, uid_t uid);
  const Upload& add(Upload& upload, std::string piece, Clock::time_point now);

  std::list<Upload> all_;
  std::uint64_t next_ = 1;
};

}  // namespace control::rpc

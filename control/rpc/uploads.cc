#include "control/rpc/uploads.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "control/rpc/codec.h"

namespace control::rpc {

const Uploads::Upload& Uploads::begin(uid_t uid, std::string piece, Clock::time_point now) {
  std::erase_if(all_, [now](const Upload& one) { return now - one.last > kPatience; });
  if (all_.size() == kMost) {
    throw Fault(
        kInvalidRequest,
        fmt::format("found {} uploads that are not ended, expected fewer; one that gets no piece for {} s "
                    "is given up: try again then",
                    kMost, kPatience.count()));
  }
  Upload& upload = all_.emplace_back();
  upload.id = next_++;
  upload.uid = uid;
  return add(upload, std::move(piece), now);
}

const Uploads::Upload& Uploads::append(std::uint64_t id, uid_t uid, std::string piece,
                                       Clock::time_point now) {
  return add(*find(id, uid), std::move(piece), now);
}

// A piece that is refused ends its upload.
const Uploads::Upload& Uploads::add(Upload& upload, std::string piece, Clock::time_point now) {
  const std::size_t size = piece.size();
  if (size > kPieceBytes || upload.bytes + size > kMostBytes) {
    const bool one = size > kPieceBytes;
    const std::size_t most = one ? kPieceBytes : kMostBytes, found = one ? size : upload.bytes + size;
    std::erase_if(all_, [&](const Upload& other) { return &other == &upload; });
    throw Fault(kInvalidParams,
                fmt::format("text: {} {} bytes, at most {} are taken",
                            one ? "the piece has" : "with this piece the upload has", found, most));
  }
  upload.pieces->push_back(std::move(piece));
  upload.bytes += size;
  upload.last = now;
  return upload;
}

std::shared_ptr<const Uploads::Pieces> Uploads::take(std::uint64_t id, uid_t uid) {
  const auto at = find(id, uid);
  const auto pieces = at->pieces;
  all_.erase(at);
  return pieces;
}

std::list<Uploads::Upload>::iterator Uploads::find(std::uint64_t id, uid_t uid) {
  const auto at =
      std::ranges::find_if(all_, [=](const Upload& one) { return one.id == id && one.uid == uid; });
  if (at != all_.end()) return at;
  throw Fault(
      kInvalidParams,
      fmt::format("upload: found {}, expected the number that config.upload has answered, of an upload "
                  "that got a piece in the last {} s and was not used yet",
                  id, kPatience.count()));
}

}  // namespace control::rpc

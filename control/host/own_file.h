// The files that rncd writes by itself: the saved state, and what stands beside a control socket. Each kind
// is known again by how its files begin, so that a path that names something else costs an error and nothing
// more (dataplane/decisions/085).
#pragma once
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "control/loop/fd.h"
#include "dataplane/base/result.h"

namespace control {

struct OwnKind {
  std::string_view what;             // with its article, for messages
  bool (*begins)(std::string_view);  // true for the first octets of such a file, whole or cut short
};
inline constexpr std::string_view kStateMagic = "{\"rncd_state\":";
extern const OwnKind kStateKind;    // control.state
extern const OwnKind kLockKind;     // beside a control socket: the number of the process that serves it
extern const OwnKind kMarkKind;     // beside a control socket: an interface that was taken down
extern const OwnKind kCaptureKind;  // the output of a port `pcap`

// A file of rncd's: its kind, its path, and the key of the configuration that it comes from.
struct OwnFile {
  const OwnKind& kind;
  std::string path;
  std::string key;
};

// The name of a type of file, with its article: "a symbolic link".
std::string_view type_of(const struct stat& status);

// True if both are one file, or both paths lead to one.
bool same_file(const struct stat& a, const struct stat& b);
bool is_file(const std::string& path, const std::string& other);

// Others than root and rncd's user and group who may write it: "everybody", "another group"; empty for
// nobody.
std::string_view others_who_may_write(const struct stat& status);

// These answer an error with exit code 3 where the path is to be another one, and 5 where rncd may not look
// or write. Nothing is changed.
//
// At the path there is nothing, or a file of its kind. Links and nodes are none.
dp::Status nothing_else_there(const OwnFile& file);
// Nobody but root and rncd's user and group may put files into the folder, or only files of their own
// (sticky).
dp::Status folder_is_safe(const OwnFile& file);
// rncd can make files there. A folder that is not there yet can be made.
dp::Status folder_is_writable(const OwnFile& file);

// The file, which is made where there is none, open for reading and writing, for no other user (0600).
dp::Result<Fd> open_own(const OwnFile& file);

// Replaces the file in one step: what was there stays until the text is on the disk, beside it as `.new`.
// Makes its folder.
dp::Status replace_file(const OwnFile& file, std::string_view text);

}  // namespace control

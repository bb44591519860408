// The command that captures frames: rncd sends the parts of a pcapng file, and this writes them.
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>

#include <pcap/pcap.h>
#include <unistd.h>

#include "tools/common/interrupt.h"
#include "tools/ctl/arguments.h"
#include "tools/ctl/base64.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/members.h"

namespace ctl {
namespace {

struct CaptureOptions {
  std::string ue, port, cell, filter, file;
  bool drops = false;
  std::uint64_t seconds = 10, frames = 0, snaplen = 128;
};

constexpr std::chrono::milliseconds kPause{50};  // while nothing has come

// The program of an expression, as capture.start takes it. Names of hosts are looked up here, not by rncd.
Json program_of(const std::string& expression, int snaplen) {
  const std::unique_ptr<pcap_t, decltype(&pcap_close)> pcap(pcap_open_dead(DLT_EN10MB, snaplen), &pcap_close);
  bpf_program program{};
  if (pcap == nullptr ||
      pcap_compile(pcap.get(), &program, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0) {
    throw CLI::ValidationError("--filter", "found '" + expression +
                                               "', expected an expression such as 'tcp port " + "443' (" +
                                               (pcap ? pcap_geterr(pcap.get()) : "no memory") + ")");
  }
  Json list = Json::array();
  for (unsigned i = 0; i < program.bf_len; ++i) {
    const bpf_insn& one = program.bf_insns[i];
    list.push_back({one.code, one.jt, one.jf, one.k});
  }
  pcap_freecode(&program);
  return list;
}

Json params_of(const CaptureOptions& o) {
  Json params{{"seconds", o.seconds}, {"snaplen", o.snaplen}};
  if (!o.ue.empty()) params["ue"] = o.ue;
  if (!o.port.empty()) params["port"] = o.port;
  if (!o.cell.empty()) params["cell"] = o.cell;
  if (o.drops) params["drops"] = true;
  if (o.frames != 0) params["frames"] = o.frames;
  if (!o.filter.empty()) params["filter"] = program_of(o.filter, static_cast<int>(o.snaplen));
  return params;
}

// The file to be written, or standard output.
class CaptureFile {
 public:
  explicit CaptureFile(const std::string& path) : name_(path == "-" ? "standard output" : path) {
    if (path == "-") {
      file_ = stdout;
    } else if (file_ = std::fopen(path.c_str(), "wb"); file_ == nullptr) {
      fail();
    }
  }
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;
  ~CaptureFile() {
    if (file_ != stdout) std::fclose(file_);
  }

  void write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size() || std::fflush(file_) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw Refused("-w: " + name_ + " cannot be written (" + std::strerror(errno) + "); give a path that can",
                  nullptr);
  }

  std::string name_;
  std::FILE* file_ = nullptr;
};

// Fetches and writes until the capture has ended; an interrupt ends it. Returns the last answer.
Json fetch_all(Caller& caller, const Json& id, CaptureFile& file) {
  bool stopped = false;
  for (;;) {
    if (!stopped && tools::interrupted()) {
      caller.call("capture.stop", id);
      stopped = true;
    }
    Json piece = caller.call("capture.read", id);
    const auto bytes = from_base64(views::text_at(piece, "/pcapng"));
    if (!bytes) throw Refused("the answer to capture.read has no base64 in pcapng", piece);
    if (!bytes->empty()) file.write(*bytes);
    if (piece.value("ended", false)) return piece;
    if (bytes->empty()) std::this_thread::sleep_for(kPause);
  }
}

void capture(Caller& caller, const CaptureOptions& options, const Json& params, const Output& output) {
  if (options.file == "-" && ::isatty(STDOUT_FILENO) != 0) {
    throw Refused("-w -: found a terminal, expected a pipe or a file, as in `... -w - | tshark -r -`",
                  nullptr);
  }
  const Json begun = caller.call("capture.start", params);
  tools::catch_interrupts();
  if (!begun.value("bearer", true)) {
    output.notes << "rncctl: " << options.ue << " has no bearer; its frames are captured as they pass\n";
  }
  CaptureFile file(options.file);
  const Json end = fetch_all(caller, {{"id", begun.value("id", Json())}}, file);
  const Json sum{{"frames", end.value("frames", Json())},
                 {"lost", end.value("lost", Json())},
                 {"why", end.value("why", Json())}};
  if (output.json && options.file != "-") {
    output.out << sum.dump() << "\n";
  } else {
    output.notes << "rncctl: " << sum["frames"] << " frames captured, " << sum["lost"]
                 << " lost for want of room; ended: " << views::text_at(sum, "/why") << "\n";
  }
}

void add_subjects(CLI::App& command, CaptureOptions& o) {
  auto* subject = command.add_option_group("SUBJECT")->require_option(1);
  subject->add_option("UE", o.ue,
                      "frames of this UE, of a /64 those of all its addresses; in a network UE@NAME");
  subject->add_option("--port", o.port, "frames that cross this port, core or radio")
      ->check(CLI::IsMember({"core", "radio"}));
  subject->add_flag("--drops", o.drops, "frames that are dropped, whoever's");
  subject->add_option("--cell", o.cell, "frames of the bearers in this cell");
}

}  // namespace

void add_capture_command(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<CaptureOptions>();
  auto* command = app.add_subcommand(
      "capture", "write frames to a pcapng file, with what happened to each: control/manual/capture.md");
  add_subjects(*command, *o);
  command->add_option("-w,--write", o->file, "the file; - is standard output, for `| tshark -r -`")
      ->required();
  command->add_option("--seconds", o->seconds, "end after so many")
      ->capture_default_str()
      ->check(whole_number(1, 3600));
  command->add_option("--frames", o->frames, "end after so many")->check(whole_number(1, UINT64_MAX));
  command->add_option("--snaplen", o->snaplen, "bytes of a frame that are captured")
      ->capture_default_str()
      ->check(whole_number(64, 65535));
  command->add_option(
      "--filter", o->filter,
      "only frames that this expression of tcpdump takes; it sees the frame as on the wire, of "
      "a tunnelled one the outer headers, up to --snaplen");
  command->callback([=, &chosen] {
    chosen.show = [o, params = params_of(*o)](Caller& caller, const Output& output) {
      capture(caller, *o, params, output);
    };
  });
}

}  // namespace ctl

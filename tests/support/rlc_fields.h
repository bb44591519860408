// The fields of one RLC AM PDU as we read it, written the way tshark writes them.
#pragma once
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "dataplane/rlc/am_pdu.h"
#include "dataplane/rlc/am_status.h"
#include "tests/support/frames.h"

namespace dp::test {

// The fields requested from tshark, in this order.
inline const std::vector<std::string> kFields{
    "rlc.dc",      "rlc.seq",         "rlc.p",        "rlc.he",          "rlc.li.value",
    "rlc.data",    "rlc.rsn",         "rlc.hfni",     "rlc.sufi.type",   "rlc.sufi.lsn",
    "rlc.sufi.sn", "rlc.sufi.l",      "rlc.sufi.len", "rlc.sufi.fsn",    "rlc.bitmap_string",
    "rlc.sufi.cw", "rlc.sufi.sn_mrw", "rlc.sufi.n",   "rlc.sufi.sn_ack", "rlc.sufi.wsn"};
inline const std::vector<std::string> kComplaints{
    "_ws.malformed",       "rlc.li.incorrect",          "rlc.li.reserved",       "rlc.li.too_many",
    "rlc.sufi.cw.invalid", "rlc.sufi.len.invalid",      "rlc.sufi.type.invalid", "rlc.he.invalid",
    "rlc.duplicate_of",    "rlc.reserved_bits_not_zero"};

inline std::string hex(Bytes bytes) {
  std::string out;
  for (const std::byte b : bytes) {
    out += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
    out += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15];
  }
  return out;
}

// The fields of one PDU as we read it.
class Fields {
 public:
  explicit Fields(const Buffer& bytes) {
    const LiSize size = li_size_for(bytes.size());
    AmdPdu amd;
    ResetPdu reset;
    if (parse_amd(bytes, size, amd)) {
      of_amd(bytes, size, amd);
    } else if (parse_reset(bytes, reset)) {
      add("rlc.dc", 0);
      add("rlc.rsn", unsigned{reset.rsn});
      add("rlc.hfni", reset.hfni);
    } else {
      add("rlc.dc", 0);
      of_status(bytes);
    }
  }
  std::vector<std::string> row() {
    std::vector<std::string> out;
    for (const auto& field : kFields) out.push_back(values_[field]);
    return out;
  }

 private:
  template <class T>
  void add(const std::string& field, const T& value) {
    std::ostringstream text;
    text << value;
    values_[field] += (values_[field].empty() ? "" : ";") + text.str();
  }

  void of_amd(const Buffer& bytes, LiSize size, const AmdPdu& amd) {
    add("rlc.dc", 1);
    add("rlc.seq", amd.sn);
    add("rlc.p", amd.poll);
    add("rlc.he", load8(bytes.data() + 1) & 3u);
    const SpecialLis special = special_lis(size);
    if (amd.previous_full || amd.previous_short) {
      add_li(amd.previous_full ? special.previous_full : special.previous_short);
      add("rlc.data", "<MISSING>");  // a data field of no length
    }
    std::size_t at = 0;
    for (unsigned i = 0; i < amd.n_ends; ++i) {
      add_li(amd.ends[i]);
      add("rlc.data", hex(amd.data.subspan(at, amd.ends[i] - at)));
      at = amd.ends[i];
    }
    if (at < amd.data.size()) add("rlc.data", hex(amd.data.subspan(at)));
    if (!amd.status.empty()) {
      add_li(special.status);
      of_status(amd.status);
    } else if (last_li(bytes, size) == special.padding) {
      add_li(special.padding);
    } else if (amd.data.data() + amd.data.size() != bytes.data() + bytes.size()) {
      add("rlc.data",
          hex(Bytes(bytes).last(1)));  // tshark does not know that this octet is padding (9.2.2.8)
    }
  }
  void add_li(unsigned li) { add("rlc.li.value", li); }
  static unsigned last_li(const Buffer& bytes, LiSize size) {
    if ((load8(bytes.data() + 1) & 3) != 1) return kNoLi;
    for (std::size_t at = kAmdHeader;; at += octets(size)) {
      const unsigned bits = size == LiSize::bits7 ? load8(bytes.data() + at) : load16(bytes.data() + at);
      if ((bits & 1) == 0) return bits >> 1;
    }
  }

  void of_status(Bytes status) {
    Sufi sufi{};
    bool acked = false;
    for (StatusReader in(status); in.next(sufi) == StatusReader::Next::sufi;) {
      of_sufi(sufi);
      acked = sufi.type == SufiType::ack;
    }
    if (!acked) add("rlc.sufi.type", 0);
  }
  void of_sufi(const Sufi& sufi) {
    add("rlc.sufi.type", static_cast<unsigned>(sufi.type));
    switch (sufi.type) {
      case SufiType::ack:
        return add("rlc.sufi.lsn", sufi.sn);
      case SufiType::window:
        return add("rlc.sufi.wsn", sufi.sn);
      case SufiType::list:
        add("rlc.sufi.len", unsigned{sufi.count});
        for (unsigned i = 0; i < sufi.count; ++i) {
          add("rlc.sufi.sn", sufi.list[i].sn);
          add("rlc.sufi.l", unsigned{sufi.list[i].length});
        }
        return;
      case SufiType::bitmap:
        add("rlc.sufi.len", sufi.count - 1u);
        add("rlc.sufi.fsn", sufi.sn);
        return add_bitmap(sufi);
      case SufiType::rlist:
        add("rlc.sufi.len", unsigned{sufi.count});
        add("rlc.sufi.fsn", sufi.sn);
        for (unsigned i = 0; i < sufi.count; ++i) add("rlc.sufi.cw", unsigned{sufi.codewords[i]});
        return;
      case SufiType::mrw:
        add("rlc.sufi.len", sufi.beyond ? 0u : sufi.count);
        for (unsigned i = 0; i < sufi.count; ++i) add("rlc.sufi.sn_mrw", sufi.sn_mrw[i]);
        return add("rlc.sufi.n", unsigned{sufi.n});
      case SufiType::mrw_ack:
        add("rlc.sufi.n", unsigned{sufi.n});
        return add("rlc.sufi.sn_ack", sufi.sn);
      default:
        return;
    }
  }

  // A line an octet, with the SNs that have arrived.
  void add_bitmap(const Sufi& sufi) {
    for (unsigned octet = 0; octet < sufi.count; ++octet) {
      std::string line;
      for (unsigned bit = 0; bit < 8; ++bit) {
        char cell[8];
        std::snprintf(cell, sizeof cell, "%4u,", (sufi.sn + octet * 8 + bit) & unsigned{kSnMask});
        line += (sufi.bitmap[octet] << bit & 0x80) != 0 ? cell : "    ,";
      }
      add("rlc.bitmap_string", line);
    }
  }

  std::map<std::string, std::string> values_;
};

}  // namespace dp::test

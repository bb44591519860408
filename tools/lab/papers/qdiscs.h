// What Linux's qdiscs do to downloads on the path of scenarios/linux.yaml: measured figures with their
// set-up, as data. Constant; nobody owns it.
#pragma once
#include <array>
#include <string_view>

namespace lab {

struct Qdisc {
  std::string_view name;
  unsigned flows;
  double goodput_kbit_s, queue_s;
};

inline constexpr std::string_view kQdiscSetUp =
    "Linux 6.1: Reno flows without SACK, 64 kB window, 60 s; HTB at 384 kbit/s, which counts frames of 1514 "
    "bytes, with the qdisc as its leaf, behind 1 Mbit/s; netem's 100 ms before and 25 ms after it in each "
    "direction; delay is the mean sojourn in the leaf after t = 10 s; default parameters, but red: 5 and 15 "
    "packets, p 0.1; cake shapes by itself";

inline constexpr std::array kQdiscs{
    Qdisc{"fq_codel", 1, 319, 0.032}, Qdisc{"codel", 1, 316, 0.031}, Qdisc{"cake", 1, 319, 0.071},
    Qdisc{"pie", 1, 286, 0.051},      Qdisc{"red", 1, 336, 0.134},   Qdisc{"pfifo 50", 1, 361, 1.118},
    Qdisc{"fq_codel", 4, 343, 0.050}, Qdisc{"cake", 4, 342, 0.091},
};

}  // namespace lab

#include "tools/lab/papers/catalogue.h"

#include <algorithm>
#include <array>

#include "config/notation/words.h"
#include "tools/lab/papers/linux_rows.h"

namespace lab {
namespace {

constexpr std::string_view kFitted =
    "minimum RTO 1 s, by a clock of 500 ms; a whole frame is lost or not; a frame's own TTI is within the "
    "25 ms of the air; the window poll goes once, when its threshold is crossed; no periodic STATUS; RED "
    "without count, SBD with C_n at most T_r; the start-up counts; goodput in packets of 1500 bytes; delay "
    "from source to sink, wires included";
constexpr std::string_view kFittedAcks =
    "of ACK rate control: t_id goes by the SDUs whose transmission has not started; what waits is looked at "
    "each TTI, and one ACK leaves a TTI when no delay is due; maxth is 40 for the combined schemes, of which "
    "the paper prints none, and 50, the buffer, for ACK rate control alone. Rows such as A2/literal have "
    "Fig. "
    "3 to the letter instead: t_id goes by all SDUs, and ACKs stay behind once no delay is due";

constexpr std::string_view kFittedWindow =
    "Doppler frequency 2 Hz and mean SNR 1 dB, by the rates of one, four and eight users; ACK Regulator, a "
    "reconstruction: one packet is lost when the window reaches B and three times the data in the pipe, one "
    "place to spare, ACKs are taken to bring data for 120 ms; ACKs stored by WRB leave with the window that "
    "was told last after 5 ms of an idle link, and one after 0.8 of the minimum RTO without another; cross "
    "sources queue for at most 20 packets and their packets come with 5 ± 5 ms; congestion is compared at "
    "the "
    "ends of the range, 1e-5 and 1e-3, and less loss stands at 1e-5. Read "
    "plainly: the variances of FD and RD are half of their ranges; the packet in service is not counted in "
    "B; "
    "a loss halves the window, as in the simulators of the time; the first 20 s are left out";

constexpr std::array kPapers{
    Paper{"000",
          "Alcaraz, Cerdan: Combining ACK Rate Control and AQM to Enhance TCP Performance over 3G Links",
          "papers-000-002.yaml", kFitted, kFittedAcks},
    Paper{"001", "Chan, Ramjee: Improving TCP/IP Performance over Third-Generation Wireless Networks",
          "001-window.yaml", kFittedWindow, "", "window"},
    Paper{"002", "Alcaraz, Cerdan: Performance Evaluation of AQM Schemes in Rate-Varying 3G Links",
          "papers-000-002.yaml", kFitted},
};

// Errors within 5 % in goodput count as inside, at 128 kbit/s and with RED within 7.5 %.
constexpr double kWide = 0.075;
// 000 section 6; 002 Tables 3 and 5, at 384, 256, 128 and 64 kbit/s.
constexpr std::string_view kPdpc = "{pdpc: {form: one-threshold, maxth: 30sdu}}",
                           kPdpcHigher = "{pdpc: {form: one-threshold, maxth: 40sdu}}",
                           kSbd384 = "{sbd: {t_r: 200ms, minth: 20sdu, maxth: 40sdu, alpha: 5sdu}}",
                           kSbd256 = "{sbd: {t_r: 500ms, minth: 20sdu, maxth: 40sdu, alpha: 5sdu}}",
                           kSbd128 = "{sbd: {t_r: 1300ms, minth: 15sdu, maxth: 40sdu, alpha: 5sdu}}",
                           kSbd64 = "{sbd: {t_r: 2500ms, minth: 10sdu, maxth: 40sdu, alpha: 5sdu}}",
                           kRed384 =
                               "{red: {maxp: 0.05, minth: 20sdu, maxth: 40sdu, count: no, victim: front}}",
                           kRed256 =
                               "{red: {maxp: 0.06, minth: 15sdu, maxth: 40sdu, count: no, victim: front}}",
                           kRed128 =
                               "{red: {maxp: 0.2, minth: 10sdu, maxth: 40sdu, count: no, victim: front}}",
                           kRed64 =
                               "{red: {maxp: 0.3, minth: 10sdu, maxth: 40sdu, count: no, victim: front}}";

// 000 section 6: ACK rate control alone with 20 ms an SDU, combined schemes with 12.5 and 10.
constexpr std::string_view
    kRate = "[{ack-rate: {maxd: 1s, minth: 0sdu, maxth: 50sdu, alpha: 1, occupancy: unstarted, tti: 10ms}}]",
    kRateLiteral =
        "[{ack-rate: {maxd: 1s, minth: 0sdu, maxth: 50sdu, alpha: 1, occupancy: full, literal: yes}}]",
    kScheme1 =
        "[{ack-rate: {maxd: 500ms, minth: 0sdu, maxth: 40sdu, alpha: 1, f2: none, occupancy: unstarted, tti: "
        "10ms}}]",
    kScheme1Literal =
        "[{ack-rate: {maxd: 500ms, minth: 0sdu, maxth: 40sdu, alpha: 1, f2: none, occupancy: full, literal: "
        "yes}}]",
    kScheme2 =
        "[{ack-rate: {maxd: 400ms, minth: 10sdu, maxth: 40sdu, alpha: 0.5, f2: formula, f2_alpha: 1, "
        "occupancy: unstarted, tti: 10ms}}]",
    kScheme2Literal =
        "[{ack-rate: {maxd: 400ms, minth: 10sdu, maxth: 40sdu, alpha: 0.5, f2: formula, f2_alpha: 1, "
        "occupancy: full, literal: yes}}]";
constexpr std::string_view kToTheLetter = "Table 2, by Fig. 3 to the letter";

// clang-format off
constexpr std::array kRows{
    PaperRow{.paper = "000", .id = "A1", .table = "Table 2", .flows = 1,
             .goodput_kbit_s = {281.9, 8.9}, .delay_s = {0.85, 0.05}},
    PaperRow{.paper = "000", .id = "A2", .table = "Table 2", .flows = 1,
             .ack = kRate, .goodput_kbit_s = {311.2, 2.5}, .delay_s = {0.76, 0.01},
             .delay_limit = kUnjudged},
    PaperRow{.paper = "000", .id = "A2/literal", .table = kToTheLetter, .flows = 1,
             .ack = kRateLiteral, .goodput_kbit_s = {311.2, 2.5}, .delay_s = {0.76, 0.01},
             .goodput_limit = kUnjudged, .delay_limit = kUnjudged},
    PaperRow{.paper = "000", .id = "A3", .table = "Table 2", .flows = 1, .aqm = kPdpc,
             .goodput_kbit_s = {296.2, 5.6}, .delay_s = {0.54, 0.02}},
    PaperRow{.paper = "000", .id = "A4", .table = "Table 2", .flows = 1, .aqm = kPdpcHigher,
             .ack = kScheme1, .goodput_kbit_s = {304.6, 4.2}, .delay_s = {0.57, 0.02},
             .delay_limit = kUnjudged},
    PaperRow{.paper = "000", .id = "A4/literal", .table = kToTheLetter, .flows = 1, .aqm = kPdpcHigher,
             .ack = kScheme1Literal, .goodput_kbit_s = {304.6, 4.2}, .delay_s = {0.57, 0.02},
             .goodput_limit = kUnjudged, .delay_limit = kUnjudged},
    PaperRow{.paper = "000", .id = "A5", .table = "Table 2", .flows = 1, .aqm = kPdpcHigher,
             .ack = kScheme2, .goodput_kbit_s = {308.9, 4.6}, .delay_s = {0.63, 0.02},
             .delay_limit = kUnjudged},
    PaperRow{.paper = "000", .id = "A5/literal", .table = kToTheLetter, .flows = 1, .aqm = kPdpcHigher,
             .ack = kScheme2Literal, .goodput_kbit_s = {308.9, 4.6}, .delay_s = {0.63, 0.02},
             .goodput_limit = kUnjudged, .delay_limit = kUnjudged},
    PaperRow{.paper = "000", .id = "A6", .table = "Table 2", .flows = 4,
             .goodput_kbit_s = {299.9, 3.9}, .delay_s = {1.09, 0.02}},
    PaperRow{.paper = "000", .id = "A7", .table = "Table 2", .flows = 4,
             .ack = kRate, .goodput_kbit_s = {306.3, 6.9}, .delay_s = {0.56, 0.03},
             .delay_limit = kUnjudged},
    PaperRow{.paper = "000", .id = "A7/literal", .table = kToTheLetter, .flows = 4,
             .ack = kRateLiteral, .goodput_kbit_s = {306.3, 6.9}, .delay_s = {0.56, 0.03},
             .goodput_limit = kUnjudged, .delay_limit = kUnjudged},
    PaperRow{.paper = "000", .id = "A8", .table = "Table 2", .flows = 4, .aqm = kPdpc,
             .goodput_kbit_s = {305.1, 3.7}, .delay_s = {0.78, 0.01}},
    PaperRow{.paper = "000", .id = "A9", .table = "Table 2", .flows = 4, .aqm = kPdpcHigher,
             .ack = kScheme1, .goodput_kbit_s = {301.1, 4.6}, .delay_s = {0.51, 0.03},
             .delay_limit = kUnjudged},
    PaperRow{.paper = "000", .id = "A9/literal", .table = kToTheLetter, .flows = 4, .aqm = kPdpcHigher,
             .ack = kScheme1Literal, .goodput_kbit_s = {301.1, 4.6}, .delay_s = {0.51, 0.03},
             .goodput_limit = kUnjudged, .delay_limit = kUnjudged},
    PaperRow{.paper = "000", .id = "A10", .table = "Table 2", .flows = 4, .aqm = kPdpcHigher,
             .ack = kScheme2, .goodput_kbit_s = {306.2, 3.1}, .delay_s = {0.63, 0.02},
             .delay_limit = kUnjudged},
    PaperRow{.paper = "000", .id = "A10/literal", .table = kToTheLetter, .flows = 4, .aqm = kPdpcHigher,
             .ack = kScheme2Literal, .goodput_kbit_s = {306.2, 3.1}, .delay_s = {0.63, 0.02},
             .goodput_limit = kUnjudged, .delay_limit = kUnjudged},
    PaperRow{.paper = "002", .id = "B1/384", .table = "Table 2", .flows = 1, .rate_kbit_s = 384, .buffer_sdus = 40,
             .aqm = "{sbd: {t_r: 250ms, minth: 30sdu, maxth: 40sdu, alpha: 5sdu}}",
             .goodput_kbit_s = {294.5, 5.6}, .delay_s = {0.55, 0.02}},
    PaperRow{.paper = "002", .id = "B1/256", .table = "Table 2", .flows = 1, .rate_kbit_s = 256, .buffer_sdus = 40,
             .aqm = "{sbd: {t_r: 300ms, minth: 25sdu, maxth: 40sdu, alpha: 5sdu}}",
             .goodput_kbit_s = {203.6, 3.6}, .delay_s = {0.71, 0.02}},
    PaperRow{.paper = "002", .id = "B1/128", .table = "Table 2", .flows = 1, .rate_kbit_s = 128, .buffer_sdus = 40,
             .aqm = "{sbd: {t_r: 900ms, minth: 20sdu, maxth: 40sdu, alpha: 5sdu}}",
             .goodput_kbit_s = {105.0, 1.6}, .delay_s = {0.99, 0.04}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B1/64", .table = "Table 2", .flows = 1, .rate_kbit_s = 64, .buffer_sdus = 40,
             .aqm = "{sbd: {t_r: 1500ms, minth: 10sdu, maxth: 40sdu, alpha: 5sdu}}",
             .goodput_kbit_s = {52.5, 0.8}, .delay_s = {1.97, 0.14}},
    PaperRow{.paper = "002", .id = "B2/384", .table = "Table 3", .flows = 1, .rate_kbit_s = 384, .buffer_sdus = 40,
             .aqm = kSbd384,
             .goodput_kbit_s = {290.5, 4.2}, .delay_s = {0.47, 0.03}},
    PaperRow{.paper = "002", .id = "B2/256", .table = "Table 3", .flows = 1, .rate_kbit_s = 256, .buffer_sdus = 40,
             .aqm = kSbd256,
             .goodput_kbit_s = {200.1, 3.7}, .delay_s = {0.53, 0.02}},
    PaperRow{.paper = "002", .id = "B2/128", .table = "Table 3", .flows = 1, .rate_kbit_s = 128, .buffer_sdus = 40,
             .aqm = kSbd128,
             .goodput_kbit_s = {102.1, 1.5}, .delay_s = {0.72, 0.03}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B2/64", .table = "Table 3", .flows = 1, .rate_kbit_s = 64, .buffer_sdus = 40,
             .aqm = kSbd64,
             .goodput_kbit_s = {50.4, 1.5}, .delay_s = {1.12, 0.12}},
    PaperRow{.paper = "002", .id = "B3/384", .table = "Table 4", .flows = 1, .rate_kbit_s = 384, .buffer_sdus = 40,
             .aqm = "{red: {maxp: 0.05, minth: 25sdu, maxth: 40sdu, count: no, victim: front}}",
             .goodput_kbit_s = {295.1, 5.9}, .delay_s = {0.62, 0.02}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B3/256", .table = "Table 4", .flows = 1, .rate_kbit_s = 256, .buffer_sdus = 40,
             .aqm = "{red: {maxp: 0.08, minth: 20sdu, maxth: 40sdu, count: no, victim: front}}",
             .goodput_kbit_s = {204.5, 3.6}, .delay_s = {0.75, 0.03}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B3/128", .table = "Table 4", .flows = 1, .rate_kbit_s = 128, .buffer_sdus = 40,
             .aqm = "{red: {maxp: 0.1, minth: 10sdu, maxth: 40sdu, count: no, victim: front}}",
             .goodput_kbit_s = {103.8, 1.3}, .delay_s = {0.88, 0.03}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B3/64", .table = "Table 4", .flows = 1, .rate_kbit_s = 64, .buffer_sdus = 40,
             .aqm = "{red: {maxp: 0.1, minth: 10sdu, maxth: 40sdu, count: no, victim: front}}",
             .goodput_kbit_s = {52.3, 0.9}, .delay_s = {1.57, 0.08}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B4/384", .table = "Table 5", .flows = 1, .rate_kbit_s = 384, .buffer_sdus = 40,
             .aqm = kRed384,
             .goodput_kbit_s = {292.7, 4.6}, .delay_s = {0.52, 0.02}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B4/256", .table = "Table 5", .flows = 1, .rate_kbit_s = 256, .buffer_sdus = 40,
             .aqm = kRed256,
             .goodput_kbit_s = {203.3, 2.4}, .delay_s = {0.63, 0.02}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B4/128", .table = "Table 5", .flows = 1, .rate_kbit_s = 128, .buffer_sdus = 40,
             .aqm = kRed128,
             .goodput_kbit_s = {100.9, 1.8}, .delay_s = {0.70, 0.03}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B4/64", .table = "Table 5", .flows = 1, .rate_kbit_s = 64, .buffer_sdus = 40,
             .aqm = kRed64,
             .goodput_kbit_s = {50.0, 1.9}, .delay_s = {1.32, 0.14}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B5/384", .table = "Table 6", .flows = 1, .rate_kbit_s = 384, .buffer_sdus = 40,
             .goodput_kbit_s = {277.1, 6.1}, .delay_s = {0.72, 0.04}},
    PaperRow{.paper = "002", .id = "B5/256", .table = "Table 6", .flows = 1, .rate_kbit_s = 256, .buffer_sdus = 40,
             .goodput_kbit_s = {185.1, 4.5}, .delay_s = {0.94, 0.07}},
    PaperRow{.paper = "002", .id = "B5/128", .table = "Table 6", .flows = 1, .rate_kbit_s = 128, .buffer_sdus = 40,
             .goodput_kbit_s = {89.9, 5.8}, .delay_s = {1.58, 0.14}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B5/64", .table = "Table 6", .flows = 1, .rate_kbit_s = 64, .buffer_sdus = 40,
             .goodput_kbit_s = {42.1, 1.4}, .delay_s = {3.12, 0.21}},
    PaperRow{.paper = "002", .id = "B6/384", .table = "Table 6", .flows = 4, .rate_kbit_s = 384, .buffer_sdus = 40,
             .goodput_kbit_s = {298.6, 4.8}, .delay_s = {0.89, 0.01}},
    PaperRow{.paper = "002", .id = "B6/256", .table = "Table 6", .flows = 4, .rate_kbit_s = 256, .buffer_sdus = 40,
             .goodput_kbit_s = {201.9, 3.1}, .delay_s = {1.28, 0.02}},
    PaperRow{.paper = "002", .id = "B6/128", .table = "Table 6", .flows = 4, .rate_kbit_s = 128, .buffer_sdus = 40,
             .goodput_kbit_s = {93.4, 2.6}, .delay_s = {2.44, 0.06}, .goodput_limit = kWide},
    PaperRow{.paper = "002", .id = "B6/64", .table = "Table 6", .flows = 4, .rate_kbit_s = 64, .buffer_sdus = 40,
             .goodput_kbit_s = {48.5, 1.6}, .delay_s = {4.33, 0.09}},
    // Rows that the paper's statements need and of which it prints no value. 000 section 6: a higher threshold.
    PaperRow{.paper = "000", .id = "A15/1", .table = "section 6", .flows = 1, .aqm = kPdpcHigher},
    PaperRow{.paper = "000", .id = "A15/4", .table = "section 6", .flows = 4, .aqm = kPdpcHigher},
    // 002 Table 6 has these as percentages.
    PaperRow{.paper = "002", .id = "B7/sbd-384", .table = "Table 6", .flows = 4, .rate_kbit_s = 384, .buffer_sdus = 40,
             .aqm = kSbd384},
    PaperRow{.paper = "002", .id = "B7/sbd-256", .table = "Table 6", .flows = 4, .rate_kbit_s = 256, .buffer_sdus = 40,
             .aqm = kSbd256},
    PaperRow{.paper = "002", .id = "B7/sbd-128", .table = "Table 6", .flows = 4, .rate_kbit_s = 128, .buffer_sdus = 40,
             .aqm = kSbd128},
    PaperRow{.paper = "002", .id = "B7/sbd-64", .table = "Table 6", .flows = 4, .rate_kbit_s = 64, .buffer_sdus = 40,
             .aqm = kSbd64},
    PaperRow{.paper = "002", .id = "B7/red-384", .table = "Table 6", .flows = 4, .rate_kbit_s = 384, .buffer_sdus = 40,
             .aqm = kRed384},
    PaperRow{.paper = "002", .id = "B7/red-256", .table = "Table 6", .flows = 4, .rate_kbit_s = 256, .buffer_sdus = 40,
             .aqm = kRed256},
    PaperRow{.paper = "002", .id = "B7/red-128", .table = "Table 6", .flows = 4, .rate_kbit_s = 128, .buffer_sdus = 40,
             .aqm = kRed128},
    PaperRow{.paper = "002", .id = "B7/red-64", .table = "Table 6", .flows = 4, .rate_kbit_s = 64, .buffer_sdus = 40,
             .aqm = kRed64},
    // 002 section 5: minth above and below twice the bandwidth-delay product, T_r far from the proposed one.
    PaperRow{.paper = "002", .id = "B11/20-1000", .table = "section 5", .flows = 1, .rate_kbit_s = 384, .buffer_sdus = 40,
             .aqm = "{sbd: {t_r: 1000ms, minth: 20sdu, maxth: 40sdu, alpha: 5sdu}}"},
    PaperRow{.paper = "002", .id = "B11/5-1000", .table = "section 5", .flows = 1, .rate_kbit_s = 384, .buffer_sdus = 40,
             .aqm = "{sbd: {t_r: 1000ms, minth: 5sdu, maxth: 40sdu, alpha: 5sdu}}"},
};
// clang-format on

std::string_view group_of(std::string_view id) { return id.substr(0, id.find('/')); }

// Ids of the paper's rows, and their groups.
std::vector<std::string_view> names_of(const Paper& paper) {
  std::vector<std::string_view> names;
  for (const PaperRow& row : kRows) {
    if (row.paper != paper.name) continue;
    names.push_back(row.id);
    if (std::ranges::find(names, group_of(row.id)) == names.end()) names.push_back(group_of(row.id));
  }
  return names;
}

// A group's name means all of it, unless a row has that name: A2 is not A2/literal as well.
bool fits(const PaperRow& row, std::string_view id) {
  if (row.id == id) return true;
  return group_of(row.id) == id && std::ranges::find(kRows, id, &PaperRow::id) == kRows.end();
}

}  // namespace

std::string fitted_text(const Paper& paper) {
  const std::string own(paper.fitted_beside);
  return std::string(paper.fitted) + (own.empty() ? "" : "; " + own);
}

std::span<const Paper> papers() { return kPapers; }
std::span<const PaperRow> paper_rows() { return kRows; }

dp::Result<const Paper*> find_paper(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Paper& paper : kPapers) {
    if (paper.name == name) return &paper;
    names.push_back(paper.name);
  }
  names.push_back(kLinuxName);
  const std::string found = name.empty() ? "no paper's name" : "paper '" + config::shorten(name) + "'";
  return dp::Error{
      "found " + found + ", expected " + config::one_of(names) + "; `rnclab paper --list` shows their rows",
      2};
}

dp::Result<std::vector<const PaperRow*>> select_rows(const Paper& paper, std::span<const std::string> ids) {
  const auto names = names_of(paper);
  for (const std::string& id : ids) {
    if (std::ranges::find(names, id) != names.end()) continue;
    const auto hint = config::did_you_mean(id, names);
    return dp::Error{"--row: found '" + config::shorten(id) + "', expected a row of paper " +
                         std::string(paper.name) + " (" + config::one_of(names) + ")" + hint,
                     2};
  }
  std::vector<const PaperRow*> rows;
  for (const PaperRow& row : kRows) {
    const bool wanted =
        ids.empty() || std::ranges::any_of(ids, [&](const std::string& id) { return fits(row, id); });
    if (row.paper == paper.name && wanted) rows.push_back(&row);
  }
  return rows;
}

config::Overrides overrides_of(const PaperRow& row) {
  const std::string source = "row " + std::string(row.id), rate = std::to_string(row.rate_kbit_s) + "k";
  config::Overrides all{{source, "classes.bearer.downlink.rate", rate},
                        {source, "classes.bearer.uplink.rate", rate},
                        {source, "classes.bearer.downlink.buffer.sdus", std::to_string(row.buffer_sdus)},
                        {source, "classes.bearer.downlink.aqm", std::string(row.aqm)},
                        {source, "flows.0.count", std::to_string(row.flows)}};
  if (!row.ack.empty()) all.push_back({source, "classes.bearer.uplink.ack", std::string(row.ack)});
  return all;
}

}  // namespace lab

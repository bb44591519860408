// Cells, by name; UEs are none of their labels.
#include "control/metrics/metric_groups.h"

namespace control {

void add_cell_metrics(Families& out, const View& view) {
  Family slots = Family::counter(
      "rncd_cell_slots_total",
      "Slots of a cell: given to who then sent an SDU of a short flow, to others, to nobody.");
  Family bytes = Family::counter("rncd_cell_bytes_total", "Bytes that the slots given could carry.");
  Family members = Family::gauge("rncd_cell_members", "Places of a cell that are taken.");
  Family backlogged = Family::gauge("rncd_cell_backlogged", "Bearers of a cell with something to send.");
  Family stale = Family::counter("rncd_cell_stale_reports_total",
                                 "Reported rates that were too old when a slot asked, each once.");
  Family refused =
      Family::counter("rncd_cell_refused_total", "Times a UE was not learnt since the cell was full.");
  for (const CellView& cell : view.cells) {
    const prometheus::ClientMetric::Label name = label("cell", cell.name);
    for (std::size_t to = 0; to < kSlotsTo.size(); ++to) {
      slots.add({name, label("to", kSlotsTo[to])}, cell.slots[to]);
    }
    bytes.add({name}, cell.bits / 8);
    members.add({name}, cell.members);
    backlogged.add({name}, cell.backlogged);
    stale.add({name}, cell.stale_reports);
    refused.add({name}, cell.refused);
  }
  for (Family* family : {&slots, &bytes, &members, &backlogged, &stale, &refused}) family->into(out);
}

}  // namespace control

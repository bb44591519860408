// Cells, by name; UEs are none of their labels.
#include "control/metrics/metric_groups.h"

namespace control {

void add_cell_metrics(Families& out, const View& view) {
  FamilyGroup<CellView> cells;
  cells
      .counter("rncd_cell_slots_total",
               "Slots of a cell: given to who then sent an SDU of a short flow, to others, to nobody.",
               [](Series series, const CellView& cell) { series.add_named("to", kSlotsTo, cell.slots); })
      .counter("rncd_cell_bytes_total", "Bytes that the slots given could carry.",
               [](const CellView& cell) { return cell.bits / 8; })
      .gauge("rncd_cell_members", "Places of a cell that are taken.",
             [](const CellView& cell) { return cell.members; })
      .gauge("rncd_cell_backlogged", "Bearers of a cell with something to send.",
             [](const CellView& cell) { return cell.backlogged; })
      .counter("rncd_cell_stale_reports_total",
               "Reported rates that were too old when a slot asked, each once.",
               [](const CellView& cell) { return cell.stale_reports; })
      .counter("rncd_cell_refused_total", "Times a UE was not learnt since the cell was full.",
               [](const CellView& cell) { return cell.refused; });
  for (const CellView& cell : view.cells) cells.add({label("cell", cell.name)}, cell);
  cells.into(out);
}

}  // namespace control

"""The output of the live table: text as rnclab's tables, JSON with the same members, and a picture."""
import collections
import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'common'))
import plot  # noqa: E402

HEADINGS = ('POINT', '>kbit/s, 1500', '>delay, s', '>95 %, s', '>dropped', '>resent', '>used', '>Jain')
LATE = 0.02  # share of the frames late by more than 1 ms; beyond, the measurement includes this machine
BUSY, FAST = 0.95, 10_000_000  # share of all CPUs; bit/s from which waiting for a CPU makes bursts that an AQM notices

NOTES = '''\
kbit/s, 1500: received in order, headers of 1500-byte packets counted. delay: from the server's interface to the
  UE's, {one_way:g} ms of wire included, packet by packet from captures of both; of fast links one packet in {one_in} is
  looked at. 95 %: of each flow, mean over flows. dropped: SDUs, by the buffer or its AQM. used: IP bits delivered
  per bit of the rate. The first {warm_up:g} s of {seconds:g} (fast links: {least:g} of {fewest:g}) are left out.
Limits: one run a point; TCP is that of the kernel, {kernel}: {congestions}, with SACK, timestamps and 10 segments
  to begin with; everything shares {cpus} CPUs, so that a frame may wait a little anywhere: {late:.2%} of {frames}
  frames left the wire more than 1 ms late, the latest {latest_ms:.1f} ms.'''


def text_of(value, digits):
    return '-' if value is None else f'{value:.{digits}f}'


def table_of(headings, rows):
    right = [heading.startswith('>') for heading in headings]
    lines = [[heading.removeprefix('>') for heading in headings], *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headings))]
    return ''.join('  '.join(cell.rjust(width) if to_right else cell.ljust(width)
                             for cell, width, to_right in zip(line, widths, right)).rstrip() + '\n' for line in lines)


def cells_of(row):
    return [row['id']] + [text_of(row[name]['mean'], digits) for name, digits in (
        ('goodput_kbit_s', 1), ('delay_s', 3), ('delay_p95_s', 3), ('dropped_sdus', 0), ('retransmissions', 0),
        ('utilisation', 3), ('jain', 3))]


def in_order(rows, order):
    places = {name: place for place, name in enumerate(order)}
    return sorted(rows, key=lambda row: places[row['id']])


def wire_of(batches):
    total = {name: sum(batch['wire'][name] for batch in batches) for name in ('frames', 'lost', 'late_1ms')}
    return total | {'latest_us': max((batch['wire']['latest_us'] for batch in batches), default=0)}


def doubts(batches):
    """Reasons to doubt the figures, in words."""
    found = []
    for batch in batches:
        where, wire = f'{batch["cells"]} points of {", ".join(batch["links"])}', batch['wire']
        if wire['late_1ms'] > LATE * wire['frames']:
            late = wire['late_1ms'] / wire['frames']
            found.append(f'{where}: {late:.1%} of the frames left the wire more than 1 ms late, the CPUs were '
                         f'{batch["cpu_busy"]:.0%} busy; measure again when the machine is idle, or with a lower --load')
        if batch['cpu_busy'] > BUSY and batch['rate'] >= FAST:
            found.append(f'{where}: the CPUs were {batch["cpu_busy"]:.0%} busy; hosts that wait for one send bursts, which '
                         'RED, PDPC and SBD drop for; measure again when the machine is idle')
        if wire['lost'] or batch['driver_losses']:
            found.append(f'{where}: the wire lost {wire["lost"]} frames, drivers {batch["driver_losses"] or "none"}')
        if batch['capture_missed'] != [0, 0]:
            found.append(f'{where}: the captures missed packets: {batch["capture_missed"]}')
        if batch['ended']:
            found.append(f'{where}: connections ended: {batch["ended"]}')
    return found


def best_of(rows):
    """For each link, flows and congestion control: the AQM with the most goodput, that with the least delay, and
    that with the least of those that carry at least 95 % of the most."""
    groups = collections.OrderedDict()
    for row in rows:
        chosen = row['set']
        groups.setdefault((chosen['link'], chosen['flows'], chosen['congestion']), []).append(row)
    lines = []
    for (link, flows, congestion), members in groups.items():
        timed = [row for row in members if row['delay_s']['mean'] is not None]
        if not timed:
            continue
        most = max(timed, key=lambda row: row['goodput_kbit_s']['mean'])
        least = min(timed, key=lambda row: row['delay_s']['mean'])
        enough = [row for row in timed if row['goodput_kbit_s']['mean'] >= 0.95 * most['goodput_kbit_s']['mean']]
        both = min(enough, key=lambda row: row['delay_s']['mean'])
        lines.append([f'{link}, {flows} {congestion}', *(
            f'{row["set"]["aqm"]} {text_of(row["goodput_kbit_s"]["mean"], 0)} / {text_of(row["delay_s"]["mean"], 3)}'
            for row in (most, least, both))])
    return table_of(('LINK, FLOWS', 'most kbit/s / delay, s', 'least delay', 'least delay within 5 % of the most'),
                    lines)


def write_json(document, path):
    if path == '-':
        print(json.dumps(document, indent=2), flush=True)
        return
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(document, file, indent=2)
        file.write('\n')


def draw(folder, rows, name='aqm-table-live'):
    """Goodput as a share of the rate against delay, a panel for each link and congestion control; a shape for each AQM,
    small with one flow and large with more."""
    lines = ['panel,aqm,flows,delay_s,share']
    for row in rows:
        of, delay = row['set'], row['delay_s']['mean']
        share = row['goodput_kbit_s']['mean'] * 1000 / of['rate']
        lines.append(f'{plot.quoted(panel_of(row))},{plot.quoted(of["aqm"])},{of["flows"]},'
                     f'{"NaN" if delay is None else delay},{share}')
    panels = list(dict.fromkeys(panel_of(row) for row in rows))
    aqms = list(dict.fromkeys(row['set']['aqm'] for row in rows))
    across = min(4, len(panels) + 1)
    down = -(-(len(panels) + 1) // across)
    commands = plot.filled('live', PANEL_COUNT=len(panels), PANELS=plot.quoted_all(panels), AQM_COUNT=len(aqms),
                           AQMS=plot.quoted_all(aqms), DOWN=down, ACROSS=across)
    plot.draw(folder, name, '\n'.join(lines) + '\n', commands, f'{320 * across + 40},{260 * down + 60}')


def panel_of(row):
    return f'{row["set"]["link"]} {row["set"]["congestion"]}'

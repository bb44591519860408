"""The downlink of tools/demo --gtp-u over time, by the SGSN to which its packets left, and the pings below."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'common'))
import plot  # noqa: E402

SIZE = "1200,760 font 'Sans,11'"
STEP = 0.25  # seconds that a value is the mean of
COLOURS = ('#808080', '#0060ad', '#d07000', '#208040', '#803090')
HEAD = '''\
set multiplot layout 2,1 title 'A UE in GTP-U tunnels: its bearer, a change of rate, two handovers, SBD and a window regulator' font ',13' \\
    margins 0.07,0.97,0.09,0.86 spacing 0.09
set grid ytics linecolor rgb '#e4e4e4' linetype 1
set border 3
set tics nomirror
set logscale y
set style fill transparent solid 0.2 noborder
set key at graph 1,0.98 right top horizontal Left reverse samplen 2
'''


def rates(seen):
    """{SGSN: [(moment, Mbit/s)]} of IP bytes within tunnels."""
    sums = {}
    for one in seen.crossing.left.frames:
        if one.size:
            place = int((one.at - seen.began) / STEP)
            own = sums.setdefault(one.end, {})
            own[place] = own.get(place, 0) + one.size
    return {end: [(n * STEP, own.get(n, 0) * 8e-6 / STEP) for n in range(min(own), max(own) + 2)] for end, own in sums.items()}


def unshaped(seen):
    """[(moment, Mbit/s)] of TCP's payload without a bearer; what the frames had is not recorded."""
    part = seen.parts[0]
    points = [(begin, count * 8e-6 / (end - begin)) for begin, end, count in part.intervals if end > begin]
    return [*points, (part.intervals[-1][1], 0)]


def csv_of(rows, pings):
    lines = ['time_s,what,value']
    lines += [f'{at:.2f},{end},{rate:.4f}' for end, points in rows.items() for at, rate in points]
    lines += [f'{at:.3f},rtt_ms,{rtt}' for at, rtt in pings]
    return '\n'.join(lines) + '\n'


def marks(parts, names):
    text = 'unset arrow\nunset label\n'
    for n, part in enumerate(parts):
        text += f"set arrow from {part.begin:g}, graph 0 to {part.begin:g}, graph 1 nohead front linecolor rgb '#888888' dashtype 2\n"
        if names:  # neighbours at two heights
            text += f'set label {plot.quoted(part.title)} at {part.begin:g}, graph {1.03 + 0.08 * (n % 2):g} left\n'
    return text


def series(what, shape):
    return f'data using ((strcol(2) eq {plot.quoted(what)}) ? $1 : NaN):3 {shape}'


def draw(folder, seen):
    """Returns where the picture is."""
    rows = {'no bearer': unshaped(seen), **rates(seen)}
    script = HEAD + f'set xrange [0:{seen.parts[-1].end:.1f}]\n' + marks(seen.parts, True)
    script += "set yrange [0.1:*]\nset ylabel 'downlink, IP (Mbit/s)'\nplot " + ', \\\n     '.join(
        series(end, f"with steps linewidth 2 linecolor rgb '{COLOURS[n % len(COLOURS)]}' title {plot.quoted(end if n == 0 else 'to the SGSN ' + end)}")
        for n, end in enumerate(rows)) + '\n'
    script += marks(seen.parts, False) + "set yrange [*:*]\nset xlabel 'time (s)'\nset ylabel 'ping (ms)'\nplot "
    script += series('rtt_ms', "with points pointtype 7 pointsize 0.4 linecolor rgb '#606060' notitle") + '\n'
    return plot.draw(folder, 'gtp-u', csv_of(rows, seen.rows), script + 'unset multiplot\n', SIZE, kinds=('png',))

"""The pings of tools/demo --kill over time, those without an answer marked, and TCP's goodput below."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'common'))
import plot  # noqa: E402

SIZE = "1200,700 font 'Sans,11'"
HEAD = '''\
set multiplot layout 2,1 title 'The wire while rncd is killed, hangs, is restarted and upgraded' font ',13' \\
    margins 0.07,0.97,0.09,0.86 spacing 0.09
set grid ytics linecolor rgb '#e4e4e4' linetype 1
set border 3
set tics nomirror
set logscale y
'''


def csv_of(rows, intervals):
    lines = ['time_s,what,value']
    lines += [f'{at:.3f},{"lost" if rtt is None else "rtt_ms"},{rtt or 1}' for at, rtt in rows]
    lines += [f'{(start + end) / 2:.3f},goodput_mbit,{8e-6 * count / (end - start):.4f}' for start, end, count in intervals
              if end > start]
    return '\n'.join(lines) + '\n'


def marks(moments, events, names):
    text = 'unset arrow\nunset label\n'
    for n, (name, title, _) in enumerate(events):
        at = moments[name]
        text += f"set arrow from {at:g}, graph 0 to {at:g}, graph 1 nohead front linecolor rgb '#888888' dashtype 2\n"
        if names:
            # Neighbours stand at two heights.
            text += f'set label {plot.quoted(title)} at {at:g}, graph {1.03 + 0.08 * (n % 2):g} left\n'
    return text


def panel(what, shape, ylabel):
    return f'set ylabel {plot.quoted(ylabel)}\nplot ' + ', \\\n     '.join(
        f'data using ((strcol(2) eq {plot.quoted(one)}) ? $1 : NaN):3 {how}' for one, how in zip(what, shape)) + '\n'


def draw(folder, rows, intervals, moments, events):
    """Returns where the picture is."""
    end = max(at for at, _ in rows)
    script = HEAD + f'set xrange [0:{end:.1f}]\n' + marks(moments, events, True)
    script += panel(('rtt_ms', 'lost'), ("with points pointtype 7 pointsize 0.3 linecolor rgb '#0060ad' title 'round trip'",
                                         "with points pointtype 2 pointsize 1.4 linewidth 2 linecolor rgb '#c00000' title 'no answer'"),
                    'ping (ms)')
    script += marks(moments, events, False) + "set xlabel 'time (s)'\n"
    script += panel(('goodput_mbit',), ("with steps linewidth 2 linecolor rgb '#d07000' notitle",), 'TCP (Mbit/s)')
    return plot.draw(folder, 'outage', csv_of(rows, intervals), script + 'unset multiplot\n', SIZE, kinds=('png',))

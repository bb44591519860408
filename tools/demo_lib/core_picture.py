"""The rates of tools/demo --told over time: told by the core, and carried."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'common'))
import plot  # noqa: E402

SIZE = "1200,760 font 'Sans,11'"
HEAD = '''\
set multiplot layout 3,1 title 'Rates that the core tells, by PFCP and then by RADIUS, and what rncd carries' font ',13' \\
    margins 0.06,0.97,0.08,0.88 spacing 0.07
set grid ytics linecolor rgb '#e4e4e4' linetype 1
set border 3
set tics nomirror
set yrange [0:10]
set ylabel 'Mbit/s'
set style fill transparent solid 0.2 noborder
set key at graph 1,1.0 right top horizontal Left reverse samplen 2
'''
IP_OF_TCP = 1500 / 1448


def csv_of(ues, seen):
    lines = ['time_s,what,value']
    for n, ue in enumerate(ues):
        for part in seen.parts:
            lines += [f'{at:.2f},{ue} told,{part.rates[n] / 1000:g}' for at in (part.begin, part.end)]
        for begin, end, count in seen.intervals[n]:
            if end > begin:
                lines.append(f'{begin:.2f},{ue} carried,{count * 8e-6 * IP_OF_TCP / (end - begin):.4f}')
    return '\n'.join(lines) + '\n'


def marks(parts, names):
    text = 'unset arrow\nunset label\n'
    for part in parts:
        text += (f'set arrow from {part.begin:g}, graph 0 to {part.begin:g}, graph 1 nohead front '
                 "linecolor rgb '#888888' dashtype 2\n")
        if names:
            text += f'set label {plot.quoted(part.title)} at {part.begin:g}, graph 1.06 left\n'
    return text


def series(what, shape):
    return f'data using ((strcol(2) eq {plot.quoted(what)}) ? $1 : NaN):3 {shape}'


def draw(folder, ues, seen):
    """Returns where the picture is."""
    script = HEAD + f'set xrange [0:{seen.parts[-1].end:.1f}]\n'
    for n, ue in enumerate(ues):
        script += marks(seen.parts, n == 0) + ("set xlabel 'time (s)'\n" if ue == ues[-1] else '')
        script += 'plot ' + ', \\\n     '.join([
            series(f'{ue} carried', f"with fillsteps linecolor rgb '#0060ad' title {plot.quoted(ue + ' carried')}"),
            series(f'{ue} told', "with lines linewidth 2 linecolor rgb '#d07000' title 'told'")]) + '\n'
    return plot.draw(folder, 'told', csv_of(ues, seen), script + 'unset multiplot\n', SIZE, kinds=('png',))

"""BO over time of every lane in one picture: NAME.csv, the script NAME.gp that draws it, and NAME.png."""
import os
import re
import sys

from lanes import DROP_TAIL, SDUS
from stage import kbit
from watch import OVERFLOW

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'common'))
import plot  # noqa: E402

COLOURS = ('#0060ad', '#d07000', '#606060')  # reconfigured, not reconfigured, drop-tail
TOP = SDUS + 8  # end of the axis: above the limit are SDUs that found the buffer full
HEAD = '''\
set multiplot layout {panels},1 title {title} font ',13' offset 0,-0.3 \\
    margins 0.06,0.88,{bottom},{ceiling} spacing {spacing}
set xrange [0:{seconds:g}]
set yrange [0:{top}]
set ytics 0,10,{limit}
set grid ytics linecolor rgb '#e4e4e4' linetype 1
set border 3
set tics nomirror
set ylabel 'buffer occupancy, BO (SDUs)'
set style fill transparent solid 0.12 noborder
set key at graph 0,1.02 left bottom horizontal Left reverse samplen 2
'''


def csv_of(lanes, seen):
    lines = ['time_s,run,bo_sdu,found_full,discarded']
    for lane in lanes:
        readings = seen.watch.readings[lane.name]
        for before, one in zip(readings[:1] + readings, readings):
            grown = {reason: n - before.drops[reason] for reason, n in one.drops.items()}
            full = sum(grown[reason] for reason in OVERFLOW)
            lines.append(f'{one.at:.3f},{lane.name},{one.bo},{full},{grown["aqm"]}')
    return '\n'.join(lines) + '\n'


def thresholds(settings):
    """{name: SDUs} of those parameters that are levels of the occupancy."""
    return {key: int(match[1]) for key, value in settings.items()
            if key.endswith('th') and (match := re.fullmatch(r'(\d+)sdu', str(value)))}


def level(start, end, height, colour, dashes):
    return (f"set arrow from {start:g},{height} to {end:g},{height} nohead front linecolor rgb '{colour}' "
            f'dashtype {dashes} linewidth 1.5\n')


def levels(lane, colour, seen):
    """The limit of the buffer, the switch, and what the policy judges by before and after it."""
    names = {SDUS: ['buffer']}  # beside the axis: what is in force at the end
    text = 'unset arrow\nunset label\n' + level(0, seen.seconds, SDUS, 'black', 3)
    text += f"set arrow from {seen.switched:g},0 to {seen.switched:g},{TOP} nohead front linecolor rgb 'black'\n"
    for settings, start, end in zip(seen.settings[lane.name], (0, seen.switched), (seen.switched, seen.seconds)):
        for name, height in thresholds(settings).items():
            if end == seen.seconds:
                names.setdefault(height, []).append(name)
            if height != SDUS:
                text += level(start, end, height, colour, 2)
    return text + ''.join(f'set label {plot.quoted(", ".join(name) + f" {height}")} at graph 1.01, first {height}\n'
                          for height, name in names.items())


def panel(lane, colour, seen):
    mine, ink = f'strcol(2) eq {plot.quoted(lane.name)}', f"linecolor rgb '{colour}'"
    parts = [f'(({mine}) ? $1 : NaN):3 with fillsteps {ink} notitle',
             f'(({mine}) ? $1 : NaN):3 with steps linewidth 2 {ink} title {plot.quoted(lane.title)}',
             f'(({mine}) && $4 > 0 ? $1 : NaN):({SDUS + 4}) with points pointtype 7 pointsize 0.8 '
             "linecolor rgb '#c00000' title 'found the buffer full'"]
    if lane.name != DROP_TAIL:
        parts.append(f'(({mine}) && $5 > 0 ? $1 : NaN):(1) with points pointtype 2 pointsize 0.7 '
                     "linecolor rgb 'black' title 'discarded by the AQM'")
    return levels(lane, colour, seen) + 'plot ' + ', \\\n     '.join('data using ' + part for part in parts) + '\n'


def height_of(lanes):
    return 120 + 230 * len(lanes)


def script_of(lanes, seen):
    before, after = (kbit(rate) for rate in seen.rates)
    height = height_of(lanes)
    title = f'Buffer occupancy of two downloads: {before}, from {seen.switched:.0f} s on {after}'
    text = HEAD.format(panels=len(lanes), title=plot.quoted(title), seconds=seen.seconds,
                       top=TOP, limit=SDUS, bottom=60 / height, ceiling=1 - 70 / height, spacing=55 / height)
    # Drop-tail, the last, has the same look in every picture.
    for lane, colour in zip(lanes, COLOURS[:len(lanes) - 1] + COLOURS[-1:]):
        text += ("set xlabel 'time (s)'\n" if lane is lanes[-1] else '') + panel(lane, colour, seen)
    return text + 'unset multiplot\n'


def draw(folder, policy, lanes, seen):
    """Returns where the picture is."""
    return plot.draw(folder, policy, csv_of(lanes, seen), script_of(lanes, seen),
                     f"1200,{height_of(lanes)} font 'Sans,11'", kinds=('png',))

"""The observations of tools/demo --cell, as a table, compared with 001 section 6, and as a picture."""
import os
import sys

from stage import kbit, say
from verdict import say_claims, verdict_of

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'common'))
import plot  # noqa: E402

LOOSE = 1.1  # medians of a hundred fetches differ by this share from run to run
COLOURS = ('#0060ad', '#d07000')  # UEs that only fetch, UEs that download too
HEAD = '''\
set title {title} font ',13'
set xrange [0:{seconds:g}]
set logscale y
set yrange [0.01:30]
set grid ytics linecolor rgb '#e4e4e4' linetype 1
set border 3
set tics nomirror
set xlabel 'time (s)'
set ylabel 'a fetch takes (s)'
set key outside bottom center horizontal
'''


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else float('nan')


def milliseconds(values, part):
    return f'{percentile(values, part) * 1e3:.0f} ms' if values else '-'


def took(phase, ues):
    return [one['seconds'] for one in phase.fetches if one['ue'] in ues and 'seconds' in one]


def failed(phases):
    return [one for phase in phases for one in phase.fetches if 'failed' in one]


def goodput(phase, ues):
    return 8 * sum(phase.bytes[ue] for ue in ues) / (phase.ended - phase.began)


def table(demo, phases):
    head = ['fetches', 'median', '95 %', 'with bulk', 'median', '95 %', 'bulk', 'short', 'long', 'nobody']
    say(f'  {"":<16}' + ''.join(f'{cell:>11}' for cell in head))
    for phase in phases:
        alone, beside = took(phase, demo.web), took(phase, demo.bulk)
        cells = [str(len(alone)), *(milliseconds(alone, part) for part in (0.5, 0.95)),
                 str(len(beside) or '-'), *(milliseconds(beside, part) for part in (0.5, 0.95)),
                 kbit(goodput(phase, demo.bulk)).replace('/s', ''), *(str(phase.slots[to]) for to in ('short', 'long', 'nobody'))]
        say(f'  {phase.title():<16}' + ''.join(f'{cell:>11}' for cell in cells))
    say('  fetches: of UEs that do nothing else, from the SYN to the last byte; with bulk: of UEs that download, too.')
    say('  bulk: what the cell delivered to the UEs that download. short, long, nobody: slots, by whom they went to.')


# Why a run comes out otherwise.
UNEXPECTED = {
    'order': 'with an initial window of ten segments a fetch is one burst, so that little is left to gain for who is\n'
             'served first; the same fetches with --initial-window 1 take more round trips.',
    'cost': 'half a minute is short: the radios carry more in one phase than in another.',
    'queue': 'the fetches met few packets of the downloads, whose windows were small.',
}


def claims(demo, phases):
    """(claim, its outcome in 001, outcome seen, figures that show it, reason for a difference)"""
    by = {}  # the first phase and that after the others are alike, and count together
    for phase in phases[:-2]:
        by.setdefault(phase.title(), []).append(phase)
    middle = {name: percentile([one for phase in alike for one in took(phase, demo.web)], 0.5)
              for name, alike in by.items()}
    bulk = {name: sum(goodput(phase, demo.bulk) for phase in alike) / len(alike) for name, alike in by.items()}
    told = ', '.join(f'{middle[name] * 1e3:.0f} ms ({name})' for name in middle)
    if {'sfp + pf', 'sfp + pf-sp', 'sfp + pf-rp'} <= by.keys():
        order = (middle['sfp + pf-sp'] <= LOOSE * middle['sfp + pf-rp'] and
                 middle['sfp + pf-rp'] <= LOOSE * middle['sfp + pf'])
        yield 'median fetch: pf-sp, pf-rp, pf, in this order', True, order, told, UNEXPECTED['order']
        cost = 1 - bulk['sfp + pf-rp'] / bulk['sfp + pf']
        yield 'pf-rp takes little from the downloads', True, cost <= 0.05, f'{cost:.1%} less than pf', UNEXPECTED['cost']
    fifo, sfp = (percentile(took(phase, demo.bulk), 0.5) for phase in phases[-2:])
    yield ('short flows first helps who downloads, too', True, sfp < fifo,
           f'median {sfp * 1e3:.0f} ms against {fifo * 1e3:.0f} ms', UNEXPECTED['queue'])
    once, again = (percentile(took(phase, demo.web), 0.5) for phase in (phases[0], phases[-3]))
    yield ('the same phase twice agrees within a fifth', None, abs(again / once - 1) < 0.2,
           f'{once * 1e3:.0f} and {again * 1e3:.0f} ms: so much two runs differ', '')


def report(demo, phases, box):
    say()
    table(demo, phases)
    say()
    claimed = list(claims(demo, phases))
    say_claims('001 says', claimed)
    lost = failed(phases)
    say(f'\n  fetches that failed: {len(lost)}' + ''.join(f'\n    {one["ue"]}: {one["failed"]}' for one in lost[:5]))
    residue = box.stats()['residue']
    say(f'  unaccounted frames: {residue}')
    say('  It is one run, of a kernel\'s TCP. 001 has 10,000 s, an initial window of one segment and delays before the cell,\n'
        '  which rnclab simulates: build/rnclab paper 001 --part web --short\n')
    return verdict_of('schedulers and queues do to short fetches what 001 says', claimed, residue)


def csv_of(phases, bulk):
    start = phases[0].began
    lines = ['time_s,ue,seconds,downloads,phase']
    for phase in phases:
        lines += [f'{one["began"] - start:.3f},{one["ue"]},{one["seconds"]:.4f},{int(one["ue"] in bulk)},'
                  f'{plot.quoted(phase.title())}'
                  for one in phase.fetches if 'seconds' in one]
    return '\n'.join(lines) + '\n'


def draw(folder, phases, bulk):
    """Returns where the picture is. `bulk`: the UEs that download, too."""
    start, end = phases[0].began, phases[-1].ended
    text = HEAD.format(title=plot.quoted('Short fetches in a cell, by scheduler and queue'), seconds=end - start)
    for n, phase in enumerate(phases):
        at, until = phase.began - start, phase.ended - start
        values = [one['seconds'] for one in phase.fetches if 'seconds' in one]
        if n:
            text += f"set arrow from {at:g},0.01 to {at:g},30 nohead linecolor rgb '#808080' dashtype 2\n"
        text += f'set label {plot.quoted(phase.title())} at {(at + until) / 2:g},24 center\n'
        if values:
            middle = percentile(values, 0.5)
            text += (f"set arrow from {at:g},{middle:g} to {until:g},{middle:g} nohead front linewidth 2 "
                     "linecolor rgb 'black'\n")
    text += 'plot ' + ', '.join(
        f"data using ($4 == {n} ? $1 : NaN):3 with points pointtype 7 pointsize 0.6 linecolor rgb '{colour}' title '{title}'"
        for n, (colour, title) in enumerate(zip(COLOURS, ('a fetch', 'of a UE that downloads')))) \
        + ", NaN with lines linewidth 2 linecolor rgb 'black' title 'median of the phase'\n"
    return plot.draw(folder, 'cell', csv_of(phases, bulk), text, "1200,500 font 'Sans,11'", kinds=('png',))

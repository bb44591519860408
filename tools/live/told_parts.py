"""The measurements of rncd-told on a Stage: each part returns rows of the table and its figures."""
import dataclasses
import json
import os
import subprocess
import sys
import time

from rig import CORE, CORE_V4, RADIO, UE_V4, RigError
from samples import samples, total
from told_signalling import as_a_bad_mirror
from told_stage import PAGE_AGE, say
import told_load

LOAD = os.path.abspath(told_load.__file__)
MESSAGES, APPLY = 'rncd_told_messages_total', 'rncd_told_apply_seconds'
EASY = 1000  # establishments a second where their pace is not measured
IN_FORCE, DEVIATION, SETTLED = 0.02, 0.01, 30
ABOVE = 1.15  # load, of the AMBR
SHARE = 0.01  # lost, and overtaken, in a bad mirror
WARM_UP = 2


@dataclasses.dataclass
class Row:
    promise: str
    bound: str
    measured: str
    kept: bool


def established(metrics, what):
    if MESSAGES not in metrics:
        return 0
    return total(metrics, MESSAGES, 'kind="session_establishment"', f'result="{what}"')


def counted(metrics):
    return {'requests': established(metrics, 'awaited'), 'responses': established(metrics, 'applied'),
            'dropped': total(metrics, 'rncd_told_dropped_datagrams_total', 'pfcp')}


def establish(stage, pace):
    """All sessions at this pace of establishments a second."""
    for ue in stage.ues:
        stage.signalling.establish(stage.session(ue))
    count, before = len(stage.ues), counted(samples(stage.told.metrics()))
    began = time.monotonic()
    sent = stage.tell(2 * pace)
    in_force = stage.await_bearers(stage.all_bearers(), began, 10)
    time.sleep(PAGE_AGE)
    metrics = samples(stage.told.metrics())
    seen = {name: value - before[name] for name, value in counted(metrics).items()}
    lost = 2 * count - seen['requests'] - seen['responses']
    known = total(metrics, 'rncd_told_sessions', 'pfcp', 'live')
    figures = {'pace': pace, 'sessions': count, 'known': int(known), 'lost_sessions': int(count - known),
               'lost_messages': int(lost), 'dropped_by_kernel': int(seen['dropped']), 'sent_s': sent,
               'in_force_s': in_force}
    say(f'{pace:,} establishments a second: {text_of(figures)}')
    return figures


def text_of(figures):
    force = 'missing' if figures['in_force_s'] is None else f'after {figures["in_force_s"]:.2f} s'
    return (f'{figures["lost_messages"]} lost, {figures["lost_sessions"]} sessions unknown; sent in '
            f'{figures["sent_s"]:.2f} s, all bearers {force}')


def delete_all(stage):
    for session in stage.live.values():
        stage.signalling.delete(session)
    stage.tell(2 * EASY)
    stage.live.clear()
    if stage.await_bearers(stage.empty, time.monotonic(), 10) is None:
        say('some sessions stay, whose deletion was lost')


def establishments(stage, paces, promised):
    """The last pace is the one whose sessions stay."""
    stage.signalling.associate()
    found = []
    for pace in paces:
        if found:
            delete_all(stage)
        found.append(establish(stage, pace))
    stage.repair()
    judged = [one for one in found if one['pace'] == promised]
    best = max((one['pace'] for one in found if one['lost_messages'] == 0), default=0)
    rows = [Row(f'{one["sessions"]:,} sessions at {one["pace"]:,} establishments a second', '0 messages lost',
                text_of(one), one['lost_messages'] == 0) for one in judged]
    rows.append(Row('highest pace without loss', f'{promised:,}/s', f'{best:,}/s', best >= promised))
    return rows, found


def quantile(buckets, share):
    """An estimate like that of Prometheus; `buckets` are cumulative: [upper bound, count]."""
    wanted, below, low = share * buckets[-1][1], 0, 0.0
    for bound, count in buckets:
        if count >= wanted and count > below:
            return low if bound == float('inf') else low + (bound - low) * (wanted - below) / (count - below)
        below, low = count, bound
    return low


def buckets_of(metrics):
    found = {float(label.removeprefix('le="').rstrip('"').replace('+', '')): count
             for label, count in metrics[f'{APPLY}_bucket'].items()}
    return sorted(found.items())


def grown(before, after):
    return [(bound, value - old) for (bound, value), (_, old) in zip(after, before)]


def late(buckets):
    """(all, those that took more than 20 ms)"""
    return buckets[-1][1], buckets[-1][1] - dict(buckets)[IN_FORCE]


def changes(stage, count, seconds):
    """Modifications over a time in which rncd-told also compares all bearers, and how many were late in each second."""
    looks = [buckets_of(samples(stage.told.metrics()))]
    for _ in range(seconds):
        stage.change(count // seconds, stage.kept)
        begin = time.monotonic()
        stage.tell(2 * (count // seconds))
        time.sleep(max(0, begin + 1 - time.monotonic()))
        looks.append(buckets_of(samples(stage.told.metrics())))
    time.sleep(1 + PAGE_AGE)
    looks.append(buckets_of(samples(stage.told.metrics())))
    whole = grown(looks[0], looks[-1])
    by_second = [late(grown(before, after)) for before, after in zip(looks, looks[1:])]
    best = sorted(by_second, key=lambda one: one[1])[:len(by_second) * 9 // 10]
    share = 1 - sum(missed for _, missed in best) / max(sum(seen for seen, _ in best), 1)
    return changes_row(seconds * (count // seconds), seconds, whole, by_second, share)


def changes_row(count, seconds, whole, by_second, best):
    seen, missed = late(whole)
    figures = {'sent': count, 'applied': int(seen), 'p50_s': quantile(whole, 0.5), 'p99_s': quantile(whole, 0.99),
               'within_20_ms': 1 - missed / max(seen, 1), 'within_20_ms_in_nine_tenths': best,
               'buckets': {str(bound): value for bound, value in whole}, 'late_by_second': [n for _, n in by_second]}
    text = (f'p50 {1000 * figures["p50_s"]:.1f} ms, p99 {1000 * figures["p99_s"]:.1f} ms, '
            f'{figures["within_20_ms"]:.1%} within 20 ms ({best:.1%} without the worst tenth of the seconds), '
            f'{figures["applied"]} applied')
    say(f'changes: {text}')
    kept = figures['within_20_ms'] >= 0.99 and seen >= count
    return [Row(f'{count} changes in force, in {seconds} s', '99 % within 20 ms', text, kept)], figures


class End:
    """told_load.py at a side."""

    def __init__(self, rig, side, role, address):
        self.rig = rig
        self.process = rig.start(side, sys.executable, '-B', LOAD, role, address, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def plan(self, **plan):
        self.process.stdin.write(json.dumps(plan) + '\n')
        self.process.stdin.flush()

    def answer(self):
        try:
            said, _ = self.process.communicate(timeout=60)
        finally:
            self.rig.stop(self.process)
        if self.process.returncode:
            raise RigError(f'told_load.py ended with exit code {self.process.returncode}')
        return json.loads(said) if said else None


def goodput(stage, count, seconds):
    """UDP above the AMBR to some UEs, counted behind rncd."""
    sampled = stage.draw.sample([ue for ue in stage.known.sessions if ue not in stage.kept], count)
    sessions = {ue: stage.known.sessions[ue] for ue in sampled}
    flows = [(ue, one.ran[1], ABOVE * 1000 * one.downlink) for ue, one in sessions.items()]
    sender, receiver = End(stage.rig, CORE, 'send', CORE_V4), End(stage.rig, RADIO, 'receive', UE_V4)
    begin = time.monotonic() + 0.2
    until = begin + WARM_UP + seconds
    receiver.plan(**{'from': begin + WARM_UP, 'until': until})
    sender.plan(until=until + 0.5, to=UE_V4, flows=flows)
    answer = receiver.answer()
    sender.answer()
    found = []
    for ue, one in sessions.items():
        octets, took = answer['flows'].get(str(one.ran[1]), (0, 1))
        promised = 1000 * one.downlink * (told_load.PACKET - told_load.HEADERS) / told_load.PACKET
        carried = 8 * octets / max(took, 1e-9)
        found.append({'ue': ue, 'ambr': 1000 * one.downlink, 'promised': promised, 'goodput': carried,
                      'deviation': carried / promised - 1})
        say(f'{ue}: AMBR {one.downlink} kbit/s, goodput {carried / 1000:.1f} of {promised / 1000:.1f} kbit/s, '
            f'{found[-1]["deviation"]:+.2%}')
    worst = max(found, key=lambda flow: abs(flow['deviation']))
    missed = f'; the receiver missed {answer["missed"]} packets' if answer['missed'] else ''
    return [Row(f'goodput of {count} UEs, AMBR less headers', 'within 1 %', f'worst {worst["deviation"]:+.2%} at '
                f'{worst["ambr"] / 1e6:.1f} Mbit/s{missed}', abs(worst['deviation']) <= DEVIATION)], \
        {'flows': found, 'missed': answer['missed']}


def drift_row(stage, what, since, others=None):
    seconds, left, wrong, touched = stage.settled(since, others)
    figures = {'what': what, 'seconds': seconds, 'drift': left, 'wrong': wrong, 'touched': touched}
    count = len(stage.kept if others is None else others)
    text = f'{seconds:.1f} s; {wrong} bearers not as told, {touched} of {count} others changed'
    if dropped := counted(samples(stage.told.metrics()))['dropped']:
        text += f'; its capture dropped {dropped:.0f} frames since its start'
    say(f'{what}: {text}')
    kept = not (left or wrong or touched) and seconds <= SETTLED
    return Row(f'drift 0 after {what}', f'{SETTLED} s', text, kept), figures


def told_killed(stage, count):
    """The core goes on while rncd-told is away; what nobody saw is told again when the SMF restores its sessions."""
    stage.told.kill()
    stage.change(count, stage.kept)
    stage.signalling.send(stage.signalling.take(), 2 * EASY)
    began = time.monotonic()
    stage.told.start()
    yield drift_row(stage, 'a kill and start of rncd-told', began)
    stage.repair()
    stage.signalling.associate(started=2)
    for session in stage.live.values():
        stage.signalling.establish(session)
    began = time.monotonic()
    stage.tell(2 * EASY)
    yield drift_row(stage, f'all sessions told again, {len(stage.live) / EASY:.1f} s long', began)


def rncd_stopped(stage, count):
    stage.repair()
    stage.box.stop()
    stage.change(count, stage.kept)
    stage.tell(2 * EASY)
    began = time.monotonic()
    stage.box.start()
    yield drift_row(stage, 'a stop and start of rncd', began)
    stage.repair()
    stage.box.stop()
    os.unlink(stage.state)  # with it the operator's bearers
    began = time.monotonic()
    stage.box.start()
    others = {ue: row for ue, row in stage.kept.items() if row['owner'] != 'operator'}
    yield drift_row(stage, 'a start of rncd without its state', began, others)
    stage.operate()


def build_mixture(stage, count):
    """Modifications among deletions, then among establishments: half of these of UEs whose sessions were deleted."""
    gone = stage.draw.sample([ue for ue in stage.live if ue not in stage.kept], count // 4)
    new = [f'10.57.{number // 250}.{number % 250 + 1}' for number in range(count // 8)]
    for deletions, ues in ((True, gone), (False, gone[:count // 4 - len(new)] + new)):
        steps = [None] * (count // 4) + ues
        stage.draw.shuffle(steps)
        for ue in steps:
            if ue is None:
                stage.change(1, stage.kept)
            elif deletions:
                stage.signalling.delete(stage.live.pop(ue))
            else:
                stage.signalling.establish(stage.session(ue))


def bad_mirror(stage, count, seed):
    stage.repair()
    build_mixture(stage, count)
    seen, lost, overtaken = as_a_bad_mirror(stage.signalling.take(), seed, SHARE)
    took = stage.send(seen, 2 * EASY)
    what = f'{count} messages by a mirror that loses {lost} datagrams and swaps {overtaken}'
    row, figures = drift_row(stage, what, time.monotonic())
    return row, figures | {'lost': lost, 'overtaken': overtaken, 'sent_s': took}


def drift(stage, missed, count, seed):
    found = [*told_killed(stage, missed), *rncd_stopped(stage, missed), bad_mirror(stage, count, seed)]
    return [row for row, _ in found], [figures for _, figures in found]

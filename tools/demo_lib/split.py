"""tools/demo --proxy split: files over kernel TCP, over bearers that are alike but for their split proxy, all at once;
and then a bypass in the middle of files. The server is behind a lossy network, and the air loses and repeats PDUs, as
in paper 003."""
import json
import math
import os
import re
import subprocess
import time

import lanes as runs
import split_verdict
import ue_tcp
from around import measured
from radio import HOST, RadioRig
from stage import CORE, RADIO, bearer, kbit, rncd, say, wire

CORE_MS = 100  # one way
AIR = {'rate': '256k', 'fer': '10%', 'delay': '75ms'}
# 003: reports every 100 ms, and no polls. What no report names is sent again after the round trip and a TTI.
LINK = ('{{am: {{channel: bernoulli, errors: pdu, fer: {fer}, delay: {delay}, repeat_unreported: 160ms, nack_hold: 0s, '
        'timer_status_periodic: 100ms, timer_status_prohibit: 0s, missing_pdu: no, poll_last: no, '
        'poll_last_retransmission: no, poll_window: 0, timer_poll: 0s, max_dat_counts: transmissions}}}}')
SDUS = 50
WINDOW = 32768
SERVER_WINDOW = 3  # segments that the server begins with (RFC 3390)
SIZE = 50_000
EACH = 4  # UEs of a kind, so that there are files enough
PORT = 5600
FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'files.py')
BYPASS_AFTER, BYPASS_FILES = 4.0, 3  # s; files of each UE around it
PATIENCE = 90


def kinds_of(windows):
    """Lanes whose place is that of the first of their UEs."""
    kinds = [runs.Lane('none', 'no proxy', runs.DROP_TAIL)]
    for size in windows:
        kinds.append(runs.Lane(f'iw{size}', f'split, IW {size}', runs.DROP_TAIL,
                               proxy=f'{{split: {{initial_window: {size}, window: {WINDOW}, min_rto: 1s}}}}'))
    for number, kind in enumerate(kinds):
        kind.place = number * EACH
    return kinds


def bound(rate):
    """Seconds for a drain: the default, or what three windows take where that is more."""
    number, unit = re.fullmatch(r'([\d.]+)([kM]?)\w*', rate).groups()
    return max(5, math.ceil(3 * 8 * WINDOW / (float(number) * {'k': 1e3, 'M': 1e6}.get(unit, 1))))


def ues_of(kind):
    return [f'10.45.0.{2 + kind.place + k}' for k in range(EACH)]


class Split:
    def __init__(self, options, air):
        self.options, self.air = options, air
        self.windows = options.iw
        self.kinds = kinds_of(self.windows)
        self.ues = EACH * len(self.kinds)
        self.again = 'tools/demo --hold --proxy split'

    def rig(self):
        return RadioRig(self.ues, CORE_MS, 0, self.options.loss)

    def config(self):
        bearers = ''.join(f'  - {{ue: {ue}, class: {kind.name}}}\n' for kind in self.kinds for ue in ues_of(kind))
        return {**runs.config(self.kinds, self.air['rate'], LINK.format(**self.air), SDUS),
                'bearers': 'bearers:\n' + bearers, 'more': f'modes: {{drain_timeout: {bound(self.air["rate"])}s}}\n'}

    def commands(self):
        return ['proxy show', f'show flows {ues_of(self.kinds[-1])[0]}', f'proxy drain {self.kinds[-1].name}', 'mode bypass']

    def show(self, rig, box):
        options = self.options
        ue_tcp.offer(rig, ue_tcp.Options(options.sack, options.timestamps))
        rig.run(CORE, 'ip', 'route', 'change', '10.45.0.0/16', 'dev', HOST[CORE], 'initcwnd', str(SERVER_WINDOW))
        self.introduce(box)
        server = rig.start(CORE, '/usr/bin/python3', '-B', FILES, 'serve', rig.address(CORE), str(PORT), str(SIZE), options.tcp,
                           stdout=subprocess.PIPE)
        try:
            if server.stdout.readline().strip() != 'listening':
                raise wire.RigError('the server of the files does not listen')
            seen = split_verdict.Seen(self.kinds, self.windows, bearer(box)['downlink']['rate'], SIZE)
            seen.files = measured(box, lambda: self.compare(rig, box))
            seen.bypass = measured(box, lambda: self.through_a_bypass(rig, box))
            seen.residue = box.stats()['residue']
        finally:
            rig.stop(server)
        box.call('mode.set', mode='inline')
        return split_verdict.report(seen)

    def introduce(self, box):
        leg, options = bearer(box)['downlink'], self.options
        say(f'demo: {self.ues} bearers at once of {kbit(leg["rate"])} over RLC AM: {self.air["fer"]} of the PDUs are lost, '
            f'{self.air["delay"]} one way;\n  {EACH} UEs of each kind: ' + '; '.join(kind.title for kind in self.kinds))
        say(f'demo: the server is {CORE_MS} ms away, one way, behind a loss of {options.loss:.1%} of its data, and begins with '
            f'{SERVER_WINDOW} segments')
        say(f'demo: files of {SIZE // 1000} kB, a connection each, one after another for {options.seconds:.0f} s; {options.tcp}, '
            f'{ue_tcp.Options(options.sack, options.timestamps).title()}')

    def fetch(self, rig, seconds, count):
        return rig.start(RADIO, '/usr/bin/python3', '-B', FILES, 'fetch', rig.address(CORE), str(PORT), str(SIZE),
                         str(seconds), str(count), *(ue for kind in self.kinds for ue in ues_of(kind)), stdout=subprocess.PIPE)

    def compare(self, rig, box):
        """The files of all UEs."""
        seconds, most = self.options.seconds, self.options.files
        asking = self.fetch(rig, seconds, 1_000_000 if most is None else -(-most // EACH))
        try:
            time.sleep(min(seconds / 2, 20))
            say('\n  rncctl proxy show, meanwhile')
            say('\n'.join('    ' + line for line in box.ctl('proxy', 'show').stdout.splitlines()) + '\n')
            return self.told(asking, seconds + PATIENCE)
        finally:
            rig.stop(asking)

    def told(self, asking, patience):
        """{class: files}"""
        out, _ = asking.communicate(timeout=patience)
        kind_of = {ue: kind.name for kind in self.kinds for ue in ues_of(kind)}
        files = {kind.name: [] for kind in self.kinds}
        for one in map(json.loads, out.splitlines()):
            files[kind_of[one['ue']]].append(one)
        return files

    def through_a_bypass(self, rig, box):
        """When proxies have much at risk, they and all queues are taken out of the way."""
        say('demo: again files on all of them, and in the middle: rncctl mode bypass')
        box.call('mode.set', mode='inline')
        asking = self.fetch(rig, 3600, BYPASS_FILES)
        try:
            time.sleep(BYPASS_AFTER)
            wait_for_risk(box)
            at, said = time.monotonic(), rncd_mode(box, 'bypass')
            took = time.monotonic() - at
            drained = said['drained']
            say(f'  mode {said["mode"]}, was {said["was"]}, after {took:.2f} s: {drained["at_risk_before"]} bytes at risk before, '
                f'{drained["at_risk_after"]} lost, {drained["reset"]} connections reset')
            return split_verdict.Bypass(at, drained, box.call('config.get')['modes']['drain_timeout'],
                                        [one for files in self.told(asking, PATIENCE).values() for one in files])
        finally:
            rig.stop(asking)


def wait_for_risk(box, least=20_000, seconds=20):
    """Waits until this number of octets is acknowledged to servers and has not reached a UE."""
    end = time.monotonic() + seconds
    while box.call('proxy.show')['at_risk_bytes'] < least:
        if time.monotonic() > end:
            raise wire.RigError(f'proxies have no {least} bytes at risk within {seconds} s')
        time.sleep(0.05)


def rncd_mode(box, mode):
    command = (rncd.RNCCTL, '-s', box.socket, '--timeout', '30000', '--json', 'mode', mode)
    return json.loads(wire.sh(*command, timeout=40).stdout)

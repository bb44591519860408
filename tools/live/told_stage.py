"""rncd and rncd-told between the hosts of a Rig, with bearers that others than rncd-told own, and what is compared:
the bearers of rncd with the sessions that were told, and the others' bearers with what they were."""
import contextlib
import os
import random
import sys
import tempfile
import time

from box import Box
from rig import Rig, TooLate
from samples import samples, total
from told import Told
import told_signalling as signalling

CLASSES = '  internet: {downlink: {rate: 8M, buffer: {sdus: 50}}, uplink: {rate: 8M, buffer: {sdus: 50}}}\n'
PEERS = '10.45.0.0/16'
MTU = 1600  # a tunnel takes 36 bytes of an interface
MEMBERS = ['owner', 'class', 'downlink.rate', 'uplink.rate', 'downlink.gate', 'uplink.gate', 'downlink.tunnel',
           'uplink.tunnel']
OTHERS = 5  # bearers of an operator, and of the configuration, that have no session; as many have one
PAGE_AGE = 1.2  # seconds
PATIENCE = 60
SLOW, TRIES = 1000, 5  # datagrams a second, times


def say(text):
    print(text, file=sys.stderr, flush=True)


def ue_of(number):
    """Those of sessions begin at 10.60.0.1."""
    return f'10.{60 + number // 62_500}.{number // 250 % 250}.{number % 250 + 1}'


def lasting(row):
    """A bearer without the age of its tunnels."""
    for leg in (row['downlink'], row['uplink']):
        if leg['tunnel']:
            del leg['tunnel']['since_seconds']
    return row


class QuietRig(Rig):
    def start(self, side, *command, **options):
        """Ctrl-C is for this program, which ends the others in order."""
        return super().start(side, *command, start_new_session=True, **options)


class Stage:
    """Everything that runs, in `with`. `operators` and `configured` are the UEs of the others' bearers."""

    def __init__(self, seed, sessions):
        self.draw = random.Random(seed)
        self.ues = [ue_of(number) for number in range(sessions)]
        some = self.draw.sample(self.ues, 2 * OTHERS)
        self.operators = some[:OTHERS] + [f'10.58.0.{number}' for number in range(1, OTHERS + 1)]
        self.configured = some[OTHERS:] + [f'10.58.1.{number}' for number in range(1, OTHERS + 1)]
        self.known, self.live, self.teids = signalling.Known(), {}, iter(range(1, 1 << 24))
        self.stack = contextlib.ExitStack()
        self.kept, self.box = {}, None

    def __enter__(self):
        try:
            self._start(self.stack.enter_context)
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(self, kind, *_):
        """After an interrupt the answer to a call may still be on its way: rncd is asked nothing more."""
        if kind and self.box:
            self.box.hurry()
        self.stack.close()

    def _start(self, enter):
        folder = enter(tempfile.TemporaryDirectory(prefix='rncd-live-'))
        self.state = os.path.join(folder, 'state')
        self.rig = enter(QuietRig(mtu=MTU))
        bearers = ''.join(f'  - {{ue: {ue}, class: internet}}\n' for ue in self.configured)
        self.box = enter(Box(self.rig, device='af_packet', classes=CLASSES, bearers='bearers:\n' + bearers,
                             dataplane=f'  gtp_u: {{peers: [{PEERS}]}}\n  max_bearers: 65536\n', name='told-promises',
                             state=self.state, arguments=('--restore',)))
        self.operate()
        self.empty = self.bearers()
        self.told = enter(Told(self.rig, self.box, folder))
        self.signalling = enter(signalling.Signalling(self.rig))

    def operate(self):
        """Sets bearers by hand. From then on no bearer of others changes."""
        for ue in self.operators:
            self.box.ctl('bearer', 'set', ue, '--class', 'internet', '--rate', '3M', '--uplink-rate', '2M')
        self.kept = self.listed()[1]

    def session(self, ue):
        """A session to establish, in place of the one that the UE has."""
        self.live[ue] = signalling.session_of(ue, next(self.teids), self.draw)
        return self.live[ue]

    def send(self, datagrams, pace):
        self.known.see(datagrams)
        return self.signalling.send(datagrams, pace)

    def tell(self, pace):
        """Sends what is built, and returns the seconds that it took."""
        return self.send(self.signalling.take(), pace)

    def change(self, count, without=()):
        """Builds modifications of random sessions: another AMBR."""
        ues = [ue for ue in self.live if ue not in without]
        for _ in range(count):
            one = self.live[self.draw.choice(ues)]
            self.signalling.change_rates(one, one.uplink, self.draw.randint(1000, 20_000))

    def listed(self):
        """Bearers of rncd-told as Known.bearers() has them, and all others with every member that is compared."""
        told, others, cursor = {}, {}, {}
        while True:
            page = self.box.call('bearer.list', limit=1000, members=MEMBERS, **cursor)
            for row in page['items']:
                down, up = row['downlink'], row['uplink']
                if row['owner'] == 'pfcp':
                    told[row['ue']] = (down['rate'], up['rate'], (down['tunnel'] or {}).get('teid'))
                else:
                    others[row['ue']] = lasting(row)
            if page['next'] is None:
                return told, others
            cursor = {'cursor': page['next']}

    def differences(self, others=None):
        """(bearers that are not as the sessions seen, bearers of others that are not as they were)."""
        kept = self.kept if others is None else others
        told, found = self.listed()
        wanted = self.known.bearers(kept)
        wrong = sum(told.get(ue) != wanted.get(ue) for ue in told.keys() | wanted.keys())
        return wrong, sum(found.get(ue) != kept.get(ue) for ue in found.keys() | kept.keys())

    def settled(self, since, others=None, patience=PATIENCE):
        """Waits until the drift is 0 and all bearers are as they should be, and stay so for longer than the page of the
        metrics is valid. Returns the seconds from a moment to the first of that, the drift and both differences."""
        first = None
        while True:
            metrics = samples(self.told.metrics())
            drift = total(metrics, 'rncd_told_drift') + (1 - total(metrics, 'rncd_told_connected'))
            wrong, touched = self.differences(others)
            now = time.monotonic()
            first = None if drift or wrong else first or now
            if now - (first or now) > PAGE_AGE or (first is None and now - since > patience):
                return (first or now) - since, int(drift), wrong, touched
            time.sleep(0.1)

    def bearers(self):
        return self.box.stats()['bearers']['count']

    def all_bearers(self):
        """The number of them when each session has one."""
        return self.empty + len(self.known.bearers(self.kept))

    def await_bearers(self, count, since, patience):
        """Seconds from a moment until there are so many; None if that takes too long."""
        while self.bearers() != count:
            if time.monotonic() - since > patience:
                return None
            time.sleep(0.02)
        return time.monotonic() - since

    def repair(self):
        """Establishes sessions anew, slowly, whose messages were lost."""
        for _ in range(TRIES):
            told, wanted = self.listed()[0], self.known.bearers(self.kept)
            if not (missing := [ue for ue, bearer in wanted.items() if told.get(ue) != bearer]):
                return
            say(f'establishing {len(missing)} sessions again')
            for ue in missing:
                self.signalling.establish(self.session(ue))
            self.tell(SLOW)
            self.settled(time.monotonic(), patience=5)
        raise TooLate(f'{len(missing)} bearers are not as their sessions were told, {TRIES} times')

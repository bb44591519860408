"""tools/demo --aqm --keep FOLDER: what `rnclab replay` needs to put the same run through the lab's clock.

The frames that came to the box and left it, captured at the outer ends of both wires; the configuration; the moment
at which the worker's clock began; each change that the RRC made; and BO and drops, read over and over. All moments are
of this machine's wall clock, in seconds since 1970, as the captures have them."""
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import threading
import time

from stage import CORE, RADIO, rncd, wire

DUMPCAP = 'dumpcap'
INTERFACES = {CORE: 'c0', RADIO: 'r0'}
PAUSE = 0.02  # between two readings: two TTIs
BEGINNINGS = 20  # the best of this number of readings of the worker's clock


class Tap:
    """All that crosses one outer end, as a capture by dumpcap."""

    def __init__(self, rig, side, folder):
        self.path = os.path.join(folder, f'{side}.pcap')
        self.process = rig.start(side, DUMPCAP, '-q', '-P', '-B', '16', '-i', INTERFACES[side], '-w', self.path,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.said = ''
        for line in self.process.stderr:
            self.said += line
            if line.startswith('File:'):
                return
        raise wire.RigError(f'{DUMPCAP}: {self.said.strip() or "ended at once"}; it comes with the package tshark')

    def stop(self, rig):
        """Frames that it missed."""
        self.process.terminate()
        self.said += self.process.communicate(timeout=30)[1]
        rig.stop(self.process)
        found = re.search(r'received/dropped on interface.*: \d+/(\d+)', self.said)
        return int(found[1]) if found else 0


class Readings(threading.Thread):
    """BO and drops of each class over a connection of its own, until `ended`. A class holds one bearer, and its
    counters are of a moment between the request and the answer."""

    def __init__(self, socket, lanes):
        super().__init__(daemon=True)
        self.rpc, self.lanes = rncd.Rpc(socket), lanes
        self.rows, self.fault = [], None
        self.ended = threading.Event()

    def run(self):
        try:
            while not self.ended.wait(PAUSE):
                asked = time.time_ns()
                classes = {one['name']: one['downlink'] for one in self.rpc.call('stats.get')['classes']}
                answered = time.time_ns()
                for lane in self.lanes:
                    leg = classes[lane.name]
                    self.rows.append((stamp(asked), stamp(answered), lane.ue, leg['buffer_sdus'],
                                      leg['delivered_sdus'], leg['dropped_sdus']))
        except (OSError, ValueError, KeyError, wire.RigError, rncd.RpcError) as error:
            self.fault = error
        finally:
            self.rpc.close()

    def stop(self):
        self.ended.set()
        self.join(timeout=15)
        if self.fault:
            raise wire.RigError(f'reading BO ended early: {self.fault}')


def stamp(ns):
    """Seconds, of which nothing is rounded away."""
    return f'{ns // 10**9}.{ns % 10**9:09d}'


class Keep:
    """Made before rncd starts: its frame errors depend on every frame that has crossed."""

    def __init__(self, rig, folder):
        os.makedirs(folder, exist_ok=True)
        self.rig, self.folder = rig, folder
        self.taps = [Tap(rig, side, folder) for side in (CORE, RADIO)]
        self.load = [os.getloadavg()[0]]
        self.readings, self.changes, self.began = None, [], None

    def begin(self, box, lanes):
        self.began = beginning(box)
        self.readings = Readings(box.socket, lanes)
        self.readings.start()

    def reconfigure(self, box, ues, **what):
        """rrc.reconfigure, and when it was."""
        asked = time.time_ns()
        answer = box.call('rrc.reconfigure', bearers=ues, **what)
        self.changes.append(((asked + time.time_ns()) // 2, ues, what))
        return answer

    def finish(self, box):
        """Writes everything down, and beside it the command that replays it."""
        self.readings.stop()
        self.load.append(os.getloadavg()[0])
        late = beginning(box) - self.began
        missed = sum(tap.stop(self.rig) for tap in self.taps)
        shutil.copyfile(box.config, self.path('rncd.yaml'))
        with open(self.path('bo.csv'), 'w', encoding='utf-8', newline='') as file:
            rows = csv.writer(file)
            rows.writerow(('asked_s', 'answered_s', 'ue', 'bo_sdu', 'delivered', 'dropped'))
            rows.writerows(self.readings.rows)
        with open(self.path('run.json'), 'w', encoding='utf-8') as file:
            changes = [{'at_s': stamp(at), 'ues': ues, **what} for at, ues, what in self.changes]
            json.dump({'began_s': stamp(self.began), 'clock_drift_s': late / 1e9, 'load': self.load,
                       'frames_missed_by_captures': missed, 'changes': changes}, file, indent=2)
        command = self.command()
        with open(self.path('replay.sh'), 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\n# From the folder of the repository: sh {self.path("replay.sh")}\n{command} "$@"\n')

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self):
        words = [os.path.relpath(os.path.join(rncd.BUILD, 'rnclab')), 'replay', self.path('core.pcap'), '--radio',
                 self.path('radio.pcap'), '--config', self.path('rncd.yaml'), '--bo', self.path('bo.csv'),
                 '--epoch', '@' + stamp(self.began)]
        for at, ues, what in self.changes:
            words += [word for ue in ues for word in ('--rrc', f'@{stamp(at)}/{ue}:{json.dumps(what)}')]
        return ' '.join(shlex.quote(word) for word in words)


def beginning(box):
    """When the worker's clock stood at 0, in ns: rncd answers what it shows at a moment between question and answer."""
    best = None
    for _ in range(BEGINNINGS):
        asked = time.time_ns()
        uptime = round(box.stats()['uptime_seconds'] * 1e9)
        answered = time.time_ns()
        if best is None or answered - asked < best[0]:
            best = answered - asked, (asked + answered) // 2 - uptime
    return best[1]

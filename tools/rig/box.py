"""A running rncd in the middle of a Rig, and the client for its control socket."""
import json
import os
import shutil
import signal
import socket
import tempfile
import time

from netns import page
from rig import DUT, PATIENCE, RigError, TooLate, sh

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get('TESTED_BUILD', os.path.join(ROOT, 'build'))
WORKERS = os.environ.get('TESTED_WORKERS')  # default number of workers of a box
STALE_AFTER = None  # default of a box without settings of the wire; None: rncd's default
MEMORY = None  # MiB for frames of a box that says nothing of it, for each queue of its ports; None: rncd's default
RNCD = os.path.join(BUILD, 'rncd')
RNCCTL = os.path.join(BUILD, 'rncctl')
# Each of several pytests at once has a folder of its own in there.
LOGS = os.path.join(BUILD, 'system', os.environ.get('PYTEST_XDIST_WORKER', ''))
RUNNING = []  # boxes that answer

CONFIG = '''\
version: 1
dataplane:
  ports:
    core:  {{device: "{core}"}}
    radio: {{device: "{radio}"}}
{dataplane}\
classes:
{classes}\
{bearers}\
control: {{socket: "{socket}"{state}}}
{more}\
'''
INTERNET = '''\
  internet:
    downlink: {{rate: {rate}, buffer: {{sdus: {sdus}}}{link}}}
{uplink}\
'''


class RpcError(Exception):
    def __init__(self, error):
        super().__init__(error.get('message'))
        self.code, self.data = error.get('code'), error.get('data')


class Rpc:
    """One connection to a control socket."""

    def __init__(self, path, timeout=PATIENCE):
        self.socket = socket.socket(socket.AF_UNIX)
        self.connect(path, timeout)
        self.reader = self.socket.makefile('r', encoding='utf-8')
        self.id = 0

    def connect(self, path, timeout):
        """A socket with a timeout does not wait for room in the queue of those that were not accepted yet."""
        self.socket.settimeout(timeout)
        deadline = time.monotonic() + timeout
        while True:
            try:
                return self.socket.connect(path)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.reader.close()
        self.socket.close()

    def exchange(self, line):
        """Sends bytes as they are and reads one line."""
        self.socket.sendall(line)
        return self.reader.readline()

    def call(self, method, **params):
        self.id += 1
        request = {'jsonrpc': '2.0', 'id': self.id, 'method': method, 'params': params}
        line = self.exchange(json.dumps(request).encode() + b'\n')
        if not line:
            raise RigError(f'{method}: rncd closed the connection')
        answer = json.loads(line)
        if 'error' in answer:
            raise RpcError(answer['error'])
        return answer['result']


class Box:
    """rncd on the rig's d0 and d1, or on `devices`. The keywords go into CONFIG; `bearers` and the like are YAML
    lines, `state` is a path. Its class is `internet`, unless there are `classes`."""

    def __init__(self, rig, device='af_xdp', devices=None, rate='8M', sdus=50, link='', uplink='', bearers='',
                 dataplane='', classes='', more='', socket_path=None, name='rncd', arguments=(), state=None):
        self.rig, self.arguments = rig, arguments
        if WORKERS and 'workers:' not in dataplane:
            dataplane += f'  workers: {WORKERS}\n'
        if STALE_AFTER and 'wire:' not in dataplane:
            dataplane += f'  wire: {{stale_after: {STALE_AFTER}}}\n'
        if MEMORY and 'memory:' not in dataplane:
            dataplane += f'  memory: {MEMORY * rig.queues}MiB\n'
        self.folder = tempfile.mkdtemp(prefix=rig.prefix, dir='/run')
        self.socket = socket_path or os.path.join(self.folder, 'rncd.sock')
        self.config = os.path.join(self.folder, 'rncd.yaml')
        with open(self.config, 'w', encoding='utf-8') as file:
            core, radio = devices or (f'{device}:d0', f'{device}:d1')
            internet = INTERNET.format(rate=rate, sdus=sdus, link=f', link: {link}' if link else '',
                                       uplink=f'    uplink: {uplink}\n' if uplink else '')
            file.write(CONFIG.format(core=core, radio=radio, socket=self.socket, classes=classes or internet,
                                     dataplane=dataplane, bearers=bearers, more=more,
                                     state=f', state: "{state}"' if state else ''))
        os.makedirs(LOGS, exist_ok=True)
        self.log = os.path.join(LOGS, f'{name}.log')
        self.process = None
        self.rpc = None

    def __enter__(self):
        try:
            self.start()
            self.rig.wait_for_wire()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def start(self, seconds=PATIENCE):
        with open(self.log, 'w', encoding='utf-8') as log:
            self.process = self.rig.start(DUT, RNCD, '--config', self.config, *self.arguments, stdout=log, stderr=log,
                                          env={**os.environ, 'RUNTIME_DIRECTORY': self.folder})
        self.connect(seconds)

    def connect(self, seconds=PATIENCE):
        """Until it answers, be it after a start or an upgrade."""
        deadline = time.monotonic() + seconds
        while self.rpc is None:
            if self.process.poll() is not None:
                raise RigError(f'rncd ended with exit code {self.process.returncode}:\n{self.tail()}')
            if time.monotonic() > deadline:
                raise TooLate(f'rncd does not answer on {self.socket} after {seconds} s:\n{self.tail()}')
            try:
                self.rpc = Rpc(self.socket)
                self.rpc.call('version')
                RUNNING.append(self)
            except OSError:
                self.rpc = None
                time.sleep(0.05)

    def tail(self, lines=15):
        with open(self.log, encoding='utf-8', errors='replace') as log:
            return ''.join(log.readlines()[-lines:])

    def log_with(self, text, seconds=PATIENCE):
        """The log once it contains `text`. A separate thread writes it, later than the answer that a line is about."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with open(self.log, encoding='utf-8', errors='replace') as log:
                said = log.read()
            if text in said:
                return said
            time.sleep(0.02)
        raise AssertionError(f'no {text!r} in the log within {seconds} s:\n{self.tail()}')

    def stop(self, seconds=PATIENCE):
        """SIGTERM, and the exit code. Until then every frame must have been accounted for."""
        if self in RUNNING and self.process.poll() is None:
            residue = self.stats()['residue']
            assert residue == 0, f'frames unaccounted for: {residue}'
        if self in RUNNING:
            RUNNING.remove(self)
        if self.rpc:
            self.rpc.close()
            self.rpc = None
        return self.rig.stop(self.process, seconds) if self.process else None

    def hurry(self):
        """Lets the next stop() wait neither for an answer nor for queued frames; also if the process was stopped."""
        if self in RUNNING:
            RUNNING.remove(self)
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            time.sleep(0.1)  # a second SIGTERM ends its waits; two at once are one

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **params):
        return self.rpc.call(method, **params)

    def stats(self):
        return self.call('stats.get')

    def dropped(self, *ports):
        """Frames lost, by reason, of those that came in at these ports, or at both; zeroes left out."""
        sums = {}
        for name, port in self.stats()['ports'].items():
            if ports and name not in ports:
                continue
            for reason, lost in port['dropped'].items():
                if lost['frames']:
                    sums[reason] = sums.get(reason, 0) + lost['frames']
        return sums

    def drivers(self):
        return {port['driver'] for port in self.stats()['ports'].values()}

    def driver_losses(self):
        return {f'{name} {what}': count for name, port in self.stats()['ports'].items()
                for what, count in port['losses'].items() if count}

    def set_bearer(self, ue, **legs):
        return self.call('bearer.set', ue=ue, **{'class': 'internet', **legs})

    def downlink(self, ue):
        return self.call('bearer.get', ue=ue)['downlink']

    def uplink(self, ue):
        return self.call('bearer.get', ue=ue)['uplink']

    def ctl(self, *words, check=True, **options):
        return sh(RNCCTL, '-s', self.socket, *words, check=check, **options)

    def metrics(self):
        return page(self.rig.name(DUT), '127.0.0.1:9464', '/metrics', PATIENCE)

"""A rncd between two null ports: a process without a wire, which needs neither root nor a device."""
import contextlib
import ipaddress
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

from box import RNCD, Rpc
from figures import say
from rig import RigError

CONFIG = '''\
version: 1
dataplane:
  ports:
    core:  {{device: "null"}}
    radio: {{device: "null"}}
  huge_pages: no
  power: {power}
  max_bearers: {bearers}
classes:
  internet: {{downlink: {{rate: 8M}}}}
control: {{socket: "{socket}"}}
metrics: {metrics}
'''
FIRST = int(ipaddress.ip_address('10.0.0.1'))
AT_ONCE = 80_000  # bearers in a request: three values each, of 262,144; and 4 MiB at most
PATIENCE = 600  # seconds for a start or an answer: to measure something slow is what this is for


def ues(count):
    return [str(ipaddress.IPv4Address(FIRST + i)) for i in range(count)]


def free_port():
    with socket.create_server(('127.0.0.1', 0)) as one:
        return one.getsockname()[1]


class Daemon:
    """`bearers`: how many it may have; `listed`: UEs that stand in its configuration file; `top`: of
    `metrics.per_bearer`."""

    def __init__(self, bearers, listed=(), power='auto', metrics=False, top=0):
        self.bearers, self.listed, self.power, self.top = bearers, listed, power, top
        self.listen = f'127.0.0.1:{free_port()}' if metrics else None
        self.folder = self.process = self.rpc = None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def start(self):
        """Until it answers; `seconds_to_start` is how long that took."""
        if not os.path.exists(RNCD):
            raise RigError(f'no {RNCD}: run tools/build')
        self.folder = tempfile.mkdtemp(prefix='rncbench-')
        self.socket = os.path.join(self.folder, 'rncd.sock')
        config = self.write_config()
        begun = time.monotonic()
        with open(os.path.join(self.folder, 'log'), 'w', encoding='utf-8') as log:
            # Ctrl-C is for the benchmark, which ends rncd in order; when the benchmark is killed, rncd ends too.
            self.process = subprocess.Popen(['setpriv', '--pdeathsig', 'TERM', RNCD, '--config', config],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        while self.rpc is None:
            if self.process.poll() is not None:
                raise RigError(f'rncd ended with exit code {self.process.returncode}:\n{self.tail()}')
            if time.monotonic() > begun + PATIENCE:
                raise RigError(f'rncd does not answer after {PATIENCE} s:\n{self.tail()}')
            try:
                self.rpc = Rpc(self.socket, PATIENCE)
                self.call('version')
            except OSError:
                self.rpc = None
                time.sleep(0.005)
        self.seconds_to_start = time.monotonic() - begun

    def write_config(self):
        path = os.path.join(self.folder, 'rncd.yaml')
        metrics = f'{{listen: "{self.listen}", per_bearer: {{top: {self.top}}}}}' if self.listen else 'off'
        with open(path, 'w', encoding='utf-8') as file:
            file.write(CONFIG.format(power=self.power, bearers=self.bearers, socket=self.socket, metrics=metrics))
            if self.listed:
                file.write('bearers:\n')
                file.writelines(f'  - {{ue: {ue}, class: internet}}\n' for ue in self.listed)
        return path

    def tail(self, lines=15):
        with open(os.path.join(self.folder, 'log'), encoding='utf-8', errors='replace') as log:
            return ''.join(log.readlines()[-lines:])

    def call(self, method, **params):
        return self.rpc.call(method, **params)

    def memory(self, what='VmRSS'):
        """Bytes of memory that the process has, or has had at most (`VmHWM`)."""
        with open(f'/proc/{self.process.pid}/status', encoding='utf-8') as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith(what + ':'))

    def cpu_seconds(self):
        """That the threads have run, by the scheduler's own account: of the workers, and of all others."""
        worker = others = 0.0
        folder = f'/proc/{self.process.pid}/task'
        for task in os.listdir(folder):
            with open(f'{folder}/{task}/comm', encoding='utf-8') as name, \
                    open(f'{folder}/{task}/schedstat', encoding='utf-8') as ran:
                seconds = int(ran.read().split()[0]) / 1e9
                if name.read().startswith('rncd-worker'):
                    worker += seconds
                else:
                    others += seconds
        return worker, others

    def scrape(self):
        return scrape(self.listen)

    def close(self):
        if self.rpc:
            with contextlib.suppress(OSError):
                self.rpc.close()
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def request(method, params, number=1):
    return {'jsonrpc': '2.0', 'id': number, 'method': method, 'params': params}


def line_of(what):
    return json.dumps(what, separators=(',', ':')).encode() + b'\n'


def exchange(daemon, line):
    """The answer, and the seconds until its last byte had come; making and reading JSON is not in them."""
    begun = time.perf_counter()
    answer = daemon.rpc.exchange(line)
    took = time.perf_counter() - begun
    if not answer:
        raise RigError(f'rncd closed the connection:\n{daemon.tail()}')
    told = json.loads(answer)
    for one in told if isinstance(told, list) else [told]:
        if 'error' in one:
            raise RigError(f'rncd answered {one["error"]}')
    return told, took


def fill(daemon, names, who):
    """Sets bearers in requests as large as they may be: the seconds that rncd took, and how many it made."""
    lines = [line_of(request('bearer.set', {'bearers': [{'ue': ue, 'class': 'internet'} for ue in names[i:i + AT_ONCE]]}))
             for i in range(0, len(names), AT_ONCE)]
    seconds, created = 0.0, 0
    for number, line in enumerate(lines, 1):
        say(f'{who}: {created:,} of {len(names):,} bearers set, request {number} of {len(lines)}')
        told, took = exchange(daemon, line)
        seconds += took
        created += told['result']['created']
    return seconds, created


def scrape(listen):
    with urllib.request.urlopen(f'http://{listen}/metrics', timeout=PATIENCE) as answer:
        return answer.read().decode()


def value(text, name):
    """The value of a metric without labels, or the sum over its labels."""
    lines = [line for line in text.splitlines() if line.startswith((name + ' ', name + '{'))]
    if not lines:
        raise RigError(f'no {name} in the metrics')
    return sum(float(line.rsplit(' ', 1)[1]) for line in lines)

"""rncd-told beside a Box, in its namespace: PFCP is spoken on the loopback interface there, and RADIUS comes to it."""
import contextlib
import os
import signal
import subprocess
import sys
import time

import pfcp
import radius
from box import BUILD, Rpc
from netns import inside, page
from rig import DUT, PATIENCE, TooLate

RNCD_TOLD = os.path.join(BUILD, 'rncd-told')
SECRET = 'a secret of both'
METRICS = '127.0.0.1:9465'
NAS, SERVER = '127.0.0.3', ('127.0.0.1', 1813)
SMF, UPF = '127.0.0.11', '127.0.0.12'


class Told:
    """`folder` gets its files; `more` is further lines of its section `told`."""

    def __init__(self, rig, box, folder, more='  default_class: internet\n'):
        self.rig, self.folder = rig, str(folder)
        self.socket, self.config, self.log = (os.path.join(self.folder, name) for name in ('told.sock', 'told.yaml', 'told.log'))
        secret = os.path.join(self.folder, 'secret')
        with open(secret, 'w', encoding='utf-8', opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(SECRET + '\n')
        with open(self.config, 'w', encoding='utf-8') as file:
            file.write(f'''\
version: 1
told:
  rncd: {box.socket}
  pfcp: {{interface: lo}}
  radius: {{listen: "{SERVER[0]}:{SERVER[1]}", clients: [{{network: 127.0.0.0/8, secret_file: {secret}}}]}}
  control: {{socket: {self.socket}}}
  metrics: {{listen: "{METRICS}"}}
{more}''')
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.rig.stop(self.process)

    def start(self):
        with open(self.log, 'a', encoding='utf-8') as log:
            self.process = self.rig.start(DUT, RNCD_TOLD, '--config', self.config, stderr=log)
        deadline = time.monotonic() + PATIENCE
        while self.sessions() is None:
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(self.log, encoding='utf-8') as log:
                    raise TooLate('rncd-told does not answer:\n' + log.read()[-2000:])
            time.sleep(0.05)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def metrics(self):
        return page(self.rig.name(DUT), METRICS, '/metrics', PATIENCE)

    def sessions(self):
        """Its sessions by UE; None while it does not answer."""
        try:
            with Rpc(self.socket) as rpc:
                return {row['ue']: row for row in rpc.call('session.list', limit=1000)['items']}
        except OSError:
            return None


@contextlib.contextmanager
def smf_of(rig):
    """A CP function whose UP function answers."""
    upf = rig.start(DUT, sys.executable, pfcp.__file__, 'upf', UPF, stdout=subprocess.PIPE)
    upf.stdout.readline()
    try:
        with inside(rig.name(DUT)):
            smf = pfcp.Smf(SMF, UPF)
        with smf:
            yield smf
    finally:
        rig.stop(upf)


@contextlib.contextmanager
def nas_of(rig, secret=SECRET, **more):
    """A client of rncd-told's RADIUS."""
    with inside(rig.name(DUT)):
        nas = radius.Nas(NAS, SERVER, secret, **more)
    with nas:
        yield nas

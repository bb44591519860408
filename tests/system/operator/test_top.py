"""`rncctl top` on a terminal: what it draws, its keys, and that the terminal is as before however it ends."""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

from box import RNCCTL, Box, sh
from rig import CORE, PATIENCE, UE_V4, Rig
from steady import until

BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n  - {{ue: 10.50.0.1, class: spare}}\n'
CLASSES = '  internet: {downlink: {rate: 8M}, uplink: {ack: [snoop]}}\n  spare: {downlink: {rate: 2M}}\n'
ENTER, LEAVE = b'\x1b[?1049h\x1b[?25l', b'\x1b[?25h\x1b[?1049l'


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, classes=CLASSES, bearers=BEARERS, name='top') as made:
        yield made


class Session:
    """rncctl top on a terminal of its own."""

    def __init__(self, box, *words, lines=24, columns=80):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen([RNCCTL, '-s', box.socket, 'top', '--interval', '0.3', *words], stdin=self.slave,
                                        stdout=self.slave, stderr=self.slave, start_new_session=True)
        self.said = b''

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def read(self, seconds=0.1):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and select.select([self.master], [], [], left)[0]:
            self.said += os.read(self.master, 65536)

    def shows(self, text):
        """Waits for it on a screen that is drawn from now on."""
        self.said = b''
        def there():
            self.read()
            return text.encode() in self.said
        assert until(there, PATIENCE / 2), self.said[-3000:].decode(errors='replace')

    def press(self, keys):
        os.write(self.master, keys.encode())

    def ended(self):
        """The exit code, once the terminal is as it was."""
        code = self.process.wait(PATIENCE)
        self.read()
        assert self.said.endswith(LEAVE), self.said[-200:]
        assert termios.tcgetattr(self.slave) == self.before
        return code


def test_it_draws_and_each_key_has_its_effect(rig, box):
    rig.ping(CORE, count=2)
    with Session(box) as session:
        session.read(1)
        assert ENTER in session.said
        session.shows('downlink by rate')
        session.shows('bearers 2 of ')
        session.press('\x1b[C')
        session.shows('by used')
        session.press('\x1b[D\x1b[D')
        session.shows('by marks')
        session.press('ur')
        session.shows('uplink by marks, lowest first')
        session.press('?')
        session.shows('connections')
        session.press('?/spare\r')
        session.shows('only spare')
        session.press('/silver\r')
        session.shows('refused: class: no class "silver"')
        session.press('w')
        session.shows('CYC/PKT')
        session.press('d')
        session.shows('dropped')
        session.press('c')
        session.shows('no cells')
        session.press('bf')
        session.shows('connections of')
        session.press('p')
        session.shows('PAUSED')
        session.press('q')
        assert session.ended() == 0


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(box, number):
    with Session(box) as session:
        session.shows('mode inline')
        session.process.send_signal(number)
        session.ended()


def test_when_rncd_goes_it_says_so_on_a_terminal_that_is_as_before():
    with Rig() as rig, Box(rig, bearers=f'bearers: [{{ue: {UE_V4}, class: internet}}]\n', name='top-gone') as gone, \
            Session(gone) as session:
        session.shows('mode inline')
        gone.stop()
        assert session.process.wait(PATIENCE) == 3
        session.read()
        assert LEAVE in session.said and termios.tcgetattr(session.slave) == session.before
        assert b'rncctl: ' in session.said.rpartition(LEAVE)[2]


@pytest.mark.parametrize('lines, columns', [(24, 80), (50, 160), (5, 20)])
def test_no_line_is_longer_than_the_terminal(box, lines, columns):
    with Session(box, lines=lines, columns=columns) as session:
        session.shows('rncd')
        session.read(0.8)
        for screen in session.said.split(b'\x1b[H')[1:]:
            rows = screen.replace(b'\x1b[K', b'').replace(b'\x1b[J', b'').replace(b'\r', b'').split(b'\n')
            assert len(rows) <= lines and max(map(len, rows)) <= columns, rows


def test_without_a_terminal_it_says_what_to_give(box):
    done = sh(RNCCTL, '-s', box.socket, 'top', check=False)
    assert done.returncode == 1 and '--once' in done.stderr
    begun = time.monotonic()
    assert UE_V4 in sh(RNCCTL, '-s', box.socket, 'top', '--once').stdout
    assert time.monotonic() - begun < PATIENCE

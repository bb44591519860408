"""The operator's program beside a bypass NIC is run when frames come to rncd, while rncd is well, and at the end."""
import contextlib
import ctypes
import os
import signal
import time

import pytest

from box import RNCD, Box
from rig import DUT, PATIENCE, Rig
from steady import until
from test_state import again, copied, upgrade
from test_wire import kill

PTRACE_INTERRUPT, PTRACE_DETACH, PTRACE_SEIZE = 0x4207, 17, 0x4206
WALL = 0x40000000  # waitpid(): threads, too


@pytest.fixture(name='rig')
def fixture_rig():
    with Rig() as made:
        yield made


class Hook:
    """A program that writes down its words, and then runs the commands in `then`."""

    def __init__(self, folder):
        self.path, self.said = str(folder / 'hook'), str(folder / 'said')
        self.make('')

    def make(self, then):
        with open(self.path, 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\necho "$1 $RNCD_CORE $RNCD_RADIO" >> {self.said}\n{then}\n')
        os.chmod(self.path, 0o755)

    def lines(self):
        if not os.path.exists(self.said):
            return []
        with open(self.said, encoding='utf-8') as file:
            return file.read().splitlines()

    def words(self):
        return [line.split()[0] for line in self.lines()]


@pytest.fixture(name='hook')
def fixture_hook(tmp_path):
    return Hook(tmp_path)


@pytest.fixture(name='box')
def fixture_box(rig, hook):
    made = Box(rig, name='bypass-hook', dataplane=f'  bypass_hook: "{hook.path}"\n')
    yield made
    made.close()


@contextlib.contextmanager
def worker_stopped(pid):
    """One thread stands still, the others go on: what SIGSTOP cannot do."""
    libc = ctypes.CDLL('libc.so.6', use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    tasks = f'/proc/{pid}/task'
    worker, = [int(task) for task in os.listdir(tasks)
               if open(f'{tasks}/{task}/comm', encoding='utf-8').read().startswith('rncd-worker')]
    assert libc.ptrace(PTRACE_SEIZE, worker, None, None) == 0, os.strerror(ctypes.get_errno())
    assert libc.ptrace(PTRACE_INTERRUPT, worker, None, None) == 0
    os.waitpid(worker, WALL)
    try:
        yield
    finally:
        libc.ptrace(PTRACE_DETACH, worker, None, None)


def test_the_words_come_in_order(box, hook):
    box.start()
    assert until(lambda: hook.words().count('tick') >= 3)
    assert box.stop() == 0
    words = hook.words()
    assert words == ['normal'] + ['tick'] * (len(words) - 2) + ['bypass']
    assert hook.lines()[0] == 'normal af_xdp:d0 af_xdp:d1'


def test_the_ticks_stop_when_a_worker_hangs_and_normal_comes_first_when_it_goes_on(box, hook):
    box.start()
    assert until(lambda: 'tick' in hook.words())
    with worker_stopped(box.process.pid):
        def are_over():
            before = hook.words()
            time.sleep(3)
            return hook.words() == before
        assert until(are_over)
        before = hook.words()
        assert box.call('version'), 'control goes on'
    assert until(lambda: len(hook.words()) >= len(before) + 2)
    assert hook.words()[len(before):len(before) + 2] == ['normal', 'tick']


def test_after_a_kill_it_hears_nothing_and_the_next_start_says_normal(box, hook):
    box.start()
    assert until(lambda: 'tick' in hook.words())
    kill(box)
    time.sleep(0.5)
    before = hook.words()
    assert 'bypass' not in before
    time.sleep(2)
    assert hook.words() == before
    box.start()
    assert until(lambda: len(hook.words()) > len(before)) and hook.words()[len(before)] == 'normal'


def test_an_upgrade_says_bypass_before_and_normal_after(box, hook, tmp_path):
    box.start()
    assert until(lambda: 'tick' in hook.words())
    said = upgrade(box, copied(tmp_path))
    again(box)
    assert said.returncode == 0, said.stderr
    assert until(lambda: 'normal' in hook.words()[1:])
    words = hook.words()
    assert words[words.index('bypass') + 1] == 'normal'


def test_a_hook_that_hangs_holds_neither_frames_nor_the_end_up(rig, box, hook):
    hook.make(f'sleep {PATIENCE}')
    box.start()
    rig.wait_for_wire()
    box.log_with('event=bypass_hook_failed')
    assert len(rig.ping('core', count=20, interval=0.1)) == 20
    began = time.monotonic()
    assert box.stop() == 0
    assert time.monotonic() - began < PATIENCE / 2 and hook.words()[-1] == 'bypass'


def test_it_gets_none_of_rncds_descriptors_and_no_blocked_signal(box, hook):
    # Whole files only: it runs again each second, perhaps while they are read. The signals are grep's, which has them
    # from the shell: that one blocks all for as long as it starts a program.
    hook.make(f'ls -l /proc/$$/fd > {hook.said}.part; mv {hook.said}.part {hook.said}.fd\n'
              f'grep -E "^Sig(Blk|Ign)" /proc/self/status > {hook.said}.part; mv {hook.said}.part {hook.said}.signals')
    box.start()
    assert until(lambda: 'tick' in hook.words())
    with open(f'{hook.said}.fd', encoding='utf-8') as file:
        targets = [line.split(' -> ')[1].strip() for line in file if ' -> ' in line]
    assert targets and not [t for t in targets if 'socket:' in t or 'anon_inode' in t or 'bpf' in t], targets
    with open(f'{hook.said}.signals', encoding='utf-8') as file:
        blocked, ignored = (int(line.split()[1], 16) for line in file)
    assert blocked == 0 and not ignored & 1 << signal.SIGPIPE - 1


def test_a_hook_that_is_not_there_is_refused_with_its_mend(rig, box, hook):
    os.remove(hook.path)
    for words in ((), ('--preflight',)):
        done = rig.run(DUT, RNCD, '--config', box.config, *words, check=False)
        assert done.returncode == 4
        assert f'dataplane.bypass_hook: found no file {hook.path}, needs a program' in done.stderr

"""The run of tests/sanitize that tools/check.py begins ahead of its step."""
import contextlib
import os
import signal
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT = 2400  # seconds to wait for it once the other steps have ended


class Ahead:
    """tests/sanitize --ahead for these kinds, on CPUs that other programs leave idle. A failure is not looked at here:
    the step of the part does again what is missing, and reports it."""

    def __init__(self, kinds, log_path):
        with open(log_path, 'w', encoding='utf-8') as log:
            self.process = subprocess.Popen(['chrt', '--idle', '0', 'tests/sanitize', '--short', '--ahead', *kinds], cwd=ROOT,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        # The class counts only within a session where the kernel shares CPUs out by session (sched_autogroup).
        with contextlib.suppress(OSError), open(f'/proc/{self.process.pid}/autogroup', 'w', encoding='utf-8') as nice:
            nice.write('19')

    def wait(self):
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.end()

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)  # it, and its compilers
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

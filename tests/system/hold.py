"""Holds a thread of another process as if it got no CPU, or a process that is killed as if it took long to end."""
import ctypes
import os
import subprocess
import sys

SEIZE, INTERRUPT, TRACE_EXIT = 0x4206, 0x4207, 0x40
ALL = 0x40000000  # for waitpid: threads, too


class Held:
    """Holds it for the lifetime of the object. `at_exit`: only once it is killed; held() waits for that."""

    def __init__(self, tid, at_exit=False):
        self.tracer = subprocess.Popen([sys.executable, '-B', __file__, str(tid), 'exit' if at_exit else 'now'],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.await_line()
        if not at_exit:
            self.await_line()

    def await_line(self):
        assert self.tracer.stdout.readline(), 'the thread cannot be held'

    held = await_line

    def let_go(self):
        self.tracer.stdin.close()
        self.tracer.wait(60)
        self.tracer.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.let_go()


def hold(tid, at_exit):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if libc.ptrace(SEIZE, tid, None, TRACE_EXIT if at_exit else 0) != 0:
        raise OSError(ctypes.get_errno(), 'PTRACE_SEIZE')
    if not at_exit:
        libc.ptrace(INTERRUPT, tid, None, None)
    print('seized', flush=True)
    os.waitpid(tid, ALL)
    print('held', flush=True)
    sys.stdin.read()  # the end of this process lets it go


if __name__ == '__main__':
    hold(int(sys.argv[1]), sys.argv[2] == 'exit')

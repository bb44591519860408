#!/usr/bin/python3
"""Each header compiles alone, and twice in one file."""
import concurrent.futures
import os
import shlex
import subprocess

from common import ROOT, main, tracked

FLAGS = ['-std=c++20', '-fsyntax-only', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-x', 'c++', '-I', ROOT]
PLAIN = ['-fno-exceptions', '-fno-rtti']
DEFINED = ['-DRNCD_SOURCE_ROOT="."']  # what the build tells tests


def dpdk_flags():
    flags = subprocess.run(['pkg-config', '--cflags', 'libdpdk'], check=True, capture_output=True, text=True).stdout
    return [flag.replace('-I', '-isystem', 1) for flag in shlex.split(flags)]


def compile_alone(path, source):
    flags = FLAGS + (PLAIN + DPDK if path.startswith(('dataplane/', 'tools/bench/dpdk/')) else DEFINED)
    return subprocess.run(['g++', *flags, '-'], input=source, cwd=ROOT, capture_output=True, text=True)


def complaints(path, result):
    if result.returncode:
        first = next((l for l in result.stderr.splitlines() if 'error:' in l), result.stderr.strip())
        yield 1, f'does not compile alone: {first}'


def check(path, text):
    """`text` is used for the examples only; tracked headers were compiled beforehand, two at a time."""
    yield from complaints(path, COMPILED.get(path) or compile_alone(path, text))


BAD = [('dataplane/base/a.h', 'std::string name();\n'), ('dataplane/base/a.h', 'inline void f() { throw 1; }\n')]
GOOD = [('dataplane/base/a.h', '#include "dataplane/base/time.h"\ninline dp::Time f() { return {}; }\n')]

if __name__ == '__main__':
    DPDK = dpdk_flags()
    headers = tracked('.h')
    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        sources = [f'#include "{path}"\n#include "{path}"\n' for path in headers]
        COMPILED = dict(zip(headers, pool.map(compile_alone, headers, sources)))
    main(check, headers, BAD, GOOD)

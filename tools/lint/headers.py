#!/usr/bin/python3
"""Each header compiles alone, and twice in one file.

Most of the time of such a compile goes into the header's includes, and headers have most includes in common. So a
header H is not compiled by itself, but behind others, all of which H includes itself, directly or through others:
  - behind a precompiled header, a prefix, which is made once for all that include everything in it: another header of
    the tree with its includes, or a list of system headers;
  - in a row of headers, each of which includes the one before it.
This finds the errors that a compile of H by itself finds, because of two rules that are checked here as well: the
includes of a header stand before all its other lines, and no header includes itself through others. The declarations of
H therefore see all of H's includes and nothing else, either way. Each include of H is compiled in its own turn, behind
its own includes.

The compiler is clang: its precompiled headers hold the templates that were instantiated as well, and it reads of them
only what a source needs. The tree's warnings are GCC's and belong to the build.
"""
import collections
import concurrent.futures
import os
import shlex
import subprocess
import sys
import tempfile

from common import INCLUDE, ROOT, includes, main, read, tracked, without_comments

CLANG = 'clang++-16'
FLAGS = ['-std=c++20', '-I', ROOT]
PLAIN = ['-fno-exceptions', '-fno-rtti']
DEFINED = ['-DRNCD_SOURCE_ROOT="."']  # a definition that the build gives to tests
MAKING = 1.1  # the cost of making a prefix, as a multiple of the cost of reading its headers once
OWN = 14  # the cost of a byte of the tree's headers, which instantiate templates, in bytes of system headers


def dpdk_flags():
    flags = subprocess.run(['pkg-config', '--cflags', 'libdpdk'], check=True, capture_output=True, text=True).stdout
    return [flag.replace('-I', '-isystem', 1) for flag in shlex.split(flags)]


def flags_of(path):
    return (*FLAGS, *(PLAIN + DPDK if path.startswith(('dataplane/', 'tools/bench/dpdk/')) else DEFINED))


def clang(words, source=''):
    # Huge pages save a tenth of its time where the kernel gives them on request.
    return subprocess.run([CLANG, *words], input=source, cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, 'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'})


def compiled(flags, source):
    return clang([*flags, '-fsyntax-only', '-x', 'c++', '-'], source)


def including(names):
    return ''.join(f'#include {name}\n' for name in names)


def twice(path):
    return including([f'"{path}"'] * 2)


class Graph:
    """The includes of each header, direct and indirect. Names have their quotes: "dataplane/base/time.h", <string>."""

    def __init__(self, texts):
        self.named = {f'"{path}"': [name for _, name in includes(text)] for path, text in texts.items()}
        self.found = {}

    def below(self, path):
        """The names of all that a header includes. One that includes itself through others is among them."""
        return self._below(f'"{path}"')

    def with_includes(self, path):
        return frozenset(self.below(path) | {f'"{path}"'})

    def system_below(self, path):
        return frozenset(name for name in self.below(path) if name.startswith('<'))

    def _below(self, name):
        if name not in self.found:
            self.found[name] = set()
            for other in self.named.get(name, ()):
                self.found[name] |= {other} | self._below(other)
        return self.found[name]


class Cost:
    """The cost of compiling a set of headers, in bytes of system headers."""

    def __init__(self, texts, graph):
        self.own = {f'"{path}"': OWN * len(text) for path, text in texts.items()}
        self.known = {}
        names = sorted(set().union(*(graph.system_below(path) for path in texts)))
        flags = [*FLAGS, *DPDK, '-x', 'c++', '-M', '-']
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            rules = pool.map(lambda name: clang(flags, including([name])).stdout, names)
            self.files = {name: rule.replace('\\\n', ' ').split()[2:] for name, rule in zip(names, rules)}
        self.bytes_of = {file: os.path.getsize(file) for file in set().union(*self.files.values())}

    def __call__(self, names):
        if names not in self.known:
            files = set().union(*(self.files.get(name, ()) for name in names))
            self.known[names] = sum(self.bytes_of[file] for file in files) + sum(self.own.get(name, 0) for name in names)
        return self.known[names]


def choose(headers, graph, cost):
    """The prefix of each header. Prefixes are added as long as one saves more than it costs to make."""
    none = frozenset()
    whole = {path: graph.with_includes(path) for path in headers}
    prefixes = set(whole.values()) | {graph.system_below(path) for path in headers} - {none}
    fitting = {prefix: [path for path in headers if prefix <= whole[path]] for prefix in prefixes}
    chosen = dict.fromkeys(headers, none)

    def saving(prefix):
        return sum(max(0, cost(prefix) - cost(chosen[path])) for path in fitting[prefix]) - MAKING * cost(prefix)
    in_order = sorted(prefixes, key=sorted)
    while saving(best := max(in_order, key=saving)) > 0:
        for path in fitting[best]:
            chosen[path] = max(chosen[path], best, key=cost)
    return chosen


def in_rows(headers, graph):
    """Lists of headers, each of which includes the one before it."""
    rows = []
    for path in sorted(headers, key=lambda path: (len(graph.below(path)), path)):
        fitting = [row for row in rows if f'"{row[-1]}"' in graph.below(path)]
        if fitting:
            max(fitting, key=lambda row: len(graph.below(row[-1]))).append(path)
        else:
            rows.append([path])
    return rows


def compile_behind(prefix, flags, rows):
    """By header, what the compiler says of it behind a prefix. `rows` are lists of sources by header."""
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, 'prefix.pch')
        # Their order does not matter: each header in a prefix includes what it needs itself.
        behind = clang([*flags, '-fpch-instantiate-templates', '-x', 'c++-header', '-', '-o', made],
                       including(sorted(prefix)))
        # If the prefix does not compile, its headers are compiled without it, and the faulty ones fail again.
        flags = flags if behind.returncode else [*flags, '-include-pch', made]
        said = {}
        for row in rows:
            together = compiled(flags, ''.join(row.values()))
            # If a row does not compile, each of its headers is compiled by itself.
            said |= {path: compiled(flags, source) if together.returncode else together for path, source in row.items()}
        return said


def compile_all(texts, graph):
    """By header, what the compiler says of it."""
    work = []
    cost = Cost(texts, graph)
    for flags in sorted({flags_of(path) for path in texts}):
        groups = collections.defaultdict(list)
        for path, prefix in choose([path for path in texts if flags_of(path) == flags], graph, cost).items():
            groups[prefix].append(path)
        for prefix, group in groups.items():
            rows = [{path: twice(path) for path in row} for row in in_rows(group, graph)]
            work.append((prefix, flags, rows))
    # The longest tasks start first.
    work.sort(key=lambda one: sum(cost(graph.with_includes(list(row)[-1])) for row in one[2]), reverse=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = pool.map(lambda one: compile_behind(*one), work)
        return {path: result for part in said for path, result in part.items()}


def check(path, text):
    """An example is compiled behind all system headers that it includes; tracked headers were compiled beforehand."""
    graph = GRAPH if path in COMPILED else Graph({**TEXTS, path: text})
    lines = enumerate(without_comments(text).splitlines(), 1)
    own = next((number for number, line in lines
                if line.strip() and line.split() != ['#pragma', 'once'] and not INCLUDE.match(line)), None)
    for number, name in includes(text):
        if own and number > own:
            yield number, f'{name}: includes stand before all other lines; line {own} is another'
    if f'"{path}"' in graph.below(path):
        yield 1, 'includes itself through others'
    result = COMPILED.get(path) or compile_behind(graph.system_below(path), flags_of(path), [{path: text}])[path]
    if result.returncode:
        first = next((l for l in result.stderr.splitlines() if 'error:' in l), result.stderr.strip())
        yield 1, f'does not compile alone: {first}'


BAD = [
    ('dataplane/base/a.h', '#include <cstdint>\ninline std::string name() { return {}; }\n'),
    ('dataplane/base/a.h', '#include "dataplane/base/counter.h"\ninline dp::Time f() { return {}; }\n'),
    ('dataplane/base/a.h', 'inline void f() { throw 1; }\n'),
    ('config/a.h', 'inline std::string name() { return {}; }\n#include <string>\n'),
    ('config/a.h', '#include "config/a.h"\n'),
]
GOOD = [
    ('dataplane/base/a.h', '#include "dataplane/base/time.h"\ninline dp::Time f() { return {}; }\n'),
    ('config/a.h', '#include <string>\ninline std::string f() { throw 1; }\n'),
]


# The includes of a, b, c and d: b and d cannot be in one row, since neither includes the other.
ROWS = {'a.h': '#include <string>\n', 'b.h': '#include "a.h"\n', 'c.h': '#include "b.h"\n', 'd.h': '#include "a.h"\n'}

if __name__ == '__main__':
    DPDK = dpdk_flags()
    TEXTS = {path: read(path) for path in tracked('.h')}
    GRAPH = Graph(TEXTS)
    COMPILED = compile_all(TEXTS, GRAPH)
    if in_rows(ROWS, Graph(ROWS)) != [['a.h', 'b.h', 'c.h'], ['d.h']]:
        sys.exit(f'{sys.argv[0]}: self-test: makes other rows than it should')
    main(check, list(TEXTS), BAD, GOOD)

#!/usr/bin/python3
"""Each header compiles alone, and twice in one file.

Most of the time of such a compile goes into the header's includes, and headers have most includes in common. So a
header H is not compiled by itself, but behind others, all of which H includes itself, directly or through others:
  - behind a list of system headers, which is compiled once for all that include every one of them (a prefix);
  - in a row of headers, each of which includes the one before it.
This finds the errors that a compile of H by itself finds, because of two rules that are checked here as well: the
includes of a header stand before all its other lines, and no header includes itself through others. The declarations of
H therefore see all of H's includes and nothing else, either way. Each include of H is compiled in its own turn, behind
its own includes.
"""
import collections
import concurrent.futures
import os
import shlex
import subprocess
import sys
import tempfile

from common import INCLUDE, ROOT, includes, main, read, tracked, without_comments

# With so large a heap GCC never collects garbage.
FLAGS = ['-std=c++20', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-Winvalid-pch', '--param=ggc-min-heapsize=1000000',
         '-I', ROOT]
PLAIN = ['-fno-exceptions', '-fno-rtti']
DEFINED = ['-DRNCD_SOURCE_ROOT="."']  # a definition that the build gives to tests
MAKING = 3  # to make a prefix costs so many times what it costs to read its headers once


def dpdk_flags():
    flags = subprocess.run(['pkg-config', '--cflags', 'libdpdk'], check=True, capture_output=True, text=True).stdout
    return [flag.replace('-I', '-isystem', 1) for flag in shlex.split(flags)]


def without_includes(flags):
    """The flags without `-include NAME`, and these names: GCC uses a precompiled prefix only as its first include."""
    at = [number for number, flag in enumerate(flags) if flag == '-include']
    left = [flag for number, flag in enumerate(flags) if not {number, number - 1} & set(at)]
    return left, [f'<{flags[number + 1]}>' for number in at]


def flags_of(path):
    return (*FLAGS, *(PLAIN + DPDK if path.startswith(('dataplane/', 'tools/bench/dpdk/')) else DEFINED))


def gcc(words, source=''):
    return subprocess.run(['g++', *words], input=source, cwd=ROOT, capture_output=True, text=True)


def including(names):
    return ''.join(f'#include {name}\n' for name in names)


class Graph:
    """The includes of each header, direct and indirect. Names have their quotes: "dataplane/base/time.h", <string>."""

    def __init__(self, texts):
        self.named = {f'"{path}"': [name for _, name in includes(text)] for path, text in texts.items()}
        self.found = {}

    def below(self, path):
        """The names of all that a header includes. One that includes itself through others is among them."""
        return self._below(f'"{path}"')

    def system_below(self, path):
        return frozenset(name for name in self.below(path) if name.startswith('<'))

    def _below(self, name):
        if name not in self.found:
            self.found[name] = set()
            for other in self.named.get(name, ()):
                self.found[name] |= {other} | self._below(other)
        return self.found[name]


def sizes_of(prefixes, flags):
    """The size of the text that the compiler reads for each list of system headers, which is its cost."""
    names = sorted(set().union(*prefixes))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rules = pool.map(lambda name: gcc([*flags, '-x', 'c++', '-M', '-'], including([name])).stdout, names)
        files = {name: rule.replace('\\\n', ' ').split()[2:] for name, rule in zip(names, rules)}
    bytes_of = {file: os.path.getsize(file) for file in set().union(*files.values())}
    return {prefix: sum(bytes_of[file] for file in set().union(*(files[name] for name in prefix))) for prefix in prefixes}


def choose(headers, flags, graph):
    """The prefix of each header. Prefixes are added as long as one saves more than it costs to make."""
    none = frozenset()
    system = {path: graph.system_below(path) for path in headers}
    prefixes = {none} | set(system.values()) | {frozenset({name}) for names in system.values() for name in names}
    fitting = {prefix: [path for path in headers if prefix <= system[path]] for prefix in prefixes}
    size = sizes_of(prefixes, flags)
    chosen = dict.fromkeys(headers, none)

    def saving(prefix):
        return sum(max(0, size[prefix] - size[chosen[path]]) for path in fitting[prefix]) - MAKING * size[prefix]
    while saving(best := max(sorted(prefixes, key=sorted), key=saving)) > 0:
        for path in fitting[best]:
            chosen[path] = max(chosen[path], best, key=size.get)
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
    flags, first_of_all = without_includes(flags)
    with tempfile.TemporaryDirectory() as folder:
        first = os.path.join(folder, 'prefix.h')
        with open(first, 'w', encoding='utf-8') as file:
            file.write(including(first_of_all + sorted(prefix)))
        made = gcc([*flags, '-x', 'c++-header', first, '-o', first + '.gch'])
        if made.returncode:
            sys.exit(f'the system headers {sorted(prefix)} do not compile: {made.stderr}')

        def compiled(source):
            return gcc([*flags, '-fsyntax-only', '-include', first, '-x', 'c++', '-'], source)
        said = {}
        for row in rows:
            together = compiled(''.join(row.values()))
            # If a row does not compile, each of its headers is compiled by itself.
            said |= {path: compiled(source) if together.returncode else together for path, source in row.items()}
        return said


def compile_all(headers, graph):
    """By header, what the compiler says of it."""
    work = []
    for flags in sorted({flags_of(path) for path in headers}):
        groups = collections.defaultdict(list)
        for path, prefix in choose([path for path in headers if flags_of(path) == flags], flags, graph).items():
            groups[prefix].append(path)
        for prefix, group in groups.items():
            rows = [{path: including([f'"{path}"'] * 2) for path in row} for row in in_rows(group, graph)]
            work.append((prefix, flags, rows))
    # The longest tasks start first.
    work.sort(key=lambda one: sum(len(graph.below(path)) for row in one[2] for path in row), reverse=True)
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
    COMPILED = compile_all(list(TEXTS), GRAPH)
    if in_rows(ROWS, Graph(ROWS)) != [['a.h', 'b.h', 'c.h'], ['d.h']]:
        sys.exit(f'{sys.argv[0]}: self-test: makes other rows than it should')
    main(check, list(TEXTS), BAD, GOOD)

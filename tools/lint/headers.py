#!/usr/bin/python3
"""Each header compiles alone, and twice in one file.

Most of the time of such a compile goes into the header's includes, and headers have most includes in common. So they
are compiled together, as one module of clang, in which each header is a submodule: clang reads each header once, where
it is first included, and hides from it all declarations and macros but its own and those of its includes. The system's
headers are a module made before it, in which each file is a submodule too.

A module only finds the suspects. Each header that clang names when it fails is compiled by itself, twice in one file,
and this decides. The same is done with a header that does not begin with #pragma once.

Two rules are checked as well: the includes of a header stand before all its other lines, and no header includes itself
through others. Its includes therefore see nothing of the header itself.

The warnings of the tree are GCC's and belong to the build.
"""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile

from common import INCLUDE, ROOT, includes, main, read, tracked, without_comments

CLANG = 'clang++-16'
FLAGS = ['-std=c++20', '-I', ROOT]
PLAIN = ['-fno-exceptions', '-fno-rtti']
DEFINED = ['-DRNCD_SOURCE_ROOT="."']  # a definition that the build gives to tests
MODULE = ['-fmodules', '-fno-implicit-modules', '-fno-implicit-module-maps', '-Xclang', '-emit-module',
          '-ferror-limit=0', '-x', 'c++', '-c']
# System headers are written to see each other: theirs is a module without visibility between its submodules.
OPEN = ['-Xclang', '-fno-cxx-modules', '-Wno-module-import-in-extern-c']
# System files that are read where they are included. An operator of <coroutine>, if it is in the module, is found
# without an include; rte_config.h comes by the command line.
READ_IN_PLACE = ('/coroutine', '/rte_config.h')
GUARD = re.compile(r'^[ \t]*#\s*(?:ifndef|if\s+!\s*defined)\s*\(?\s*(\w+)\s*\)?\s*#\s*define\s+\1\b', re.MULTILINE)


def dpdk_flags():
    flags = subprocess.run(['pkg-config', '--cflags', 'libdpdk'], check=True, capture_output=True, text=True).stdout
    return [flag.replace('-I', '-isystem', 1) for flag in shlex.split(flags)]


def flags_of(path):
    return (*FLAGS, *(PLAIN + DPDK if path.startswith(('dataplane/', 'tools/bench/dpdk/')) else DEFINED))


def clang(words, source=''):
    # Huge pages save a tenth of its time where the kernel gives them on request.
    return subprocess.run([CLANG, *words], input=source, cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, 'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'})


class Graph:
    """The includes of each header, direct and indirect. Names have their quotes: "dataplane/base/time.h", <string>."""

    def __init__(self, texts):
        self.named = {f'"{path}"': [name for _, name in includes(text)] for path, text in texts.items()}
        self.found = {}

    def below(self, path):
        """The names of all that a header includes. One that includes itself through others is among them."""
        return self._below(f'"{path}"')

    def of_all(self, paths):
        """The paths of headers with those that they include, and the names of the system's."""
        names = set().union(*({f'"{path}"'} | self.below(path) for path in paths))
        return (sorted(name.strip('"') for name in names if name in self.named),
                sorted(name for name in names if name.startswith('<')))

    def _below(self, name):
        if name not in self.found:
            self.found[name] = set()
            for other in self.named.get(name, ()):
                self.found[name] |= {other} | self._below(other)
        return self.found[name]


def guarded(file):
    """The file's text is to be read once: it says #pragma once, or has a guard, which is named after the file."""
    with open(file, encoding='utf-8', errors='replace') as opened:
        text = without_comments(opened.read())
    word = max(re.findall('[a-z0-9]+', os.path.basename(file).split('.')[0].lower()), key=len)
    return '#pragma once' in text or any(word in guard.lower() for guard in GUARD.findall(text))


def make_module(folder, name, files, flags):
    """Compiles files as a module, each as a submodule that shows its includes to those who include it."""
    listed = os.path.join(folder, name + '.map')
    with open(listed, 'w', encoding='utf-8') as file:
        lines = [f'module "{path}" {{ header "{path}" export * }}\n' for path in files]
        file.write(f'module {name} {"[system] " * (name == "system")}{{\n{"".join(lines)}}}\n')
    return clang([*flags, *MODULE, f'-fmodule-name={name}', listed, '-o', os.path.join(folder, name + '.pcm')])


def make_system_module(folder, names, flags):
    rule = clang([*flags, '-x', 'c++', '-M', '-'], ''.join(f'#include {name}\n' for name in names)).stdout
    # Their order is the one of reading: a file that is no use before another does not come before it.
    files = dict.fromkeys(os.path.realpath(word) for word in rule.replace('\\\n', ' ').split() if word.startswith('/'))
    shared = [file for file in files if not file.endswith(READ_IN_PLACE) and guarded(file)]
    return make_module(folder, 'system', shared, [*flags, *OPEN])

def make_tree_module(folder, paths, flags):
    files = [next(file for root in (EXAMPLES, ROOT) if os.path.isfile(file := os.path.join(root, path)))
             for path in paths]
    system = os.path.join(folder, 'system')
    return make_module(folder, 'tree', files, [*flags, '-Xclang', '-fmodules-local-submodule-visibility',
                                               f'-fmodule-map-file={system}.map', f'-fmodule-file=system={system}.pcm'])


def opens_once(text):
    first = next((line.split() for line in without_comments(text).splitlines() if line.strip()), [])
    return first == ['#pragma', 'once']


def alone(path, flags):
    return clang([*flags, '-fsyntax-only', '-x', 'c++', '-'], f'#include "{path}"\n' * 2)


def first_errors(paths, flags):
    """By header that does not compile alone, the first error."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = zip(paths, pool.map(lambda path: alone(path, flags), paths))
        return {path: next((line for line in result.stderr.splitlines() if 'error:' in line), result.stderr.strip())
                for path, result in said if result.returncode}


def judge(paths, texts, folder, flags):
    """By header that does not compile alone, the first error. The system's module is in the folder."""
    together = make_tree_module(folder, paths, flags)
    named = [path for path in paths if together.returncode and path in together.stderr]
    found = first_errors([path for path in paths if path in named or not opens_once(texts[path])], flags)
    # Clang reads no further after a fatal error.
    unread = together.returncode and (not named or 'fatal error:' in together.stderr)
    return found if found or not unread else first_errors(paths, flags)


def judge_all(flags):
    """Makes the module of system headers for these flags and judges the tree's headers that are compiled with them."""
    folder = os.path.join(EXAMPLES, str(FLAG_SETS.index(flags)))
    os.mkdir(folder)
    paths, names = GRAPH.of_all([path for path in TEXTS if flags_of(path) == flags])
    if (system := make_system_module(folder, names, flags)).returncode:
        sys.exit(f'{sys.argv[0]}: the module of system headers does not compile:\n{system.stderr}')
    return judge(paths, TEXTS, folder, flags)


def judge_example(path, text):
    """Judges a header beside others, which it must not see unless it includes them."""
    file = os.path.join(EXAMPLES, path)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, 'w', encoding='utf-8') as opened:
        opened.write(text)
    texts = {**TEXTS, path: text}
    flags = flags_of(path)
    paths = Graph(texts).of_all([path, 'dataplane/base/time.h'])[0]
    return judge(paths, texts, os.path.join(EXAMPLES, str(FLAG_SETS.index(flags))), flags)


def check(path, text):
    graph = GRAPH if path in TEXTS else Graph({**TEXTS, path: text})
    lines = enumerate(without_comments(text).splitlines(), 1)
    own = next((number for number, line in lines
                if line.strip() and line.split() != ['#pragma', 'once'] and not INCLUDE.match(line)), None)
    for number, name in includes(text):
        if own and number > own:
            yield number, f'{name}: includes stand before all other lines; line {own} is another'
    if f'"{path}"' in graph.below(path):
        yield 1, 'includes itself through others'
    if error := (FOUND if path in TEXTS else judge_example(path, text)).get(path):
        yield 1, f'does not compile alone: {error}'


BAD = [
    ('dataplane/base/a.h', '#pragma once\n#include <cstdint>\ninline std::string name() { return {}; }\n'),
    ('dataplane/base/a.h', '#pragma once\n#include "dataplane/base/counter.h"\ninline dp::Time f() { return {}; }\n'),
    ('dataplane/base/a.h', '#pragma once\ninline void f() { throw 1; }\n'),
    ('config/a.h', '#pragma once\ninline std::string name() { return {}; }\n#include <string>\n'),
    ('config/a.h', '#pragma once\ninline int f() { return INT_MAX; }\n'),
    ('config/a.h', '#pragma once\nnamespace dp { class Elsewhere; }\ninline dp::Elsewhere f() { return {}; }\n'),
    ('config/a.h', '#pragma once\n#include "config/a.h"\n'),
    ('config/a.h', '#pragma once\n#include "config/nowhere.h"\n'),
    ('config/a.h', 'struct Twice {};\n'),
]
GOOD = [
    ('dataplane/base/a.h', '#pragma once\n#include "dataplane/base/time.h"\ninline dp::Time f() { return {}; }\n'),
    ('config/a.h', '#pragma once\n#include <string>\ninline std::string f() { throw 1; }\n'),
    ('config/a.h', '#ifndef CONFIG_A_H\n#define CONFIG_A_H\nstruct Once {};\n#endif\n'),
]


if __name__ == '__main__':
    DPDK = dpdk_flags()
    TEXTS = {path: read(path) for path in tracked('.h')}
    GRAPH = Graph(TEXTS)
    with tempfile.TemporaryDirectory() as EXAMPLES, concurrent.futures.ThreadPoolExecutor() as sets:
        FLAGS += ['-I', EXAMPLES]
        FLAG_SETS = sorted({flags_of(path) for path in TEXTS})
        FOUND = {path: error for found in sets.map(judge_all, FLAG_SETS) for path, error in found.items()}
        main(check, list(TEXTS), BAD, GOOD)

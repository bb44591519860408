#!/usr/bin/python3
"""Each header compiles alone, and twice in one file.

Most of the time of such a compile goes into the header's includes, and headers have most includes in common. So they
are compiled together, as one module of clang, in which each header is a submodule: clang reads each header once, where
it is first included, and hides from it all declarations and macros but its own and those of its includes. The system's
headers are a module made before it, in which each file is a submodule too.

A module only finds the suspects. Each header that clang names when it fails is compiled by itself, twice in one file,
and this decides. The module says nothing of some faults, so other headers are suspects too:
  - One that does not begin with #pragma once.
  - One that names std::optional or std::pair and does not include them. Each instance of a template that is its own
    friend shows the template's name to all.
  - One that sees a class declared but not defined, and a template of it, if it does not compile with all others of
    which this is true. In the module the template's instance may come from a header that sees the definition.

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
MODULES = ['-fmodules', '-fno-implicit-modules', '-fno-implicit-module-maps']
MAKE = ['-Xclang', '-emit-module', '-ferror-limit=0', '-x', 'c++', '-c']
# System headers are written to see each other: theirs is a module without visibility between its submodules.
OPEN = ['-Xclang', '-fno-cxx-modules', '-Wno-module-import-in-extern-c']
# System files that are read where they are included. An operator of <coroutine>, if it is in the module, is found
# without an include; rte_config.h comes by the command line.
READ_IN_PLACE = ('/coroutine', '/rte_config.h')
OWN_FRIENDS = {'std::optional': '<optional>', 'std::pair': '<utility>'}
DECLARED = re.compile(r'^(?:template *<[^;{]*> *)?(?:class|struct|union) +(\w+);', re.MULTILINE)
DEFINED_AS = r'\b(?:class|struct|union)\s+(?:alignas\([^)]*\)\s*)?%s\b[^;(){}]*\{'
TEMPLATE_OF = r'<[^;{}()]*\b%s\b(?!\s*[*&])'
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

    def sees(self, path, names):
        return not names.isdisjoint(self.below(path) | {f'"{path}"'})

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
    return clang([*flags, *MAKE, f'-fmodule-name={name}', listed, '-o', os.path.join(folder, name + '.pcm')])


def make_system_module(folder, names, flags):
    rule = clang([*flags, '-x', 'c++', '-M', '-'], ''.join(f'#include {name}\n' for name in names)).stdout
    # Their order is the one of reading: a file that is no use before another does not come before it.
    files = dict.fromkeys(os.path.realpath(word) for word in rule.replace('\\\n', ' ').split() if word.startswith('/'))
    shared = [file for file in files if not file.endswith(READ_IN_PLACE) and guarded(file)]
    return make_module(folder, 'system', shared, [*flags, *MODULES, *OPEN])


def system_module(folder):
    made = os.path.join(folder, 'system')
    return [*MODULES, f'-fmodule-map-file={made}.map', f'-fmodule-file=system={made}.pcm']


def make_tree_module(folder, paths, flags):
    files = [next(file for root in (EXAMPLES, ROOT) if os.path.isfile(file := os.path.join(root, path)))
             for path in paths]
    visibility = ['-Xclang', '-fmodules-local-submodule-visibility']
    return make_module(folder, 'tree', files, [*flags, *visibility, *system_module(folder)])


def opens_once(code):
    return next((line.split() for line in code.splitlines() if line.strip()), []) == ['#pragma', 'once']


def unsure(code, graph):
    """Lists of headers that may have a fault of which the module says nothing."""
    for path, text in code.items():
        if not opens_once(text) or any(name in text and file not in graph.below(path)
                                       for name, file in OWN_FRIENDS.items()):
            yield [path]

    def holding(pattern, name):
        return {f'"{path}"' for path, text in code.items() if name in text and re.search(pattern % name, text)}
    for name in {name for text in code.values() for name in DECLARED.findall(text)}:
        declaring = {f'"{path}"' for path, text in code.items() if name in DECLARED.findall(text)}
        defining, using = holding(DEFINED_AS, name), holding(TEMPLATE_OF, name)
        yield [path for path in code if graph.sees(path, declaring) and graph.sees(path, using)
               and not graph.sees(path, defining)]


def compiled(paths, flags):
    return clang([*flags, '-fsyntax-only', '-x', 'c++', '-'], ''.join(f'#include "{path}"\n' * 2 for path in paths))


def first_errors(paths, flags):
    """By header that does not compile alone, the first error."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = zip(paths, pool.map(lambda path: compiled([path], flags), paths))
        return {path: next((line for line in result.stderr.splitlines() if 'error:' in line), result.stderr.strip())
                for path, result in said if result.returncode}


def judge(paths, lists, folder, flags):
    """By header that does not compile alone, the first error. The module of system headers is in the folder."""
    together = make_tree_module(folder, paths, flags)
    named = {path for path in paths if together.returncode and path in together.stderr}
    failing = (some for some in lists if compiled(some, [*flags, *system_module(folder)]).returncode)
    found = first_errors(sorted(named.union(*failing)), flags)
    # Clang reads no further after a fatal error.
    unread = together.returncode and (not named or 'fatal error:' in together.stderr)
    return found if found or not unread else first_errors(paths, flags)


def by_flags(lists):
    """The parts of lists of headers that are compiled with the same flags; each once."""
    parts = {flags: {tuple(path for path in some if flags_of(path) == flags) for some in lists} for flags in FLAG_SETS}
    return {flags: sorted(some - {()}) for flags, some in parts.items()}


def judge_all(flags):
    """Makes the module of system headers for these flags and judges the tree's headers that are compiled with them."""
    folder = os.path.join(EXAMPLES, str(FLAG_SETS.index(flags)))
    os.mkdir(folder)
    paths, names = GRAPH.of_all([path for path in TEXTS if flags_of(path) == flags])
    if (system := make_system_module(folder, names, flags)).returncode:
        sys.exit(f'{sys.argv[0]}: the module of system headers does not compile:\n{system.stderr}')
    return judge(paths, UNSURE[flags], folder, flags)


def judge_example(path, text):
    """Judges a header beside others, which it must not see unless it includes them."""
    file = os.path.join(EXAMPLES, path)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, 'w', encoding='utf-8') as opened:
        opened.write(text)
    graph, flags = Graph({**TEXTS, path: text}), flags_of(path)
    paths = graph.of_all([path, 'dataplane/base/time.h'])[0]
    folder = os.path.join(EXAMPLES, str(FLAG_SETS.index(flags)))
    return judge(paths, [some for some in unsure({path: without_comments(text)}, graph) if some], folder, flags)


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
    ('config/a.h', '#pragma once\n#include <string>\nstd::optional<int> f();\n'),
]
GOOD = [
    ('dataplane/base/a.h', '#pragma once\n#include "dataplane/base/time.h"\ninline dp::Time f() { return {}; }\n'),
    ('config/a.h', '#pragma once\n#include <string>\ninline std::string f() { throw 1; }\n'),
    ('config/a.h', '#ifndef CONFIG_A_H\n#define CONFIG_A_H\nstruct Once {};\n#endif\n'),
]
# A class declared in a and defined in d, and a template of it in b and c, of which only c sees the definition.
DECLARATION = {'a.h': '#pragma once\nclass A;\n', 'b.h': '#pragma once\n#include "a.h"\nextern List<A> all;\n',
               'c.h': '#pragma once\n#include "d.h"\nextern List<A> all;\n',
               'd.h': '#pragma once\n#include "a.h"\nclass A {};\n'}

if __name__ == '__main__':
    DPDK = dpdk_flags()
    TEXTS = {path: read(path) for path in tracked('.h')}
    GRAPH = Graph(TEXTS)
    with tempfile.TemporaryDirectory() as EXAMPLES, concurrent.futures.ThreadPoolExecutor() as sets:
        FLAGS += ['-I', EXAMPLES]
        FLAG_SETS = sorted({flags_of(path) for path in TEXTS})
        UNSURE = by_flags(list(unsure({path: without_comments(text) for path, text in TEXTS.items()}, GRAPH)))
        FOUND = {path: error for found in sets.map(judge_all, FLAG_SETS) for path, error in found.items()}
        if list(unsure(DECLARATION, Graph(DECLARATION))) != [['b.h']]:
            sys.exit(f'{sys.argv[0]}: self-test: is sure of other headers than it should be')
        main(check, list(TEXTS), BAD, GOOD)

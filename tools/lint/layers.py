#!/usr/bin/python3
"""Who may include whom: the data plane's layers, and what control, config and the tools see of them."""
import re

from common import CPP, main, tracked

ORDER = [{'base'}, {'packet'}, {'tcp', 'flow'}, {'aqm', 'ack'}, {'rlc'}, {'sched'}, {'link'}, {'bearer'},
         {'downlink', 'uplink'}, {'worker'}, {'dpdk', 'xdp'}]
LEVEL = {folder: level for level, folders in enumerate(ORDER) for folder in folders}

# What the folders outside the data plane see, as patterns of included paths. The first row that fits counts.
PLAIN_DPDK = r'dataplane/dpdk/(start|device|huge_pages)\.h'  # free of rte_ names
STARTUP = r'control/(host/|(daemon|startup)\.(h|cc))'
SEES = [
    (r'control/main\.cc', r'config/|control/|dataplane/base/|' + PLAIN_DPDK),
    (STARTUP, r'config/|control/|dataplane/(base|packet|flow|aqm|ack|link|rlc|bearer|worker)/|' + PLAIN_DPDK),
    (r'control/', r'config/|control/|dataplane/(base|packet|flow|aqm|ack|link|rlc|bearer|worker)/'),
    (r'config/', r'config/|dataplane/base/|dataplane/([a-z]+/)+registry\.h|dataplane/bearer/(settings|class_stats)\.h'),
    (r'tools/(ctl|common)/', r'tools/(ctl|common)/|dataplane/base/|config/notation/strict_json\.h'),
    (r'tools/lab/', r'(?!dataplane/(dpdk|xdp)/)'),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
DPDK_FOLDERS = ('dataplane/dpdk/', 'tools/bench/')


def folder(path):
    return path.split('/')[1] if path.startswith('dataplane/') and path.count('/') > 1 else None


def complaint(path, included):
    """Why `path` may not include `included`, or None."""
    for users, seen in SEES:
        if re.match(users, path):
            return None if re.match(seen, included) else f'{users.strip("/")} sees only {seen}'
    here, there = folder(path), folder(included)
    if here is None:
        return None
    if here not in LEVEL:
        return f'dataplane/{here} has no layer; give it one in tools/lint/layers.py'
    if there is None:
        return 'the data plane includes nothing from outside'
    if there != here and LEVEL.get(there, len(ORDER)) >= LEVEL[here]:
        return f'{here} is not above {there}'
    return None


def check(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if not (match := INCLUDE.match(line)):
            continue
        quote, included = match.groups()
        if included.startswith('rte_') and not path.startswith(DPDK_FOLDERS):
            yield number, f'{included}: rte_ headers belong into {" or ".join(DPDK_FOLDERS)}'
        elif included.startswith('rte_') and re.fullmatch(PLAIN_DPDK, path):
            yield number, f'{included}: control includes this header, which must stay plain'
        elif quote == '"' and (why := complaint(path, included)):
            yield number, f'{included}: {why}'


BAD = [
    ('dataplane/base/a.h', '#include "dataplane/packet/sdu.h"'),
    ('dataplane/tcp/a.h', '#include "dataplane/flow/table.h"'),
    ('dataplane/downlink/a.h', '#include "dataplane/uplink/uplink.h"'),
    ('dataplane/worker/a.h', '#include <rte_mbuf.h>'),
    ('dataplane/dpdk/start.h', '#include <rte_eal.h>'),
    ('dataplane/worker/a.h', '#include "control/rpc/server.h"'),
    ('dataplane/novel/a.h', '#include "dataplane/base/time.h"'),
    ('control/rpc/server.cc', '#include "dataplane/dpdk/start.h"'),
    ('control/rpc/server.cc', '#include "dataplane/downlink/serve.h"'),
    ('config/load.cc', '#include "dataplane/worker/messages.h"'),
    ('tools/ctl/main.cc', '#include "config/model.h"'),
]
GOOD = [
    ('dataplane/worker/a.h', '#include "dataplane/base/time.h"\n#include "dataplane/worker/b.h"\n#include <array>'),
    ('dataplane/dpdk/a.cc', '#include <rte_mbuf.h>\n#include "dataplane/worker/runtime.h"'),
    ('control/main.cc', '#include "control/daemon.h"\n#include "dataplane/dpdk/start.h"'),
    ('config/load.cc', '#include "dataplane/link/registry.h"'),
    ('control/host/preflight_port.cc', '#include "dataplane/dpdk/device.h"'),
    ('tests/unit/a.cc', '#include "dataplane/worker/worker.h"'),
]

if __name__ == '__main__':
    main(check, tracked(*CPP), BAD, GOOD)

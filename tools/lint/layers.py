#!/usr/bin/python3
"""Permitted includes: the data plane's layers, what control, config and the tools see of them, and their rooms.

layers.py --draw prints the rooms and how often they include each other.
"""
import collections
import re
import sys

from common import CPP, includes, main, read, tracked

ORDER = [{'base'}, {'timer'}, {'packet'}, {'tap'}, {'store'}, {'mesh', 'tcp', 'flow'}, {'aqm', 'ack', 'split'}, {'queue'}, {'rlc'},
         {'buffer'}, {'sched'}, {'link'}, {'bearer'}, {'downlink', 'uplink'}, {'worker'}, {'xdp'}, {'dpdk'}]
LEVEL = {folder: level for level, folders in enumerate(ORDER) for folder in folders}

# Includes that the folders outside the data plane may have, as patterns of paths. The first row that fits counts.
PLAIN_DPDK = r'dataplane/dpdk/(start|device|huge_pages)\.h'  # free of rte_ names
PLAIN_XDP = r'dataplane/xdp/vlan_tags\.h'  # plain values
STARTUP = r'control/(host/|(daemon|leave|startup)\.(h|cc))'
SEES = [
    (r'control/main\.cc', r'config/|control/|dataplane/base/|' + PLAIN_DPDK),
    (STARTUP, r'config/|control/|dataplane/(base|packet|store|flow|aqm|ack|split|queue|link|rlc|buffer|sched|bearer|worker)/|' + PLAIN_DPDK + '|' + PLAIN_XDP),
    (r'control/', r'config/|control/|dataplane/(base|packet|tap|store|flow|aqm|ack|split|queue|link|rlc|buffer|sched|bearer|worker)/'),
    (r'config/', r'config/|dataplane/base/|dataplane/([a-z]+/)+registry\.h|dataplane/(bearer/(settings|class_counters)|sched/cell_settings|split/split_config)\.h'),
    (r'tools/(ctl|common)/', r'tools/(ctl|common)/|dataplane/(base/|xdp/(wire|interface)\.h)|config/notation/(files|strict_json|units|visible_output|words)\.h'),
    (r'tools/lab/', r'(?!dataplane/(dpdk|xdp)/)'),
]
# The rooms of a folder outside the data plane, lowest floor first. A room sees those on lower floors; rooms on one
# floor do not see each other. What lies in the folder itself stands above its rooms.
ROOMS = {
    'control/': [{'loop'}, {'host'}, {'workers'}, {'bearers', 'capture'}, {'plane'}, {'ports'}, {'metrics', 'state'}, {'rpc'}, {'told'}],
    'config/': [{'notation', 'profiles'}, {'traces'}],
    'tools/lab/': [{'scenario', 'figures'}, {'run'}, {'batch', 'replay'}, {'papers'}],
}
DPDK_FOLDERS = ('dataplane/dpdk/', 'tools/bench/', 'tests/unit/dpdk/', 'tests/system/dpdk_queues_test.cc')


def folder(path):
    return path.split('/')[1] if path.startswith('dataplane/') and path.count('/') > 1 else None


def room_of(path):
    """(folder, room) of a file of one of ROOMS, None in the folder's place elsewhere; '' is the folder itself."""
    for house in ROOMS:
        if path.startswith(house):
            return house, path.removeprefix(house).rpartition('/')[0].partition('/')[0]
    return None, ''


def floor_of(house, room):
    floors = ROOMS[house]
    return next((level for level, rooms in enumerate(floors) if room in rooms), None if room else len(floors))


def complaint_of_rooms(path, included):
    (house, here), (other, there) = room_of(path), room_of(included)
    if house is None:
        return None
    if floor_of(house, here) is None:
        return f'{house}{here} has no floor; give it one in tools/lint/layers.py'
    if house != other or here == there or floor_of(house, there) is None:
        return None
    return None if floor_of(house, there) < floor_of(house, here) else f'{here} is not above {there or house}'


def complaint(path, included):
    """Why `path` may not include `included`, or None."""
    if why := complaint_of_rooms(path, included):
        return why
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


def draw(paths):
    """The rooms from the top floor down, each with how often it includes which others."""
    arrows = collections.Counter()
    for path in paths:
        house, here = room_of(path)
        if house is None:
            continue
        for _, name in includes(read(path)):
            other, there = room_of(name.strip('"'))
            if other == house and there != here:
                arrows[house, here, there] += 1
    for house, floors in ROOMS.items():
        print(house)
        for level in range(len(floors), -1, -1):
            for room in sorted(floors[level]) if level < len(floors) else ['']:
                seen = [(there, n) for (h, here, there), n in sorted(arrows.items()) if (h, here) == (house, room)]
                up = [there for there, _ in seen if floor_of(house, there) >= level]
                words = ', '.join(f'{there or "(itself)"} {n}' for there, n in seen) or '-'
                print(f'  {level}  {room or "(itself)":10}  -> {words}' + (f'   UP: {", ".join(up)}' if up else ''))
        print(f'  {sum(n for (h, _, _), n in arrows.items() if h == house)} arrows')


def check(path, text):
    for number, name in includes(text):
        included = name.strip('"<>')
        if included.startswith('rte_') and not path.startswith(DPDK_FOLDERS):
            yield number, f'{included}: rte_ headers belong into {" or ".join(DPDK_FOLDERS)}'
        elif included.startswith('rte_') and re.fullmatch(PLAIN_DPDK, path):
            yield number, f'{included}: control includes this header, which must stay plain'
        elif name.startswith('"') and (why := complaint(path, included)):
            yield number, f'{included}: {why}'


BAD = [
    ('dataplane/base/a.h', '#include "dataplane/packet/sdu.h"'),
    ('dataplane/base/a.h', '#include "dataplane/timer/timer.h"'),
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
    ('control/plane/a.h', '#include "control/rpc/codec.h"'),
    ('control/plane/a.h', '#include "control/ports/port_keeper.h"'),
    ('control/host/a.h', '#include "control/options.h"'),
    ('config/notation/a.h', '#include "config/model.h"'),
    ('tools/lab/figures/a.h', '#include "tools/lab/run/simulate.h"'),
    ('tools/lab/batch/a.h', '#include "tools/lab/replay/replay.h"'),
    ('tools/lab/papers/a.h', '#include "tools/lab/options.h"'),
    ('tools/lab/novel/a.h', '#include "tools/lab/run/simulate.h"'),
]
GOOD = [
    ('dataplane/worker/a.h', '#include "dataplane/base/time.h"\n#include "dataplane/worker/b.h"\n#include <array>'),
    ('dataplane/dpdk/a.cc', '#include <rte_mbuf.h>\n#include "dataplane/worker/runtime.h"'),
    ('control/main.cc', '#include "control/daemon.h"\n#include "dataplane/dpdk/start.h"'),
    ('config/load.cc', '#include "dataplane/link/registry.h"'),
    ('control/host/preflight_port.cc', '#include "dataplane/dpdk/device.h"'),
    ('tests/unit/a.cc', '#include "dataplane/worker/worker.h"'),
    ('tools/lab/papers/a.cc', '#include "tools/lab/papers/a.h"\n#include "tools/lab/run/simulate.h"'),
    ('tools/lab/main.cc', '#include "tools/lab/papers/a.h"'),
]

if __name__ == '__main__':
    if sys.argv[1:] == ['--draw']:
        draw(tracked(*CPP))
        sys.exit()
    main(check, tracked(*CPP), BAD, GOOD)

#!/usr/bin/env python3
"""Writes the lists of the families, AQM policies and ACK stages, with members of the tests' own: the lines
that include their files, and their names.

usage: with_toy.py OUT DIRECTORY LIST...   DIRECTORY gets the lists, where quoted includes find them first; OUT says
                                           which they are
"""
import pathlib
import sys

# By the list: after which lines, and what.
LISTS = {
    'aqm/registry.h': [('#include "dataplane/aqm/codel_config.h"\n',
                        '#include "tests/contract/toy/queue_cap_config.h"\n'),
                       ('using AqmList = TypeList<', 'QueueCapSpec, ')],
    'aqm/engines.h': [('#include "dataplane/aqm/codel.h"\n', '#include "tests/contract/toy/queue_cap.h"\n'),
                      ('using AqmEngines = TypeList<', 'QueueCap, ')],
    'ack/registry.h': [('#include "dataplane/ack/stages/ack_rate_config.h"\n',
                        '#include "tests/contract/toy/later_config.h"\n'
                        '#include "tests/contract/toy/meddler_config.h"\n'),
                       ('TypeList<AckRateSpec,', ' LaterSpec, MeddlerSpec,')],
    'ack/engines.h': [('#include "dataplane/ack/stages/ack_rate.h"\n', '#include "tests/contract/toy/later.h"\n'
                      '#include "tests/contract/toy/meddler.h"\n'),
                      ('TypeList<AckRate,', ' Later, Meddler,')],
}
out, directory, *lists = map(pathlib.Path, sys.argv[1:])
written = []
for path in lists:
    name = f'{path.parent.name}/{path.name}'
    text = path.read_text()
    for before, after in LISTS[name]:
        if text.count(before) != 1:
            sys.exit(f"with_toy.py: found {text.count(before)} times in {path}, expected once: {before.strip()}")
        text = text.replace(before, before + after)
    shadow = directory / 'dataplane' / name
    shadow.parent.mkdir(parents=True, exist_ok=True)
    shadow.write_text(text)
    written.append(f'// {name}\n')
out.write_text(''.join(written))

#!/usr/bin/env python3
"""Writes the list of a family with one member more in it: the line that includes its file, and its name.

usage: with_toy.py OUT REGISTRY DIRECTORY   DIRECTORY gets it too, where quoted includes find it first
"""
import pathlib
import sys

# By the folder of the list: after which lines, and what.
FAMILIES = {
    'aqm': [('#include "dataplane/aqm/policy.h"\n', '#include "tests/contract/toy/queue_cap.h"\n'),
            ('using AqmList = TypeList<', 'QueueCap, ')],
    'ack': [('#include "dataplane/ack/stage.h"\n', '#include "tests/contract/toy/later.h"\n'),
            ('using AckList = TypeList<', 'Later, ')],
}
out, registry, directory = map(pathlib.Path, sys.argv[1:])
family = registry.parent.name
text = registry.read_text()
for before, after in FAMILIES[family]:
    if text.count(before) != 1:
        sys.exit(f"with_toy.py: found {text.count(before)} times in {registry}, expected once: {before.strip()}")
    text = text.replace(before, before + after)
shadow = directory / "dataplane" / family / "registry.h"
shadow.parent.mkdir(parents=True, exist_ok=True)
shadow.write_text(text)
out.write_text(text)

#!/usr/bin/python3
"""Makes each vector of pfcp_vectors.h again, from the line of scapy above it. Without arguments it compares, lets
tshark read all, and fails when one differs or is malformed; with --write it writes them.
"""
import logging
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
logging.getLogger('scapy').setLevel(logging.ERROR)
from scapy.all import IP, UDP, Ether, wrpcap

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'pfcp_vectors.h')
WIDTH = 100
VECTOR = re.compile(r'^    // (?P<line>\S.*)\n    \{(?P<name>".*"),\s*(?P<text>(?:"[^"]*"\s*)+)\},\n', re.MULTILINE)


def names(text):
    """The lines that the header's comment gives."""
    known = {}
    for line in re.findall(r'^//   ((?:\w+ = |from ).*)$', text, re.MULTILINE):
        exec(line, known)
    return known


def again(text):
    """The header with its vectors made anew, and the vectors."""
    known, made = names(text), []

    def fill(match):
        made.append(bytes(eval(match['line'], known)))
        digits = made[-1].hex()
        lines = '\n     '.join(f'"{digits[at:at + WIDTH]}"' for at in range(0, len(digits), WIDTH))
        return f'    // {match["line"]}\n    {{{match["name"]},\n     {lines}}},\n'
    begin = text.index('clang-format off')
    text = text[:begin] + VECTOR.sub(fill, text[begin:])
    assert len(made) > 15, f'only {len(made)} vectors found'
    return text, made


def judge(vectors):
    """tshark's complaints about the vectors."""
    with tempfile.NamedTemporaryFile(suffix='.pcap') as file:
        wrpcap(file.name, [Ether() / IP(src='192.0.2.1', dst='192.0.2.2') / UDP(sport=8805, dport=8805) / one
                           for one in vectors])
        rows = subprocess.run(['tshark', '-r', file.name, '-T', 'fields', '-e', 'frame.number', '-e', 'pfcp.version',
                               '-e', '_ws.malformed', '-e', 'pfcp.ie_data_not_decoded'],
                              check=True, capture_output=True, text=True).stdout.splitlines()
    good = [f'{number}\t1\t\t' for number in range(1, len(vectors) + 1)]
    return [row for row, expected in zip(rows, good, strict=True) if row != expected]


def main():
    with open(HEADER, encoding='utf-8') as file:
        now = file.read()
    made, vectors = again(now)
    if sys.argv[1:] == ['--write']:
        with open(HEADER, 'w', encoding='utf-8') as file:
            file.write(made)
    elif made != now:
        sys.exit('tests/oracle/pfcp_vectors.h: scapy makes other vectors; see pfcp_vectors.py --write')
    if wrong := judge(vectors):
        sys.exit('tshark does not read these vectors:\n' + '\n'.join(wrong))


if __name__ == '__main__':
    main()

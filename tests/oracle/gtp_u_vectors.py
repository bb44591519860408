#!/usr/bin/python3
"""Makes each vector of gtp_u_vectors.h again, from the line of scapy above it. Without arguments it compares, and fails
when one differs; with --write it writes them.
"""
import base64
import logging
import os
import re
import sys

sys.dont_write_bytecode = True
logging.getLogger('scapy').setLevel(logging.ERROR)
from scapy.all import *
from scapy.contrib.gtp import GTP_U_Header as H, GTPPDUSessionContainer as C

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'gtp_u_vectors.h')
WIDTH = 108
VECTOR = re.compile(r'^( *)// (?P<line>\S.*)\n(?P<name>.*GtpUVerdict::\w+,\n)? *(?P<text>(?:"[^"]*"\s*)+)(?P<end>}?,)\n',
                    re.MULTILINE)


def mark(packet, ecn):
    marked = packet.copy()
    if IPv6 in marked:
        marked.tc = ecn
    else:
        marked.tos = ecn
    return marked


def names(text):
    """The lines that the header's comment gives."""
    known = {**globals()}
    for line in re.findall(r'^//   (\w+ = .*)$', text, re.MULTILINE):
        exec(line, known)
    return known


def again(text):
    known = names(text)
    made = 0

    def fill(match):
        nonlocal made
        made += 1
        octets = base64.b64encode(bytes(eval(match['line'], known))).decode()
        pieces = [f'"{octets[at:at + WIDTH]}"' for at in range(0, len(octets), WIDTH)]
        lines = '\n     '.join(pieces)
        return f'{match[1]}// {match["line"]}\n{match["name"] or ""}     {lines}{match["end"]}\n'
    begin = text.index('clang-format off')
    text = text[:begin] + VECTOR.sub(fill, text[begin:])
    assert made > 20, f'only {made} vectors found'
    return text


def main():
    with open(HEADER, encoding='utf-8') as file:
        now = file.read()
    made = again(now)
    if sys.argv[1:] == ['--write']:
        with open(HEADER, 'w', encoding='utf-8') as file:
            file.write(made)
    elif made != now:
        sys.exit('tests/oracle/gtp_u_vectors.h: scapy makes other vectors; see gtp_u_vectors.py --write')


if __name__ == '__main__':
    main()

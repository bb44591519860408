#!/usr/bin/python3
"""Makes the corpora of the fuzz targets again: sudo tests/fuzz/make_corpus.py [TARGET...], after `tests/fuzz/run 1`.

Kernel TCP runs through rncd in network namespaces (tools/rig) and is captured; scapy makes segments that kernels do not
send; the repository has requests and configurations. Each becomes inputs of the targets. With those that the corpus has
and those that fuzzing has kept (build/fuzz/corpus-TARGET), libFuzzer keeps the fewest that cover the same, and they
become one file: tests/fuzz/corpus/TARGET/packed.tar.gz.
"""
import glob
import gzip
import io
import itertools
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
import corpus_traffic
from scapy.all import IP, UDP, Ether, IPv6, IPv6ExtHdrFragment, fragment, fragment6
from corpus_traffic import DOWN

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FUZZ = os.path.join(ROOT, 'build', 'fuzz')
CORPUS = os.path.join(ROOT, 'tests', 'fuzz', 'corpus')
PACKED = 'packed.tar.gz'


def parse_inputs(traffic, crafted):
    """A byte for what lies behind the first segment and for tunnels, then the frame (parse_fuzz.cc)."""
    for _, frame in itertools.chain(*traffic, crafted):
        yield b'\0' + bytes(frame)
    for frame, settings in itertools.product(corpus_traffic.tunnels(), (0x80, 0xc0)):
        yield bytes([settings]) + frame


def in_parts(words, opening=3, longest=2000):
    """Inputs of bounded length; each begins with what opens the connection."""
    part = words[:opening]
    for word in words[opening:]:
        if sum(map(len, part)) + len(word) > longest:
            yield b''.join(part)
            part = words[:opening]
        part.append(word)
    yield b''.join(part)


def flow_inputs(traffic, crafted):
    """Per segment how it comes, its length, and its bytes (flow_check.h). What leaves the queue is told, too."""
    for frames in [*traffic, crafted]:
        yield from in_parts([bytes([0x60 | 4 | 2 | (way != DOWN), len(frame)]) + bytes(frame)
                             for way, frame in frames if len(frame) < 256])


def near(distance, unit):
    """The octet that stands for so far from the number that is due (split_check.h)."""
    return 0 if distance == 0 else max(150, min(255, 200 + distance // unit))


def split_inputs(traffic, _):
    """Words of split_check.h: how, port, distance of both numbers, flags, window, payload, ECN, options."""
    for frames in traffic:
        due, words = {}, [bytes([0, 0]) + bytes([0, 0, 0, 250, 0, 0, 0])]  # opens the connection
        for way, frame in frames:
            tcp = corpus_traffic.tcp_of(frame)
            if tcp is None or tcp.flags & 2:
                continue
            size = corpus_traffic.payload_of(frame)
            expected = due.get(way, tcp.seq)
            due[way] = max(expected, tcp.seq + size)
            flags = int(tcp.flags) & 0x3f
            words.append(bytes([0x60 | (0 if way == DOWN else 4), 0, near(tcp.seq - expected, 100), 0,
                                flags if flags != 16 else 0, min(tcp.window // 16, 255), size // 8 & 255, 0, 0]))
        yield b''.join(words)


def tcp_inputs(traffic, _):
    """A session's settings, then packets of the peer's with the session's numbers, and time (tcp_fuzz.cc)."""
    for frames, sends in itertools.product(traffic, (True, False)):
        own, peer = corpus_traffic.first_numbers(frames, sends)
        if own is None:
            continue
        steps = []
        for way, frame in frames:
            if (way == DOWN) == sends:
                continue
            packet = corpus_traffic.with_numbers(frame, 5000 - peer, 1000 - own)
            if packet is not None and len(packet) < 256:
                steps.append(bytes([1, len(packet)]) + packet + bytes([0x20]))
        for part in in_parts(steps, opening=1):
            yield bytes([0x17 if sends else 0x90, 2]) + part


def connections_inputs(_traffic, _crafted):
    """Each link, with each kind of what stands beside it: transfers with losses, repeats, delays, forgeries, commands
    (connections_check.h)."""
    chance = random.Random(1)
    for link, beside in itertools.product(range(8), range(0, 58, 2)):
        aqm = chance.randrange(8)
        steps = []
        for _ in range(40):
            step = chance.randrange(256)
            more = {2: 3, 3: 1, 7: 12, 8: 8, 9: 8, 11: 2, 14: 2}.get(step & 15, 0)
            steps.append(bytes([step]) + chance.randbytes(more))
        stack = [chance.randrange(8), link | aqm << 3, beside]
        yield bytes([*stack, chance.randrange(256), chance.randrange(256), 150]) + b''.join(steps)


def rlc_inputs(_traffic, _crafted):
    """SDUs, TTIs and STATUS PDUs in turns (rlc_fuzz.cc, Session::step)."""
    yield bytes.fromhex('00 00 02 00 00 01 00 29 84 0c 06 09 94 08 02 0c 29 0e 29 0d 00')
    yield bytes.fromhex('04 0d 00 08 00 29 85 0a 11 15 0c 29')


def radius_inputs(_traffic, _crafted):
    """Requests as pyrad makes them, alone and as datagrams, and a life of sessions in short steps (radius_fuzz.cc)."""
    for octets in re.findall(r'((?:"[0-9a-f]+"\s*)+)\}', text('tests', 'oracle', 'radius_vectors.h').decode()):
        packet = bytes.fromhex(re.sub(r'["\s]', '', octets))
        yield packet
        yield bytes([0, len(packet)]) + packet
    start, interim, stop, on = 1 << 5, 3 << 5, 2 << 5, 7 << 5
    request, change, disconnect, later = 1, 1 | 2 << 2, 1 | 3 << 2, 7 | 11 << 3
    rate = bytes([26, 12]) + bytes.fromhex('0000372a 0706 004c4b40')
    yield bytes([request, start | 7]) + b'1a\0' + bytes([later, request, interim | 23]) + b'1a\0' + rate
    yield (bytes([request, start | 7]) + b'1a\0' + bytes([request | 4, start | 7]) + b'2a\0'
           + bytes([change, 20, 0]) + rate + bytes([disconnect, 4, 0, 255]))
    yield (bytes([request, start | 9]) + b'1\0' + bytes([request | 4, stop | 9]) + b'1\0' + bytes([255])
           + bytes([request | 128, on | 8, 0, later]))


def pfcp_inputs(_traffic, _crafted):
    """Datagrams that scapy made, one and all, a fragmented one, and lives of sessions in short steps (pfcp_fuzz.cc)."""
    def step(datagram, back):
        return bytes([15 if back else 7]) + len(datagram).to_bytes(2, 'big') + datagram

    def frame(packet):
        return bytes([6]) + len(packet).to_bytes(2, 'big') + packet
    octets = re.findall(r'((?:"[0-9a-f]+"\s*)+)\}', text('tests', 'oracle', 'pfcp_vectors.h').decode())
    datagrams = [bytes.fromhex(re.sub(r'["\s]', '', one)) for one in octets]
    steps = [step(datagram, number % 2) for number, datagram in enumerate(datagrams)]
    yield b''.join(steps)
    yield from steps
    for ip in (IP(src='192.0.2.1', dst='192.0.2.2'), IPv6(src='2001:db8::1', dst='2001:db8::2') / IPv6ExtHdrFragment()):
        packet = ip / UDP(sport=8805, dport=8805) / datagrams[2]
        fragments = fragment6(packet, 300) if IPv6 in packet else fragment(packet, 200)
        yield b''.join(frame(bytes(Ether(src='02:00:00:00:00:01', dst='02:00:00:00:00:02') / one)) for one in fragments)
    established = bytes([2, 1, 2, 0, 9, 0, 0, 1, 11, 5, 1, 0, 1])
    yield established + bytes([4, 1, 1, 0, 7, 0x52, 0, 2]) + bytes([11, 1, 0x13, 0, 2, 8 << 3, 1, 0x54, 0, 3, 15 << 3])
    yield established + bytes([5, 1, 0x86, 0, 4, 13, 2, 0x87, 0, 4, 3, 4, 0x86, 0, 5]) + established + bytes([15 << 3])


def text(*path):
    with open(os.path.join(ROOT, *path), 'rb') as file:
        return file.read()


def decode_inputs(_traffic, _crafted):
    yield from text('tests', 'fuzz', 'requests.jsonl').splitlines()


def rpc_inputs(_traffic, _crafted):
    lines = text('tests', 'fuzz', 'requests.jsonl').splitlines(keepends=True)
    yield from lines
    for at in range(0, len(lines), 6):
        yield b''.join(lines[at:at + 6])


def yaml_inputs(_traffic, _crafted):
    yield text('config', 'rncd.example.yaml')
    for path in sorted(glob.glob(os.path.join(ROOT, 'tests', 'unit', 'config', 'broken', '*.yaml'))):
        yield text(path)


TARGETS = {'parse': parse_inputs, 'flow': flow_inputs, 'split': split_inputs, 'connections': connections_inputs,
           'rlc': rlc_inputs, 'tcp': tcp_inputs, 'decode': decode_inputs, 'rpc': rpc_inputs, 'yaml': yaml_inputs,
           'radius': radius_inputs, 'pfcp': pfcp_inputs}


def gather(target, inputs, folder):
    """The new inputs, and those that there are already."""
    for number, content in enumerate(inputs):
        with open(os.path.join(folder, f'new-{number}'), 'wb') as file:
            file.write(content)
    for path in glob.glob(os.path.join(CORPUS, target, '*')):
        if path.endswith(PACKED):
            with tarfile.open(path) as tar:
                tar.extractall(folder)
        else:
            subprocess.run(['cp', path, folder], check=True)


def minimise(target, folders, into):
    """Edges count, and not how often each is taken: a corpus is for what every run should see."""
    program = os.path.join(FUZZ, target + '_fuzz')
    longest = '8192' if target in ('rpc', 'yaml') else '2100'
    subprocess.run([program, '-set_cover_merge=1', '-use_counters=0', '-max_len=' + longest, '-rss_limit_mb=2048', into,
                    *folders], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def pack(target, folder):
    """Packs a folder; equal inputs make equal files."""
    os.makedirs(os.path.join(CORPUS, target), exist_ok=True)
    path = os.path.join(CORPUS, target, PACKED)
    names = sorted(os.listdir(folder))
    with gzip.GzipFile(path, 'wb', mtime=0) as out, \
            tarfile.open(fileobj=out, mode='w', format=tarfile.USTAR_FORMAT) as tar:
        for name in names:
            with open(os.path.join(folder, name), 'rb') as file:
                content = file.read()
            entry = tarfile.TarInfo(name[:12])
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    print(f'{target}: {len(names)} inputs in {os.path.getsize(path)} bytes', flush=True)


def main():
    targets = sys.argv[1:] or list(TARGETS)
    captured = any(target in ('parse', 'flow', 'split', 'tcp') for target in targets)
    traffic = corpus_traffic.capture() if captured else []
    crafted = corpus_traffic.crafted()
    for target in targets:
        with tempfile.TemporaryDirectory() as new, tempfile.TemporaryDirectory() as fewest:
            gather(target, TARGETS[target](traffic, crafted), new)
            kept = os.path.join(FUZZ, 'corpus-' + target)
            minimise(target, [new] + [kept] * os.path.isdir(kept), fewest)
            pack(target, fewest)


if __name__ == '__main__':
    main()

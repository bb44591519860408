"""The TCP hosts of the live table, a program in each side's namespace.

    hosts.py receive PORT     receives at any address; reports the bytes of each connection at some moments
    hosts.py send PORT        downloads that never have nothing to send, each with its congestion control

Both read their plan as one line of JSON and answer with one line: {"from", "until"} and for the sender "flows", a list
of [UE, congestion control, number of flows]. Moments are those of time.monotonic(), which namespaces share. The sender
reports for each UE's connections: segments `resent`, the longest time `limited` by an end's buffer, and segments
`early`: at the beginning received behind a hole.
"""
import json
import resource
import selectors
import socket
import struct
import sys
import time

LISTEN = 4096
CHUNK = bytes(128 * 1024)
TRASH = bytearray(1 << 20)
PAUSE = 0.001  # between looks: a wake-up for each segment would cost more than the data
# In struct tcp_info (linux/tcp.h): segments beyond a hole at the receiver, retransmissions, and microseconds limited by
# the receiver's window and by the send buffer.
SACKED, TOTAL_RETRANS, LIMITED = 28, 100, 176


def more_files():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def at(moments, look):
    """Results of look() at each of the moments; call the returned function as often as possible."""
    seen = []

    def check():
        while len(seen) < len(moments) and time.monotonic() >= moments[len(seen)]:
            seen.append(look())
        return seen if len(seen) == len(moments) else None
    return check


def receive(port):
    listener = socket.create_server(('0.0.0.0', port), backlog=LISTEN)
    listener.setblocking(False)
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    received = {}
    print('ready', flush=True)
    plan = json.loads(sys.stdin.readline())
    check = at([plan['from'], plan['until']], lambda: (time.monotonic(), dict(received)))
    while not (seen := check()):
        for key, _ in selector.select(0.1):
            if key.fileobj is listener:
                peer, (_, peer_port) = listener.accept()
                peer.setblocking(False)
                name = f'{peer.getsockname()[0]}:{peer_port}'
                received[name] = 0
                selector.register(peer, selectors.EVENT_READ, name)
            else:
                take(selector, key, received)
        time.sleep(PAUSE)
    (begin, before), (end, after) = seen
    print(json.dumps({'seconds': end - begin, 'bytes': {name: count - before.get(name, 0) for name, count in after.items()}}),
          flush=True)


def take(selector, key, received):
    try:
        count = key.fileobj.recv_into(TRASH, 0, socket.MSG_TRUNC)  # discarded without a copy
    except BlockingIOError:
        return
    except OSError:
        count = 0
    received[key.data] += count
    if count == 0:
        selector.unregister(key.fileobj)
        key.fileobj.close()


def connect(ue, port, congestion):
    peer = socket.socket()
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
    peer.setblocking(False)
    peer.connect_ex((ue, port))
    return peer


def info_of(peer):
    info = peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    sacked, resent = (struct.unpack_from('=I', info, offset)[0] for offset in (SACKED, TOTAL_RETRANS))
    return {'sacked': sacked, 'resent': resent, 'limited': max(struct.unpack_from('=QQ', info, LIMITED)) / 1e6}


def send(port):
    print('ready', flush=True)
    plan = json.loads(sys.stdin.readline())
    selector, peers, ended = selectors.DefaultSelector(), [], {}
    for ue, congestion, count in plan['flows']:
        for _ in range(count):
            peers.append((ue, connect(ue, port, congestion)))
            selector.register(peers[-1][1], selectors.EVENT_WRITE, ue)
    check = at([plan['from'], plan['until']], lambda: [(ue, info_of(peer)) for ue, peer in peers])
    while not (seen := check()):
        for key, _ in selector.select(0.1):
            try:
                key.fileobj.send(CHUNK)
            except BlockingIOError:
                pass
            except OSError as error:
                ended[key.data] = str(error)
                selector.unregister(key.fileobj)
        time.sleep(PAUSE)
    told = {}
    for (ue, before), (_, after) in zip(*seen):
        of = told.setdefault(ue, {'resent': 0, 'limited': 0, 'early': 0})
        of['resent'] += after['resent'] - before['resent']
        of['limited'] = max(of['limited'], after['limited'] - before['limited'])
        of['early'] += before['sacked']
    for _, peer in peers:  # no FIN that has to wait behind a full buffer
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        peer.close()
    print(json.dumps({'ues': told, 'ended': ended}), flush=True)


if __name__ == '__main__':
    more_files()
    {'receive': receive, 'send': send}[sys.argv[1]](int(sys.argv[2]))

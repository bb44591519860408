"""UDP in GTP-U tunnels through rncd, a program at either end. Both read their plan as one line of JSON.

    told_load.py send ADDRESS        {"until", "to", "flows": [[UE, TEID, bit/s], ...]}
    told_load.py receive ADDRESS     {"from", "until"}

Rates are those of IP packets. Moments are those of time.monotonic(). The receiver answers with a line of JSON: for each
TEID the payload's bytes of UDP and the seconds between the first packet, which is not counted, and the last; and the
datagrams that it had no time for.
"""
import ipaddress
import json
import os
import select
import socket
import struct
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'rig'))
import tunnel  # noqa: E402

PACKET = 1500  # bytes of IP
HEADERS = 28  # IPv4 and UDP
SERVER = '10.59.0.1'
GTP_U_HEADER = 8
PAUSE = 0.0005
SO_RCVBUFFORCE = 33


def packet(ue):
    """UDP without a checksum, in IPv4."""
    head = struct.pack('!BBHHHBBH4s4s', 0x45, 0, PACKET, 0, 0, 64, 17, 0, ipaddress.IPv4Address(SERVER).packed,
                       ipaddress.IPv4Address(ue).packed)
    total = sum(struct.unpack('!10H', head))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    head = head[:10] + struct.pack('!H', ~total & 0xffff) + head[12:]
    return head + struct.pack('!HHHH', 9, 9, PACKET - 20, 0) + bytes(PACKET - HEADERS)


def send(out, plan):
    peer = (plan['to'], tunnel.PORT)
    begin = time.monotonic()
    flows = [[tunnel.message(teid, packet(ue)), 8 * PACKET / rate, begin] for ue, teid, rate in plan['flows']]
    while (now := time.monotonic()) < plan['until']:
        for flow in flows:
            while flow[2] <= now:
                out.sendto(flow[0], peer)
                flow[2] += flow[1]
        time.sleep(PAUSE)


def receive(source, plan):
    """By TEID: [bytes, moment of the first packet, moment of the last]."""
    source.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
    source.setblocking(False)
    seen, buffer = {}, bytearray(GTP_U_HEADER)
    while (now := time.monotonic()) < plan['until']:
        try:
            size = source.recv_into(buffer, 0, socket.MSG_TRUNC)
        except BlockingIOError:
            select.select([source], [], [], 0.1)
            continue
        if now < plan['from']:
            continue
        teid, = struct.unpack_from('!I', buffer, 4)
        if teid not in seen:
            seen[teid] = [0, now, now]
            continue
        seen[teid][0] += size - GTP_U_HEADER - HEADERS
        seen[teid][2] = now
    return seen


def missed(address):
    """Datagrams that a socket with this local address had no room for."""
    local = ''.join(f'{byte:02X}' for byte in reversed(ipaddress.IPv4Address(address).packed)) + f':{tunnel.PORT:04X}'
    with open('/proc/net/udp', encoding='ascii') as file:
        return sum(int(words[-1]) for words in map(str.split, file) if words[1] == local)


def main(role, address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind((address, tunnel.PORT))
        print('ready', flush=True)
        plan = json.loads(sys.stdin.readline())
        if role == 'send':
            send(end, plan)
            return
        seen = receive(end, plan)
        answer = {'flows': {teid: [count, last - first] for teid, (count, first, last) in seen.items()},
                  'missed': missed(address)}
    print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])

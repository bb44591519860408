#!/usr/bin/python3
"""Records captures/osmo-ggsn.pcap again: the traffic between osmo-ggsn and sgsnemu. For root; makes and removes network
namespaces."""
import os
import signal
import socket
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, '..', '..', 'tools', 'rig'))

from frames import inside
from rig import CORE, CORE_V4, DUT, PATIENCE, RADIO, Rig
import gsn
import tunnel

CAPTURE = os.path.join(HERE, 'captures', 'osmo-ggsn.pcap')
FIRST, SECOND = '10.45.0.2', '10.45.0.3'


def ping(rig, size=56):
    rig.run(RADIO, 'ping', '-n', '-c', '2', '-i', '0.2', '-W', '1', '-s', str(size), gsn.SERVER, check=False)


def say(rig, *messages):
    """Messages of the GGSN that osmo-ggsn does not send."""
    with inside(rig.name(CORE)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ggsn:
        for message in messages:
            ggsn.sendto(message, (FIRST, tunnel.PORT))


def converse(rig, folder):
    ggsn = gsn.Ggsn(rig, folder)
    first = gsn.Sgsn(rig, folder, FIRST)
    for size in (56, 1400, 2000):
        ping(rig, size)
    rig.run(RADIO, 'ip', 'link', 'set', 'r0', 'mtu', '1400')
    ping(rig, 1400)
    rig.run(RADIO, 'ip', 'link', 'set', 'r0', 'mtu', str(gsn.MTU))
    with inside(rig.name(CORE)):
        server = socket.create_server((gsn.SERVER, 9))
    with inside(rig.name(RADIO)):
        client = socket.create_connection((gsn.SERVER, 9), PATIENCE)
    with server, client, server.accept()[0] as peer:
        peer.sendall(bytes(8000))
        with client.makefile('rb') as received:
            received.read(8000)
    second = gsn.Sgsn(rig, folder, SECOND)
    ping(rig)
    say(rig, tunnel.message(1, kind=tunnel.END_MARKER), tunnel.message(0, kind=tunnel.ECHO_REQUEST, sequence=1))
    first.take_uplink()  # the GGSN answers with error indications
    ping(rig)
    for one in (first, second, ggsn):
        one.kill()


def converse_with_numbers(rig, folder):
    gsn.Ggsn(rig, folder, numbered=True)
    only = gsn.Sgsn(rig, folder, FIRST, numbered=True)
    ping(rig)
    only.process.send_signal(signal.SIGINT)
    only.process.wait(PATIENCE)


def main():
    with tempfile.TemporaryDirectory() as folder, Rig(ues=2, mtu=gsn.MTU) as rig:
        rig.run(DUT, 'sh', '-c', 'ip link add br0 type bridge && ip link set br0 up && '
                                 'ip link set d0 master br0 && ip link set d1 master br0')
        gsn.let_addresses_move(rig)
        written = os.path.join(folder, 'all.pcap')
        capture = rig.start(CORE, 'dumpcap', '-q', '-P', '-i', 'c0', '-w', written)
        while not os.path.exists(written):
            time.sleep(0.05)
        for part in (converse, converse_with_numbers):
            own = os.path.join(folder, part.__name__)
            os.mkdir(own)
            part(rig, own)
        time.sleep(1)
        rig.stop(capture)
        os.makedirs(os.path.dirname(CAPTURE), exist_ok=True)
        with open(written, 'rb') as source, open(CAPTURE, 'wb') as target:
            target.write(source.read())
    print(f'{CAPTURE}: frames between {CORE_V4} and {FIRST}, {SECOND}')


if __name__ == '__main__':
    main()

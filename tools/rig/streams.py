"""TCP connections between a UE and the core's side, of which every byte is checked: what came, what it hashes to, and
for how long nothing did."""
import json
import subprocess
import time

from netns import listens
from rig import CORE, CORE_V4, PATIENCE, RADIO

# One end of all connections. On each it sends its bytes and then its FIN, and receives until the other's FIN. An end
# with nothing to send is half-closed from the start.
END = '''
import hashlib, json, socket, sys, threading, time
role, asked = sys.argv[1], json.loads(sys.argv[2])
results = []

def receive(peer, result):
    sha, result['got'], result['gap'], last = hashlib.sha256(), 0, 0, time.monotonic()
    while True:
        some = peer.recv(65536)
        now = time.monotonic()
        result['gap'], last = max(result['gap'], now - last), now
        if not some:
            break
        sha.update(some)
        result['got'] += len(some)
    result['got_sha256'] = sha.hexdigest()

def send(peer, data):
    peer.sendall(data)
    peer.shutdown(socket.SHUT_WR)

def guarded(what, result, *arguments):
    try:
        what(*arguments)
    except OSError as error:
        result['error'] = f'{what.__name__}: {error}'

def run(peer, number):
    control = asked['controls'][number % len(asked['controls'])]
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
    if asked['pace']:
        peer.setsockopt(socket.SOL_SOCKET, 47, asked['pace'])  # SO_MAX_PACING_RATE
    data = hashlib.shake_256(f'{role} {number}'.encode()).digest(asked['down' if role == 'server' else 'up'])
    result = {'number': number, 'sent': len(data), 'sent_sha256': hashlib.sha256(data).hexdigest()}
    results.append(result)
    sending = threading.Thread(target=guarded, args=(send, result, peer, data))
    sending.start()
    guarded(receive, result, peer, result)
    sending.join()
    peer.close()

def serve(peer):
    peer.settimeout(110)
    run(peer, int.from_bytes(peer.recv(2, socket.MSG_WAITALL), 'big'))

def fetch(number):
    peer = socket.create_connection((asked['server'], asked['port']), 60, (asked['ue'], 0))
    peer.settimeout(110)
    peer.sendall(number.to_bytes(2, 'big'))
    run(peer, number)

if role == 'server':
    family = socket.AF_INET6 if ':' in asked['server'] else socket.AF_INET
    listening = socket.create_server((asked['server'], asked['port']), family=family, backlog=256)
    threads = []
    for _ in range(asked['count']):
        threads.append(threading.Thread(target=serve, args=(listening.accept()[0],)))
        threads[-1].start()
else:
    threads = [threading.Thread(target=fetch, args=(number,)) for number in range(asked['count'])]
    for thread in threads:
        thread.start()
for thread in threads:
    thread.join()
print(json.dumps(sorted(results, key=lambda result: result['number'])))
'''


class Streams:
    """`count` connections of one UE to `server`, with `down` and `up` bytes on each, sent at most at `pace` bytes a
    second; `side`: the UE's side."""

    def __init__(self, rig, ue, port, down=0, up=0, count=1, server=CORE_V4, side=RADIO, controls=('cubic',),
                 pace=0):
        self.rig, self.side, self.port, self.down, self.up, self.count = rig, side, port, down, up, count
        asked = {'ue': ue, 'server': server, 'port': port, 'down': down, 'up': up, 'count': count, 'controls': controls,
                 'pace': pace}
        self.server = self._start(CORE, 'server', asked)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if listens(rig.name(CORE), port):
                break
            time.sleep(0.01)
        self.client = self._start(side, 'client', asked)

    def _start(self, side, role, asked):
        return self.rig.start(side, '/usr/bin/python3', '-c', END, role, json.dumps(asked),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def running(self):
        return self.client.poll() is None or self.server.poll() is None

    def sockets(self, side):
        """The kernel's own view of them, on the UE's side or the core's: `ss -ti`."""
        end = 'sport' if side == CORE else 'dport'
        return self.rig.run(side, 'ss', '-Htin', 'state', 'connected', 'exclude', 'time-wait',
                            f'{end} = :{self.port}').stdout

    def finish(self, patience=90):
        """The longest silence of a connection, once all that was sent has come."""
        ends = {}
        for role, process in (('client', self.client), ('server', self.server)):
            said, _ = process.communicate(timeout=patience)
            assert process.returncode == 0 and said.startswith('['), said
            ends[role] = json.loads(said)
        for here, there, wanted in (('client', 'server', self.down), ('server', 'client', self.up)):
            assert len(ends[here]) == self.count, ends
            for got, sent in zip(ends[here], ends[there]):
                assert 'error' not in got, got
                assert (got['got'], got['got_sha256']) == (wanted, sent['sent_sha256']), (got, sent)
        return max(self._silence(one) for one in zip(ends['client'], ends['server']))

    def _silence(self, ends):
        """An end for which nothing but a FIN comes at the start has no silence."""
        client, server = ends
        return max(client['gap'] if self.down else 0, server['gap'] if self.up else 0)

    def abandon(self):
        """Ends both sides, complete or not."""
        self.rig.stop(self.client)
        self.rig.stop(self.server)

"""Files over kernel TCP, a connection each, whose every byte is checked: a server, and UEs that fetch one file after
another.

    files.py serve ADDRESS PORT SIZE CONTROL
    files.py fetch ADDRESS PORT SIZE SECONDS COUNT UE...

A UE begins no file after SECONDS, and no more than COUNT of them. Between two files it pauses for a random time. A file
is the moment at which the server began with it, and bytes that follow from the number in its request.

`fetch` prints a line of JSON for each file: the UE, its beginning (seconds of the clock CLOCK_MONOTONIC), its durations
from the SYN and from the server's first segment to the last byte; or an error."""
import asyncio
import hashlib
import json
import random
import socket
import sys
import time

NUMBER = MOMENT = 8  # bytes
PAUSE = 0.1, 0.7  # seconds
PATIENCE = 60


def content(number, size):
    return hashlib.shake_256(number).digest(size - MOMENT)


async def answer(reader, writer, size):
    try:
        number = await reader.readexactly(NUMBER)
        writer.write(time.monotonic_ns().to_bytes(MOMENT, 'big') + content(number, size))
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def serve(address, port, size, control):
    listening = socket.create_server((address, port), backlog=256)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())  # accepted sockets inherit it
    server = await asyncio.start_server(lambda reader, writer: answer(reader, writer, size), sock=listening)
    print('listening', flush=True)
    await server.serve_forever()


async def fetch(address, port, size, ue, number):
    began = time.monotonic()
    reader, writer = await asyncio.open_connection(address, port, local_addr=(ue, 0))
    try:
        writer.write(number)
        got = await reader.read(-1)
    finally:
        writer.close()
    ended, sent = time.monotonic(), int.from_bytes(got[:MOMENT], 'big') / 1e9
    if hashlib.sha256(got[MOMENT:]).digest() != hashlib.sha256(content(number, size)).digest():
        raise OSError(f'{len(got)} bytes came, and they are not the {size} that were sent')
    return {'seconds': ended - sent, 'whole_seconds': ended - began}


async def fetch_all(address, port, size, ue, end, count):
    draw = random.Random(ue)
    for k in range(count):
        await asyncio.sleep(draw.uniform(*PAUSE))
        if time.monotonic() > end:
            return
        said = {'ue': ue, 'began': time.monotonic()}
        number = hashlib.sha256(f'{ue} {k} {said["began"]}'.encode()).digest()[:NUMBER]
        try:
            said |= await asyncio.wait_for(fetch(address, port, size, ue, number), PATIENCE)
        except (OSError, asyncio.TimeoutError) as error:
            said['failed'] = str(error) or f'not there after {PATIENCE} s'
        print(json.dumps(said), flush=True)


async def fetch_for(address, port, size, seconds, count, ues):
    end = time.monotonic() + seconds
    await asyncio.gather(*(fetch_all(address, port, size, ue, end, count) for ue in ues))


if __name__ == '__main__':
    what, to, at, length, *rest = sys.argv[1:]
    try:
        asyncio.run(serve(to, int(at), int(length), *rest) if what == 'serve' else
                    fetch_for(to, int(at), int(length), float(rest[0]), int(rest[1]), rest[2:]))
    except KeyboardInterrupt:
        pass

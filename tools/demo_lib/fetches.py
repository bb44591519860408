"""Short fetches over kernel TCP: a server, and UEs that ask it for a few kilobytes again and again.

    fetches.py serve ADDRESS PORT
    fetches.py ask ADDRESS PORT SECONDS SEED UE=PAUSE...

A UE pauses PAUSE seconds between its fetches, on average.

`ask` prints a line of JSON for each fetch: the UE, its beginning (seconds since 1970), its duration from the SYN to the
last byte, and the number of bytes; or an error."""
import asyncio
import json
import random
import sys
import time

SIZES = (5_000, 15_000)  # bytes, anything between
PATIENCE = 30


async def answer(reader, writer):
    try:
        wanted = int.from_bytes(await reader.readexactly(4), 'big')
        writer.write(b'\0' * wanted)
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def serve(address, port):
    server = await asyncio.start_server(answer, address, port)
    print('listening', flush=True)
    await server.serve_forever()


async def fetch(address, port, ue, size):
    reader, writer = await asyncio.open_connection(address, port, local_addr=(ue, 0))
    try:
        writer.write(size.to_bytes(4, 'big'))
        got = len(await reader.read(-1))
    finally:
        writer.close()
    if got != size:
        raise OSError(f'{got} bytes of {size} came')


async def ask(address, port, ue, pause, end, draw):
    await asyncio.sleep(draw.uniform(0, pause))
    while time.time() < end:
        size, began = draw.randint(*SIZES), time.time()
        said = {'ue': ue, 'began': began, 'bytes': size}
        try:
            await asyncio.wait_for(fetch(address, port, ue, size), PATIENCE)
            said['seconds'] = time.time() - began
        except (OSError, asyncio.TimeoutError) as error:
            said['failed'] = str(error) or f'not there after {PATIENCE} s'
        print(json.dumps(said), flush=True)
        await asyncio.sleep(draw.expovariate(1 / pause))


async def ask_all(address, port, seconds, seed, ues):
    end = time.time() + seconds
    pauses = (one.split('=') for one in ues)
    await asyncio.gather(*(ask(address, port, ue, float(pause), end, random.Random(f'{seed} {ue}'))
                           for ue, pause in pauses))


if __name__ == '__main__':
    what, to, at, *rest = sys.argv[1:]
    try:
        asyncio.run(serve(to, int(at)) if what == 'serve' else ask_all(to, int(at), float(rest[0]), rest[1], rest[2:]))
    except KeyboardInterrupt:
        pass

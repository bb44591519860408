"""Network namespaces by their names, entered by the thread that calls."""
import contextlib
import ctypes
import os
import re
import socket

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def inside(namespace):
    """Sockets made in here belong to the namespace, and so do programs started."""
    with open('/proc/thread-self/ns/net', encoding='ascii') as home, \
            open(f'/run/netns/{namespace}', encoding='ascii') as there:
        _enter(there)
        try:
            yield
        finally:
            _enter(home)


def _enter(file):
    if LIBC.setns(file.fileno(), CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), 'setns')


def listens(namespace, port):
    """True if a TCP socket of the namespace listens at the port."""
    with inside(namespace):
        for table in 'tcp', 'tcp6':
            with contextlib.suppress(FileNotFoundError), open(f'/proc/thread-self/net/{table}', encoding='ascii') as file:
                if any(re.match(rf' *\d+: [0-9A-F]+:{port:04X} [0-9A-F]+:0000 0A ', line) for line in file):
                    return True
    return False


def page(namespace, address, path, seconds):
    """The body that an HTTP server in the namespace answers with, be it an error's; OSError if none answers."""
    host, port = address.split(':')
    with inside(namespace):
        peer = socket.create_connection((host, int(port)), seconds)
    with peer, peer.makefile('rb') as answer:
        peer.sendall(f'GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n'.encode())
        head, _, body = answer.read().partition(b'\r\n\r\n')
    if not head.startswith(b'HTTP/'):
        raise OSError(f'no answer in HTTP: {head[:80]}')
    return body.decode()

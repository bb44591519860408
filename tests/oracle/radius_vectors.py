#!/usr/bin/python3
"""Makes each vector of radius_vectors.h again, from the line of pyrad above it. Without arguments it compares, and
fails when one differs; with --write it writes them.
"""
import hashlib
import hmac
import io
import os
import re
import sys

sys.dont_write_bytecode = True
from pyrad.dictionary import Dictionary
from pyrad.packet import AcctPacket, CoAPacket, Packet

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'radius_vectors.h')
SECRET = b'testing123'
WIDTH = 100
VECTOR = re.compile(r'^    // (?P<line>\S.*)\n(?P<name>    \{".*",)\n(?P<text>(?: *"[^"]*"\s*)+)(?P<end>\},)\n',
                    re.MULTILINE)
WORDS = """
ATTRIBUTE User-Name 1 string
ATTRIBUTE NAS-IP-Address 4 ipaddr
ATTRIBUTE Framed-IP-Address 8 ipaddr
ATTRIBUTE Class 25 string
ATTRIBUTE Calling-Station-Id 31 string
ATTRIBUTE NAS-Identifier 32 string
ATTRIBUTE Proxy-State 33 octets
ATTRIBUTE Acct-Status-Type 40 integer
ATTRIBUTE Acct-Session-Id 44 string
ATTRIBUTE Message-Authenticator 80 octets
ATTRIBUTE NAS-IPv6-Address 95 ipv6addr
ATTRIBUTE Framed-IPv6-Prefix 97 ipv6prefix
ATTRIBUTE Error-Cause 101 integer
ATTRIBUTE Delegated-IPv6-Prefix 123 ipv6prefix
ATTRIBUTE Framed-IPv6-Address 168 ipv6addr
VALUE Acct-Status-Type Start 1
VALUE Acct-Status-Type Stop 2
VALUE Acct-Status-Type Interim-Update 3
VALUE Acct-Status-Type Accounting-On 7
VENDOR Huawei 2011
BEGIN-VENDOR Huawei
ATTRIBUTE Huawei-Input-Average-Rate 2 integer
ATTRIBUTE Huawei-Output-Average-Rate 5 integer
END-VENDOR Huawei
VENDOR ERX 4874
BEGIN-VENDOR ERX
ATTRIBUTE ERX-Qos-Profile-Name 26 string
ATTRIBUTE ERX-Service-Activate 65 string
END-VENDOR ERX
VENDOR 3GPP 10415
BEGIN-VENDOR 3GPP
ATTRIBUTE 3GPP-IMSI 1 string
ATTRIBUTE 3GPP-GPRS-Negotiated-QoS-Profile 5 string
ATTRIBUTE 3GPP-NSAPI 10 string
END-VENDOR 3GPP
VENDOR WISPr 14122
BEGIN-VENDOR WISPr
ATTRIBUTE WISPr-Bandwidth-Max-Up 7 integer
ATTRIBUTE WISPr-Bandwidth-Max-Down 8 integer
END-VENDOR WISPr
VENDOR Mikrotik 14988
BEGIN-VENDOR Mikrotik
ATTRIBUTE Mikrotik-Rate-Limit 8 string
END-VENDOR Mikrotik
"""


def filled(packet, words):
    for name, value in words.items():
        packet[name.replace('_', '-').removeprefix('x-')] = value
    return packet


def acct(status, **words):
    """An accounting request; x_3GPP_IMSI stands for a name that begins with a digit."""
    packet = AcctPacket(id=9, secret=SECRET, dict=DICTIONARY)
    return filled(packet, {'Acct_Status_Type': status, **words}).RequestPacket()


def coa(code, **words):
    return filled(CoAPacket(code=code, id=9, secret=SECRET, dict=DICTIONARY), words).RequestPacket()


def answer(request, code, **words):
    """The answer to a request's octets."""
    reply = Packet(code=code, id=request[1], secret=SECRET, authenticator=request[4:20], dict=DICTIONARY)
    return filled(reply, words).ReplyPacket()


def proved(make, status, **words):
    """A request with a Message-Authenticator (RFC 3579 section 3.2), which is its last attribute."""
    blank = bytearray(make(status, **words, Message_Authenticator=bytes(16)))
    assert blank[-18:-16] == bytes([80, 18])
    blank[4:20] = bytes(16)
    blank[-16:] = hmac.new(SECRET, blank, hashlib.md5).digest()
    blank[4:20] = hashlib.md5(bytes(blank) + SECRET).digest()
    return bytes(blank)


def proved_answer(request, code):
    """The answer to a request's octets, with a Message-Authenticator alone."""
    head = bytes([code, request[1], 0, 38])
    digest = hmac.new(SECRET, head + request[4:20] + bytes([80, 18]) + bytes(16), hashlib.md5).digest()
    attributes = bytes([80, 18]) + digest
    return head + hashlib.md5(head + request[4:20] + attributes + SECRET).digest() + attributes


DICTIONARY = Dictionary(io.StringIO(WORDS))


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
        octets = eval(match['line'], known).hex()
        pieces = [f'"{octets[at:at + WIDTH]}"' for at in range(0, len(octets), WIDTH)]
        lines = '\n     '.join(pieces)
        return f'    // {match["line"]}\n{match["name"]}\n     {lines}{match["end"]}\n'
    begin = text.index('clang-format off')
    text = text[:begin] + VECTOR.sub(fill, text[begin:])
    assert made > 10, f'only {made} vectors found'
    return text


def main():
    with open(HEADER, encoding='utf-8') as file:
        now = file.read()
    made = again(now)
    if sys.argv[1:] == ['--write']:
        with open(HEADER, 'w', encoding='utf-8') as file:
            file.write(made)
    elif made != now:
        sys.exit('tests/oracle/radius_vectors.h: pyrad makes other vectors; see radius_vectors.py --write')


if __name__ == '__main__':
    main()

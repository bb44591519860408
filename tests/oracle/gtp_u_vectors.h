// G-PDUs and what else travels between tunnel endpoints, as scapy makes them. The line above each vector
// makes it; tests/oracle/gtp_u_vectors.py compares, and with --write makes all again. Its names:
//
//   from scapy.all import *
//   from scapy.contrib.gtp import GTP_U_Header as H, GTPPDUSessionContainer as C
//   G = lambda **fields: H(gtp_type=255, **fields)
//   R = lambda text: Raw(bytes.fromhex(text))
//   E = Ether(src='02:00:00:00:00:01', dst='02:00:00:00:00:02')
//   O = IP(src='192.0.2.1', dst='192.0.2.2')
//   OU = IP(src='192.0.2.2', dst='192.0.2.1')
//   O6 = IPv6(src='2001:db8:1::1', dst='2001:db8:1::2')
//   U = UDP(sport=2152, dport=2152)
//   S = IP(src='198.51.100.1', dst='10.45.0.2') / TCP(sport=40080, dport=40000, flags='A')
//   P = S / (b'x' * 10)
//   UP = IP(src='10.45.0.2', dst='198.51.100.1') / TCP(sport=40000, dport=40080, flags='A') / (b'x' * 10)
//   A6 = IPv6(src='2001:db8:ffff::1', dst='2001:db8:45::2')
//   P6 = A6 / TCP(sport=40080, dport=40000, flags='A') / (b'x' * 10)
#pragma once
#include "dataplane/packet/peel.h"

namespace dp::test {

struct GtpUVector {
  const char* name;
  GtpUVerdict verdict;  // with sequence numbers observed
  const char* base64;
};

// clang-format off
inline constexpr GtpUVector kGtpUVectors[] = {
    // E / O / U / G(teid=0x11) / P
    {"3G and 4G, IPv4 in IPv4", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABWAAEAAEAR9pLAAAIBwAACAghoCGgAQm3cMP8AMgAAABFFAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / U / G(teid=0x12) / P6
    {"3G and 4G, IPv6 in IPv4", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABqAAEAAEAR9n7AAAIBwAACAghoCGgAVtLcMP8ARgAAABJgAAAAAB4GQCABDbj//wAAAAAAAAAAAAEgAQ24AEUA"
     "AAAAAAAAAAACnJCcQAAAAAAAAAAAUBAgAKDlAAB4eHh4eHh4eHh4"},
    // E / O6 / U / G(teid=0x13) / P
    {"3G and 4G, IPv4 in IPv6", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABht1gAAAAAEIRQCABDbgAAQAAAAAAAAAAAAEgAQ24AAEAAAAAAAAAAAACCGgIaABClmcw/wAyAAAAE0UAADIAAQAAQAZG"
     "YsYzZAEKLQACnJCcQAAAAAAAAAAAUBAgAMg7AAB4eHh4eHh4eHh4"},
    // E / O6 / U / G(teid=0x14) / P6
    {"3G and 4G, IPv6 in IPv6", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABht1gAAAAAFYRQCABDbgAAQAAAAAAAAAAAAEgAQ24AAEAAAAAAAAAAAACCGgIaABW+2cw/wBGAAAAFGAAAAAAHgZAIAEN"
     "uP//AAAAAAAAAAAAASABDbgARQAAAAAAAAAAAAKckJxAAAAAAAAAAABQECAAoOUAAHh4eHh4eHh4eHg="},
    // E / O / U / G(teid=0x15, S=1, seq=7) / P
    {"3G with a sequence number", GtpUVerdict::sequence,
     "AgAAAAACAgAAAAABCABFAABaAAEAAEAR9o7AAAIBwAACAghoCGgARmvFMv8ANgAAABUABwAARQAAMgABAABABkZixjNkAQotAAKckJxAAAAA"
     "AAAAAABQECAAyDsAAHh4eHh4eHh4eHg="},
    // E / O / U / G(teid=0x16, PN=1, npdu=9) / P
    {"3G with an N-PDU number", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABaAAEAAEAR9o7AAAIBwAACAghoCGgARmPLMf8ANgAAABYAAAkARQAAMgABAABABkZixjNkAQotAAKckJxAAAAA"
     "AAAAAABQECAAyDsAAHh4eHh4eHh4eHg="},
    // E / O / U / G(teid=0x17, S=1, PN=1, seq=7, npdu=9) / P
    {"3G with both", GtpUVerdict::sequence,
     "AgAAAAACAgAAAAABCABFAABaAAEAAEAR9o7AAAIBwAACAghoCGgARmHDM/8ANgAAABcABwkARQAAMgABAABABkZixjNkAQotAAKckJxAAAAA"
     "AAAAAABQECAAyDsAAHh4eHh4eHh4eHg="},
    // E / O / U / G(teid=0x21) / C(type=0, QFI=9) / P
    {"5G, downlink", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABeAAEAAEAR9orAAAIBwAACAghoCGgASl8vNP8AOgAAACEAAACFAQAJAEUAADIAAQAAQAZGYsYzZAEKLQACnJCc"
     "QAAAAAAAAAAAUBAgAMg7AAB4eHh4eHh4eHh4"},
    // E / OU / U / G(teid=0x22) / C(type=1, QFI=9) / UP
    {"5G, uplink, UE's address is the source", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABeAAEAAEAR9orAAAICwAACAQhoCGgASl8eNP8AOgAAACIAAACFARAJAEUAADIAAQAAQAZGYgotAALGM2QBnECc"
     "kAAAAAAAAAAAUBAgAMg7AAB4eHh4eHh4eHh4"},
    // E / O6 / U / G(teid=0x23) / C(type=0, QFI=63) / P6
    {"5G over IPv6", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABht1gAAAAAF4RQCABDbgAAQAAAAAAAAAAAAEgAQ24AAEAAAAAAAAAAAACCGgIaABetrs0/wBOAAAAIwAAAIUBAD8AYAAA"
     "AAAeBkAgAQ24//8AAAAAAAAAAAABIAENuABFAAAAAAAAAAAAApyQnEAAAAAAAAAAAFAQIACg5QAAeHh4eHh4eHh4eA=="},
    // E / O / U / G(teid=0x24) / C(type=0, PPP=1, PPI=5, RQI=1, QFI=5, padding=b'\0' * 3) / P
    {"5G, RQI and PPI", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABiAAEAAEAR9obAAAIBwAACAghoCGgATqF/NP8APgAAACQAAACFAgDFoAAAAABFAAAyAAEAAEAGRmLGM2QBCi0A"
     "ApyQnEAAAAAAAAAAAFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / U / G(teid=0x25) / C(type=0, QMP=1, QFI=1, dlSendTime=1 << 40, padding=b'\0' * 4) / P
    {"5G, QoS monitoring, downlink", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABqAAEAAEAR9n7AAAIBwAACAghoCGgAVmP+NP8ARgAAACUAAACFBAgBAAABAAAAAAAAAAAAAEUAADIAAQAAQAZG"
     "YsYzZAEKLQACnJCcQAAAAAAAAAAAUBAgAMg7AAB4eHh4eHh4eHh4"},
    // E / OU / U / G(teid=0x26) / C(type=1, QMP=1, QFI=2, dlRecvTime=2, padding=b'\0' * 4) / UP
    {"5G, QoS monitoring, uplink", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAAB6AAEAAEAR9m7AAAICwAACAQhoCGgAZly+NP8AVgAAACYAAACFCBgCAAAAAAAAAAAAAAAAAAAAAgAAAAAAAAAA"
     "AAAAAABFAAAyAAEAAEAGRmIKLQACxjNkAZxAnJAAAAAAAAAAAFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / U / G(teid=0x27) / C(type=0, SNP=1, QFI=3, dlQFISeqNum=70000) / P
    {"5G, sequence number of the QoS flow", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABiAAEAAEAR9obAAAIBwAACAghoCGgATlKoNP8APgAAACcAAACFAgQDARFwAABFAAAyAAEAAEAGRmLGM2QBCi0A"
     "ApyQnEAAAAAAAAAAAFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / U / G(teid=0x31, E=1, next_ex=0) / P
    {"E without an extension header", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABaAAEAAEAR9o7AAAIBwAACAghoCGgARmmwNP8ANgAAADEAAAAARQAAMgABAABABkZixjNkAQotAAKckJxAAAAA"
     "AAAAAABQECAAyDsAAHh4eHh4eHh4eHg="},
    // E / O / U / G(teid=0x32, E=1, next_ex=0x40) / R('01086800') / P
    {"chain: UDP port", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABeAAEAAEAR9orAAAIBwAACAghoCGgASgBbNP8AOgAAADIAAABAAQhoAEUAADIAAQAAQAZGYsYzZAEKLQACnJCc"
     "QAAAAAAAAAAAUBAgAMg7AAB4eHh4eHh4eHh4"},
    // E / O / U / G(teid=0x33) / C(type=0, QFI=4, NextExtHdr=0x40) / R('01086800') / P
    {"chain: container, UDP port", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABkAAEAAEAR9oTAAAIBwAACAghoCGgAUPrCNP8AQAAAADMAAACFAQAEQAEIaABFAAAyAAEAAEAGRmLGM2QBCi0A"
     "ApyQnEAAAAAAAAAAAFAQIADIOwAAeHh4eHh4eHh4eAAA"},
    // E / O / U / G(teid=0x34, E=1, next_ex=0x40) / R('01086885 01000600') / P
    {"chain: UDP port, container", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABiAAEAAEAR9obAAAIBwAACAghoCGgATvjHNP8APgAAADQAAABAAQhohQEABgBFAAAyAAEAAEAGRmLGM2QBCi0A"
     "ApyQnEAAAAAAAAAAAFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / U / G(teid=0x35, E=1, next_ex=0xc0) / R('01000700') / P
    {"chain: PDCP number", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABeAAEAAEAR9orAAAIBwAACAghoCGgASmDgNP8AOgAAADUAAADAAQAHAEUAADIAAQAAQAZGYsYzZAEKLQACnJCc"
     "QAAAAAAAAAAAUBAgAMg7AAB4eHh4eHh4eHh4"},
    // E / O / U / G(teid=0x36, E=1, next_ex=0x84) / R('02000000 00000000') / P
    {"chain: NR RAN container", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABiAAEAAEAR9obAAAIBwAACAghoCGgATmcPNP8APgAAADYAAACEAgAAAAAAAABFAAAyAAEAAEAGRmLGM2QBCi0A"
     "ApyQnEAAAAAAAAAAAFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / U / G(teid=0x37, E=1, next_ex=0x40) / R('00086800') / P
    {"chain: a length of 0", GtpUVerdict::chain,
     "AgAAAAACAgAAAAABCABFAABeAAEAAEAR9orAAAIBwAACAghoCGgASgFWNP8AOgAAADcAAABAAAhoAEUAADIAAQAAQAZGYsYzZAEKLQACnJCc"
     "QAAAAAAAAAAAUBAgAMg7AAB4eHh4eHh4eHh4"},
    // E / O / U / G(teid=0x38, E=1, next_ex=0x40) / R('c8086800') / P
    {"chain: beyond the message", GtpUVerdict::chain,
     "AgAAAAACAgAAAAABCABFAABeAAEAAEAR9orAAAIBwAACAghoCGgASjlUNP8AOgAAADgAAABAyAhoAEUAADIAAQAAQAZGYsYzZAEKLQACnJCc"
     "QAAAAAAAAAAAUBAgAMg7AAB4eHh4eHh4eHh4"},
    // E / O / U / R('34ff0002 00000039 0000')
    {"chain: E and nothing behind", GtpUVerdict::chain,
     "AgAAAAACAgAAAAABCABFAAAmAAEAAEAR9sLAAAIBwAACAghoCGgAEjW8NP8AAgAAADkAAA=="},
    // E / O / U / H(gtp_type=254, teid=0x41)
    {"end marker", GtpUVerdict::message,
     "AgAAAAACAgAAAAABCABFAAAkAAEAAEAR9sTAAAIBwAACAghoCGgAEDm7MP4AAAAAAEE="},
    // E / O / U / H(gtp_type=254, teid=0x42, E=1, next_ex=0x85) / R('01000900')
    {"end marker with a container", GtpUVerdict::message,
     "AgAAAAACAgAAAAABCABFAAAsAAEAAEAR9rzAAAIBwAACAghoCGgAGCsdNP4ACAAAAEIAAACFAQAJAA=="},
    // E / O / U / H(gtp_type=1, S=1, seq=5)
    {"echo request", GtpUVerdict::message,
     "AgAAAAACAgAAAAABCABFAAAoAAEAAEAR9sDAAAIBwAACAghoCGgAFDjoMgEABAAAAAAABQAA"},
    // E / O / U / H(gtp_type=2, S=1, seq=5) / R('0e00')
    {"echo response", GtpUVerdict::message,
     "AgAAAAACAgAAAAABCABFAAAqAAEAAEAR9r7AAAIBwAACAghoCGgAFirhMgIABgAAAAAABQAADgA="},
    // E / O / U / H(gtp_type=26, S=1) / R('1000000011 850004c0000202')
    {"error indication", GtpUVerdict::message,
     "AgAAAAACAgAAAAABCABFAAA0AAEAAEAR9rTAAAIBwAACAghoCGgAIFUkMhoAEAAAAAAAAAAAEAAAABGFAATAAAIC"},
    // E / O / U / H(gtp_type=31, S=1) / R('8d0185')
    {"supported extension headers", GtpUVerdict::message,
     "AgAAAAACAgAAAAABCABFAAArAAEAAEAR9r3AAAIBwAACAghoCGgAFybEMh8ABwAAAAAAAAAAjQGF"},
    // E / O / U / H(gtp_type=253, teid=0x43) / R('00000000')
    {"tunnel status", GtpUVerdict::message,
     "AgAAAAACAgAAAAABCABFAAAoAAEAAEAR9sDAAAIBwAACAghoCGgAFDmuMP0ABAAAAEMAAAAA"},
    // E / O / U / G(teid=0x51) / E / P
    {"Ethernet within", GtpUVerdict::not_ip,
     "AgAAAAACAgAAAAABCABFAABkAAEAAEAR9oTAAAIBwAACAghoCGgAUGFvMP8AQAAAAFECAAAAAAICAAAAAAEIAEUAADIAAQAAQAZGYsYzZAEK"
     "LQACnJCcQAAAAAAAAAAAUBAgAMg7AAB4eHh4eHh4eHh4"},
    // E / O / U / G(teid=0x52) / C(type=0, QFI=9) / E / P
    {"Ethernet within, 5G", GtpUVerdict::not_ip,
     "AgAAAAACAgAAAAABCABFAABsAAEAAEAR9nzAAAIBwAACAghoCGgAWFLRNP8ASAAAAFIAAACFAQAJAAIAAAAAAgIAAAAAAQgARQAAMgABAABA"
     "BkZixjNkAQotAAKckJxAAAAAAAAAAABQECAAyDsAAHh4eHh4eHh4eHg="},
    // E / O / U / G(teid=0x53) / R('00112233 44556677')
    {"unstructured within", GtpUVerdict::not_ip,
     "AgAAAAACAgAAAAABCABFAAAsAAEAAEAR9rzAAAIBwAACAghoCGgAGGx/MP8ACAAAAFMAESIzRFVmdw=="},
    // E / O / U / G(teid=0x54)
    {"nothing within", GtpUVerdict::inner,
     "AgAAAAACAgAAAAABCABFAAAkAAEAAEAR9sTAAAIBwAACAghoCGgAEDmnMP8AAAAAAFQ="},
    // E / O / U / G(teid=0x55, length=40) / P
    {"a packet longer than its message", GtpUVerdict::inner,
     "AgAAAAACAgAAAAABCABFAABWAAEAAEAR9pLAAAIBwAACAghoCGgAQm2iMP8AKAAAAFVFAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / U / G(teid=0x56, length=12) / P
    {"an IPv4 header that is cut", GtpUVerdict::inner,
     "AgAAAAACAgAAAAABCABFAABWAAEAAEAR9pLAAAIBwAACAghoCGgAQm29MP8ADAAAAFZFAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / U / G(teid=0x57, length=30) / P6
    {"an IPv6 header that is cut", GtpUVerdict::inner,
     "AgAAAAACAgAAAAABCABFAABqAAEAAEAR9n7AAAIBwAACAghoCGgAVtK/MP8AHgAAAFdgAAAAAB4GQCABDbj//wAAAAAAAAAAAAEgAQ24AEUA"
     "AAAAAAAAAAACnJCcQAAAAAAAAAAAUBAgAKDlAAB4eHh4eHh4eHh4"},
    // E / O / U / G(teid=0x58, length=500) / P
    {"a message longer than its datagram", GtpUVerdict::length,
     "AgAAAAACAgAAAAABCABFAABWAAEAAEAR9pLAAAIBwAACAghoCGgAQmvTMP8B9AAAAFhFAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / UDP(sport=2152, dport=2152, len=500) / G(teid=0x59) / P
    {"a datagram longer than its packet", GtpUVerdict::length,
     "AgAAAAACAgAAAAABCABFAABWAAEAAEAR9pLAAAIBwAACAghoCGgB9GviMP8AMgAAAFlFAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / U / R('30ff0000')
    {"a header that is cut", GtpUVerdict::length,
     "AgAAAAACAgAAAAABCABFAAAgAAEAAEAR9sjAAAIBwAACAghoCGgADDoDMP8AAA=="},
    // E / O / U / R('48200008 00000001 00000100')
    {"GTP version 2", GtpUVerdict::version,
     "AgAAAAACAgAAAAABCABFAAAoAAEAAEAR9sDAAAIBwAACAghoCGgAFCHJSCAACAAAAAEAAAEA"},
    // E / O / U / H(version=0, gtp_type=255, teid=0x5a) / P
    {"GTP version 0", GtpUVerdict::version,
     "AgAAAAACAgAAAAABCABFAABWAAEAAEAR9pLAAAIBwAACAghoCGgAQo2TEP8AMgAAAFpFAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / U / H(PT=0, gtp_type=255, teid=0x5b) / P
    {"GTP'", GtpUVerdict::version,
     "AgAAAAACAgAAAAABCABFAABWAAEAAEAR9pLAAAIBwAACAghoCGgAQn2SIP8AMgAAAFtFAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / IP(src='192.0.2.1', dst='192.0.2.2', flags='MF') / U / G(teid=0x61) / P
    {"first fragment", GtpUVerdict::fragment,
     "AgAAAAACAgAAAAABCABFAABWAAEgAEAR1pLAAAIBwAACAghoCGgAQm2MMP8AMgAAAGFFAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / IP(src='192.0.2.1', dst='192.0.2.2', frag=100, proto=17) / R('00' * 40)
    {"later fragment", GtpUVerdict::fragment,
     "AgAAAAACAgAAAAABCABFAAA8AAEAZEAR9kjAAAIBwAACAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
    // E / O6 / IPv6ExtHdrFragment(m=1) / U / G(teid=0x62) / P6
    {"first fragment, IPv6", GtpUVerdict::fragment,
     "AgAAAAACAgAAAAABht1gAAAAAF4sQCABDbgAAQAAAAAAAAAAAAEgAQ24AAEAAAAAAAAAAAACEQAAAQAAAAAIaAhoAFb7GTD/AEYAAABiYAAA"
     "AAAeBkAgAQ24//8AAAAAAAAAAAABIAENuABFAAAAAAAAAAAAApyQnEAAAAAAAAAAAFAQIACg5QAAeHh4eHh4eHh4eA=="},
    // E / O / U / G(teid=0x71) / S / Padding(b'\0' * 4)
    {"S1-U with Ethernet padding", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABMAAEAAEAR9pzAAAIBwAACAghoCGgAOG2QMP8AKAAAAHFFAAAoAAEAAEAGRmzGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIAAioAAAAAAAAA=="},
    // E / O / U / G(teid=0x72) / P / R('00' * 6)
    {"octets of the message behind the packet", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABcAAEAAEAR9ozAAAIBwAACAghoCGgASG1vMP8AOAAAAHJFAAA4AAEAAEAGRlzGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADINQAAeHh4eHh4eHh4eAAAAAAAAA=="},
    // E / IP(src='192.0.2.1', dst='192.0.2.2', options=IPOption(b'\1' * 4)) / U / G(teid=0x73) / P
    {"IPv4 options outside", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABGAABaAAEAAEAR84zAAAIBwAACAgEBAQEIaAhoAEJtejD/ADIAAABzRQAAMgABAABABkZixjNkAQotAAKckJxAAAAA"
     "AAAAAABQECAAyDsAAHh4eHh4eHh4eHg="},
    // Ether(src=E.src, dst=E.dst, type=0x88a8) / Dot1Q(vlan=5) / Dot1Q(vlan=7) / O / U / G(teid=0x74) / P
    {"two VLAN tags", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABiKgABYEAAAcIAEUAAFYAAQAAQBH2ksAAAgHAAAICCGgIaABCbXkw/wAyAAAAdEUAADIAAQAAQAZGYsYzZAEKLQACnJCc"
     "QAAAAAAAAAAAUBAgAMg7AAB4eHh4eHh4eHh4"},
    // E / O / UDP(sport=50123, dport=2152) / G(teid=0x75) / P
    {"a source port for entropy", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABWAAEAAEAR9pLAAAIBwAACAsPLCGgAQrIUMP8AMgAAAHVFAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / UDP(sport=2152, dport=2152, chksum=0) / G(teid=0x76) / P
    {"no UDP checksum", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABWAAEAAEAR9pLAAAIBwAACAghoCGgAQgAAMP8AMgAAAHZFAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O6 / UDP(sport=2152, dport=2152, chksum=0) / G(teid=0x77) / P6
    {"no UDP checksum, IPv6", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABht1gAAAAAFYRQCABDbgAAQAAAAAAAAAAAAEgAQ24AAEAAAAAAAAAAAACCGgIaABWAAAw/wBGAAAAd2AAAAAAHgZAIAEN"
     "uP//AAAAAAAAAAAAASABDbgARQAAAAAAAAAAAAKckJxAAAAAAAAAAABQECAAoOUAAHh4eHh4eHh4eHg="},
    // E / O / U / G(teid=0x78) / IP(src='198.51.100.1', dst='10.45.0.2') / U / G(teid=0x79) / P
    {"a UE's own tunnel within", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAAB6AAEAAEAR9m7AAAIBwAACAghoCGgAZm04MP8AVgAAAHhFAABWAAEAAEARRjPGM2QBCi0AAghoCGgAQr0UMP8A"
     "MgAAAHlFAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAAAFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / U / G(teid=0x7a) / IP(src='198.51.100.1', dst='10.45.0.2', flags='MF') / R('00' * 24)
    {"a UE's fragment within", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABQAAEAAEAR9pjAAAIBwAACAghoCGgAPDj9MP8ALAAAAHpFAAAsAAEgAEAAJm7GM2QBCi0AAgAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAA=="},
    // E / O / U / G(teid=0x7b) / IP(src='198.51.100.1', dst='10.45.0.2') / UDP(sport=4001, dport=4002) / R('0000')
    {"UDP within", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABCAAEAAEAR9qbAAAIBwAACAghoCGgALm2lMP8AHgAAAHtFAAAeAAEAAEARRmvGM2QBCi0AAg+hD6IACqwzAAA="},
    // E / O / U / G(teid=0x7c) / IP(src='198.51.100.1', dst='10.45.0.2') / ICMP() / R('00' * 8)
    {"ICMP within", GtpUVerdict::peeled,
     "AgAAAAACAgAAAAABCABFAABIAAEAAEAR9qDAAAIBwAACAghoCGgANDkTMP8AJAAAAHxFAAAkAAEAAEABRnXGM2QBCi0AAggA9/8AAAAAAAAA"
     "AAAAAAA="},
    // E / IP(src='10.45.0.2', dst='198.51.100.1') / U / G(teid=0x7d) / P
    {"a UE's packet to port 2152, no tunnel", GtpUVerdict::bare,
     "AgAAAAACAgAAAAABCABFAABWAAEAAEARRjMKLQACxjNkAQhoCGgAQr0QMP8AMgAAAH1FAAAyAAEAAEAGRmLGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    // E / O / UDP(sport=2152, dport=2123) / R('00' * 20)
    {"another port between the peers", GtpUVerdict::bare,
     "AgAAAAACAgAAAAABCABFAAAwAAEAAEAR9rjAAAIBwAACAghoCEsAHGr/AAAAAAAAAAAAAAAAAAAAAAAAAAA="},
};

// A G-PDU, and the same with CE on the user's packet. `mark(packet, ecn)`: a copy whose header has that ECN.
struct GtpUMark {
  const char* name;
  const char* before;
  const char* after;
};

inline constexpr GtpUMark kGtpUMarks[] = {
    {"IPv4 in IPv4",
     // E / O / U / G(teid=1) / mark(P, 2)
     "AgAAAAACAgAAAAABCABFAABWAAEAAEAR9pLAAAIBwAACAghoCGgAQm3sMP8AMgAAAAFFAgAyAAEAAEAGRmDGM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA==",
     // E / O / U / G(teid=1) / mark(P, 3)
     "AgAAAAACAgAAAAABCABFAABWAAEAAEAR9pLAAAIBwAACAghoCGgAQm3sMP8AMgAAAAFFAwAyAAEAAEAGRl/GM2QBCi0AApyQnEAAAAAAAAAA"
     "AFAQIADIOwAAeHh4eHh4eHh4eA=="},
    {"IPv6 in IPv4",
     // E / O / U / G(teid=2) / mark(P6, 1)
     "AgAAAAACAgAAAAABCABFAABqAAEAAEAR9n7AAAIBwAACAghoCGgAVtLcMP8ARgAAAAJgEAAAAB4GQCABDbj//wAAAAAAAAAAAAEgAQ24AEUA"
     "AAAAAAAAAAACnJCcQAAAAAAAAAAAUBAgAKDlAAB4eHh4eHh4eHh4",
     // E / O / U / G(teid=2) / mark(P6, 3)
     "AgAAAAACAgAAAAABCABFAABqAAEAAEAR9n7AAAIBwAACAghoCGgAVtK8MP8ARgAAAAJgMAAAAB4GQCABDbj//wAAAAAAAAAAAAEgAQ24AEUA"
     "AAAAAAAAAAACnJCcQAAAAAAAAAAAUBAgAKDlAAB4eHh4eHh4eHh4"},
    {"IPv4 in IPv6, 5G",
     // E / O6 / U / G(teid=3) / C(QFI=9) / mark(P, 1)
     "AgAAAAACAgAAAAABht1gAAAAAEoRQCABDbgAAQAAAAAAAAAAAAEgAQ24AAEAAAAAAAAAAAACCGgIaABKh9o0/wA6AAAAAwAAAIUBAAkARQEA"
     "MgABAABABkZhxjNkAQotAAKckJxAAAAAAAAAAABQECAAyDsAAHh4eHh4eHh4eHg=",
     // E / O6 / U / G(teid=3) / C(QFI=9) / mark(P, 3)
     "AgAAAAACAgAAAAABht1gAAAAAEoRQCABDbgAAQAAAAAAAAAAAAEgAQ24AAEAAAAAAAAAAAACCGgIaABKh9o0/wA6AAAAAwAAAIUBAAkARQMA"
     "MgABAABABkZfxjNkAQotAAKckJxAAAAAAAAAAABQECAAyDsAAHh4eHh4eHh4eHg="},
    {"IPv6 in IPv6, 5G",
     // E / O6 / U / G(teid=4) / C(QFI=9) / mark(P6, 2)
     "AgAAAAACAgAAAAABht1gAAAAAF4RQCABDbgAAQAAAAAAAAAAAAEgAQ24AAEAAAAAAAAAAAACCGgIaABe7Lo0/wBOAAAABAAAAIUBAAkAYCAA"
     "AAAeBkAgAQ24//8AAAAAAAAAAAABIAENuABFAAAAAAAAAAAAApyQnEAAAAAAAAAAAFAQIACg5QAAeHh4eHh4eHh4eA==",
     // E / O6 / U / G(teid=4) / C(QFI=9) / mark(P6, 3)
     "AgAAAAACAgAAAAABht1gAAAAAF4RQCABDbgAAQAAAAAAAAAAAAEgAQ24AAEAAAAAAAAAAAACCGgIaABe7Ko0/wBOAAAABAAAAIUBAAkAYDAA"
     "AAAeBkAgAQ24//8AAAAAAAAAAAABIAENuABFAAAAAAAAAAAAApyQnEAAAAAAAAAAAFAQIACg5QAAeHh4eHh4eHh4eA=="},
    {"IPv6, no UDP checksum",
     // E / O / UDP(sport=2152, dport=2152, chksum=0) / G(teid=5) / mark(P6, 2)
     "AgAAAAACAgAAAAABCABFAABqAAEAAEAR9n7AAAIBwAACAghoCGgAVgAAMP8ARgAAAAVgIAAAAB4GQCABDbj//wAAAAAAAAAAAAEgAQ24AEUA"
     "AAAAAAAAAAACnJCcQAAAAAAAAAAAUBAgAKDlAAB4eHh4eHh4eHh4",
     // E / O / UDP(sport=2152, dport=2152, chksum=0) / G(teid=5) / mark(P6, 3)
     "AgAAAAACAgAAAAABCABFAABqAAEAAEAR9n7AAAIBwAACAghoCGgAVgAAMP8ARgAAAAVgMAAAAB4GQCABDbj//wAAAAAAAAAAAAEgAQ24AEUA"
     "AAAAAAAAAAACnJCcQAAAAAAAAAAAUBAgAKDlAAB4eHh4eHh4eHh4"},
};
// clang-format on

}  // namespace dp::test

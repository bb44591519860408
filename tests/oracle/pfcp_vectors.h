// PFCP messages as scapy makes them, each with those IEs of the named core's message that matter. The line
// above each vector makes it; tests/oracle/pfcp_vectors.py compares, lets tshark read all, and with --write
// makes all again. Its names:
//
//   from scapy.contrib.pfcp import *
//   M = lambda seq, message, seid=None: PFCP(S=0 if seid is None else 1, seid=seid or 0, seq=seq) / message
//   L = lambda kind, *ies: kind(IE_list=list(ies))
//   CP = lambda seid: IE_FSEID(v4=1, seid=seid, ipv4='192.0.2.1')
//   UP = lambda seid: IE_FSEID(v4=1, seid=seid, ipv4='192.0.2.2')
//   NODE = IE_NodeId(id_type=0, ipv4='192.0.2.1')
//   UE = lambda last, SD=1: IE_UE_IP_Address(V4=1, SD=SD, ipv4=f'10.45.0.{last}')
//   TEID = lambda teid: IE_FTEID(V4=1, TEID=teid, ipv4='192.0.2.2')
//   CHOOSE = IE_FTEID(V4=1, CH=1, CHID=1, choose_id=5)
//   FROM = lambda interface, *ies: L(IE_PDI, IE_SourceInterface(interface=interface), *ies)
//   REFS = lambda far, *qers: [IE_FAR_Id(id=far), *[IE_QER_Id(id=id) for id in qers]]
//   ORDER = lambda id, precedence: [IE_PDR_Id(id=id), IE_Precedence(precedence=precedence)]
//   PDR = lambda id, order, pdi, refs, *more: L(IE_CreatePDR, *ORDER(id, order), pdi, *more, *refs)
//   FACE = lambda interface: IE_DestinationInterface(interface=interface)
//   TO = lambda interface, *ies: L(IE_ForwardingParameters, FACE(interface), *ies)
//   RAN = lambda teid: IE_OuterHeaderCreation(GTPUUDPIPV4=1, TEID=teid, ipv4='192.0.2.3')
//   FAR = lambda id, *ies: L(IE_CreateFAR, IE_FAR_Id(id=id), *ies)
//   QER = lambda id, *ies: L(IE_CreateQER, IE_QER_Id(id=id), IE_GateStatus(ul=0, dl=0), *ies)
//   OPEN = IE_OuterHeaderRemoval(header=0)
//   O5D = PDR(1, 65535, FROM(1, UE(2)), REFS(1, 1))
//   O5U = PDR(2, 65535, FROM(0, CHOOSE, UE(2, 0)), REFS(2, 1), OPEN)
//   O5C = [PDR(3, 1, FROM(3), REFS(1), OPEN), PDR(4, 1, FROM(0, CHOOSE), REFS(3), OPEN)]
//   BUFF = IE_ApplyAction(BUFF=1, NOCP=1)
//   FORW = IE_ApplyAction(FORW=1)
//   DROP = IE_ApplyAction(DROP=1)
//   O5F = [FAR(1, BUFF), FAR(2, FORW, TO(1)), FAR(3, FORW, TO(3))]
//   O5I = IE_UserId(IMSIF=1, imsi_length=8, imsi=bytes.fromhex('00010121436587f9'))
//   O5T = L(IE_CreatedPDR, IE_PDR_Id(id=2), TEID(0x5a))
//   O5Q = QER(1, IE_MBR(ul=500000, dl=5000000000), IE_QFI(QFI=1))
//   F5D = PDR(2, 255, FROM(1, UE(3)), REFS(2, 1, 2))
//   F5U = PDR(1, 255, FROM(0, TEID(7), UE(3, 0)), REFS(1, 1, 2), OPEN)
//   F5F = [FAR(1, FORW, TO(1)), FAR(2, DROP, TO(0))]
//   F5Q = [QER(1, IE_MBR(ul=1000000, dl=2000000)), QER(2, IE_QFI(QFI=1))]
//   SIMU = PDR(1, 100, FROM(0, TEID(9), UE(4, 0)), REFS(1, 0, 1), OPEN)
//   SIMD = PDR(2, 100, FROM(1, UE(4)), REFS(2, 0, 2))
//   SIMF = [FAR(1, FORW, TO(1)), FAR(2, DROP, TO(0, RAN(0)))]
//   SIMA = lambda id: QER(id, IE_MBR(ul=500000, dl=500000), IE_QFI(QFI=8))
//   SIMQ = [QER(0, IE_MBR(ul=50000, dl=60000), IE_QFI(QFI=0)), SIMA(1), SIMA(2)]
//   EST = lambda seq, seid, *ies: M(seq, L(PFCPSessionEstablishmentRequest, NODE, CP(seid), *ies), 0)
//   OK = IE_Cause(cause=1)
//   UPF = lambda seq, seid, *ies: M(seq, L(PFCPSessionEstablishmentResponse, NODE, OK, *ies), seid)
//   MOD = lambda seq, seid, *ies: M(seq, L(PFCPSessionModificationRequest, *ies), seid)
//   DONE = lambda seq, seid: M(seq, L(PFCPSessionModificationResponse, OK), seid)
//   NEAR = lambda teid: L(IE_UpdateForwardingParameters, IE_DestinationInterface(interface=0), RAN(teid))
//   MOVE = lambda id, teid: L(IE_UpdateFAR, IE_FAR_Id(id=id), FORW, NEAR(teid))
//   SHUT = L(IE_UpdateQER, IE_QER_Id(id=1), IE_GateStatus(ul=0, dl=1))
//   SINCE = lambda seconds: IE_RecoveryTimeStamp(timestamp=3900000000 + seconds)
//   V6 = IE_UE_IP_Address(V6=1, SD=1, ipv6='2001:db8:45:1::')
#pragma once

namespace control::test {

struct PfcpVector {
  const char* name;
  const char* hex;
};

// clang-format off
inline constexpr PfcpVector kPfcpVectors[] = {
    // M(1, L(PFCPAssociationSetupRequest, NODE, SINCE(0)))
    {"association setup",
     "2005001500000100003c000500c000020100600004e8754700"},
    // M(1, L(PFCPAssociationSetupResponse, NODE, OK, SINCE(7)))
    {"association setup answered",
     "2006001a00000100003c000500c0000201001300010100600004e8754707"},
    // EST(2, 1, O5D, O5U, *O5C, *O5F, O5Q, O5I)
    {"open5gs establishment",
     "21320166000000000000000000000200003c000500c00002010039000d020000000000000001c00002010001003000380002"
     "0001001d00040000ffff0002000e0014000101005d0005060a2d0002006c000400000001006d0004000000010001003b0038"
     "00020002001d00040000ffff000200140014000100001500020d05005d0005020a2d0002005f000100006c00040000000200"
     "6d00040000000100010024003800020003001d000400000001000200050014000103005f000100006c000400000001000100"
     "2a003800020004001d0004000000010002000b0014000100001500020d05005f000100006c0004000000030003000d006c00"
     "0400000001002c00010c00030016006c000400000002002c00010200040005002a00010100030016006c000400000003002c"
     "00010200040005002a00010300070020006d0004000000010019000100001a000a000007a120012a05f200007c000101008d"
     "000a010800010121436587f9"},
    // UPF(2, 1, UP(0x101), O5T)
    {"open5gs establishment answered",
     "21330042000000000000000100000200003c000500c000020100130001010039000d020000000000000101c0000202000800"
     "1300380002000200150009010000005ac0000202"},
    // MOD(3, 0x101, MOVE(1, 0x21))
    {"open5gs modification",
     "21340034000000000000010100000300000a0024006c000400000001002c000102000b0013002a0001000054000a01000000"
     "0021c0000203"},
    // DONE(3, 1)
    {"open5gs modification answered",
     "213500110000000000000001000003000013000101"},
    // EST(4, 2, F5U, F5D, *F5F, *F5Q)
    {"free5GC establishment",
     "21320119000000000000000000000400003c000500c00002010039000d020000000000000002c00002010001004a00380002"
     "0001001d0004000000ff0002001b0014000100001500090100000007c0000202005d0005020a2d0003005f000100006c0004"
     "00000001006d000400000001006d00040000000200010038003800020002001d0004000000ff0002000e0014000101005d00"
     "05060a2d0003006c000400000002006d000400000001006d00040000000200030016006c000400000001002c000102000400"
     "05002a00010100030016006c000400000002002c00010100040005002a0001000007001b006d000400000001001900010000"
     "1a000a00000f424000001e848000070012006d0004000000020019000100007c000101"},
    // UPF(4, 2, UP(0x102))
    {"free5GC establishment answered",
     "2133002b000000000000000200000400003c000500c000020100130001010039000d020000000000000102c0000202"},
    // EST(5, 3, SIMU, SIMD, *SIMF, *SIMQ)
    {"pfcpsim establishment",
     "2132015e000000000000000000000500003c000500c00002010039000d020000000000000003c00002010001004a00380002"
     "0001001d0004000000640002001b0014000100001500090100000009c0000202005d0005020a2d0004005f000100006c0004"
     "00000001006d000400000000006d00040000000100010038003800020002001d0004000000640002000e0014000101005d00"
     "05060a2d0004006c000400000002006d000400000000006d00040000000200030016006c000400000001002c000102000400"
     "05002a00010100030024006c000400000002002c00010100040013002a0001000054000a010000000000c000020300070020"
     "006d0004000000000019000100001a000a000000c350000000ea60007c00010000070020006d000400000001001900010000"
     "1a000a000007a120000007a120007c00010800070020006d0004000000020019000100001a000a000007a120000007a12000"
     "7c000108"},
    // UPF(5, 3, UP(0x103))
    {"pfcpsim establishment answered",
     "2133002b000000000000000300000500003c000500c000020100130001010039000d020000000000000103c0000202"},
    // MOD(6, 0x103, MOVE(2, 0x22))
    {"pfcpsim modification",
     "21340034000000000000010300000600000a0024006c000400000002002c000102000b0013002a0001000054000a01000000"
     "0022c0000203"},
    // DONE(6, 3)
    {"pfcpsim modification answered",
     "213500110000000000000003000006000013000101"},
    // EST(7, 4, PDR(1, 255, FROM(1, V6), REFS(1, 1)), QER(1, IE_MBR(ul=1, dl=0xffffffffff)))
    {"IPv6 establishment",
     "21320085000000000000000000000700003c000500c00002010039000d020000000000000004c00002010001003c00380002"
     "0001001d0004000000ff0002001a0014000101005d00110520010db8004500010000000000000000006c000400000001006d"
     "0004000000010007001b006d0004000000010019000100001a000a0000000001ffffffffff"},
    // UPF(7, 4, UP(0x104))
    {"IPv6 establishment answered",
     "2133002b000000000000000400000700003c000500c000020100130001010039000d020000000000000104c0000202"},
    // MOD(8, 0x104, SHUT, L(IE_RemovePDR, IE_PDR_Id(id=9)))
    {"IPv6 gate",
     "21340027000000000000010400000800000e000d006d0004000000010019000101000f0006003800020009"},
    // DONE(8, 4)
    {"IPv6 gate answered",
     "213500110000000000000004000008000013000101"},
    // M(9, PFCPSessionDeletionRequest(), 0x103)
    {"pfcpsim deletion",
     "2136000c000000000000010300000900"},
    // M(9, L(PFCPSessionDeletionResponse, OK), 3)
    {"pfcpsim deletion answered",
     "213700110000000000000003000009000013000101"},
    // M(10, L(PFCPHeartbeatResponse, SINCE(8)))
    {"heartbeat answered",
     "2002000c00000a0000600004e8754708"},
};
// clang-format on

}  // namespace control::test

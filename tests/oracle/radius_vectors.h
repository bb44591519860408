// RADIUS packets as pyrad makes them, with the secret testing123. The line above each vector makes it;
// tests/oracle/radius_vectors.py compares, and with --write makes all again. Its names:
//
//   START = acct('Start', Acct_Session_Id='0A1B', User_Name='ada', NAS_IP_Address='10.0.0.1')
//   STOP = acct('Stop', Acct_Session_Id='0A1B', NAS_IP_Address='10.0.0.1', Proxy_State=b'\x00\xffp')
//   COA = coa(43, Framed_IP_Address='10.45.0.2', Mikrotik_Rate_Limit='1M/2M')
//   DISCONNECT = proved(coa, 40, Framed_IP_Address='10.45.0.2', Acct_Session_Id='0A1B')
//   INTERIM = lambda **words: acct('Interim-Update', Acct_Session_Id='0A1B', **words)
#pragma once

namespace control::told::test {

struct RadiusVector {
  const char* name;
  const char* hex;
};

// clang-format off
inline constexpr RadiusVector kRadiusVectors[] = {
    // START
    {"start",
     "0409002b8abb2ce5fbe8dbe4a856939f82bdbe812806000000012c0630413142010561646104060a000001"},
    // answer(START, 5)
    {"answer to start",
     "050900148bbcb21fe3c87e95503e87659a0cd33a"},
    // proved(acct, 'Start', Acct_Session_Id='0A1B', User_Name='ada', Framed_IP_Address='10.45.0.2')
    {"start with a Message-Authenticator",
     "0409003d5fba5ffc7a2e7d0ed802cee706e7fdf02806000000012c0630413142010561646108060a2d0002501254b7301d56"
     "9836d8213f6fa7a9ca1020"},
    // INTERIM(WISPr_Bandwidth_Max_Up=5000000, WISPr_Bandwidth_Max_Down=20000000)
    {"WISPr",
     "04090038d79b7ada9356458622d388950b7de07c2806000000032c06304131421a0c0000372a0706004c4b401a0c0000372a"
     "080601312d00"},
    // INTERIM(Mikrotik_Rate_Limit='5M/20M 6M/30M')
    {"Mikrotik",
     "040900353fff3fea23b95a2e69d261ae0191f82a2806000000032c06304131421a1500003a8c080f354d2f32304d20364d2f"
     "33304d"},
    // INTERIM(Huawei_Input_Average_Rate=5000000, Huawei_Output_Average_Rate=20000000)
    {"Huawei",
     "0409003801fa7e037eb2d9c31635ac8b24a1e4dc2806000000032c06304131421a0c000007db0206004c4b401a0c000007db"
     "050601312d00"},
    // INTERIM(ERX_Qos_Profile_Name='gold', ERX_Service_Activate='\x01video', Class='c-7')
    {"ERX",
     "0409003f5793f8754335ddb1de2490d979e154db2806000000032c06304131421a0c0000130a1a06676f6c641a0e0000130a"
     "410801766964656f1905632d37"},
    // acct('Start', x_3GPP_IMSI='001010000000001', x_3GPP_GPRS_Negotiated_QoS_Profile='05-1B93', x_3GPP_NSAPI='6')
    {"3GPP",
     "0409004916506d5dcd19504b461a640aae42d5452806000000011a17000028af01113030313031303030303030303030311a"
     "0f000028af050930352d314239331a09000028af0a0336"},
    // acct('Start', Framed_IPv6_Prefix='2001:db8:0:5::/64', Delegated_IPv6_Prefix='2001:db8:0:6::/64')
    {"IPv6",
     "04090042edc370c909224f12353228fcc72f82242806000000016114004020010db80000000500000000000000007b140040"
     "20010db8000000060000000000000000"},
    // acct('Start', Delegated_IPv6_Prefix='2001:db8:0:600::/56', Framed_IPv6_Address='2001:db8:0:7::1')
    {"IPv6, a wide prefix and an address",
     "04090040708ee7fa8336eb015a8d66471293db962806000000017b14003820010db8000006000000000000000000a8122001"
     "0db8000000070000000000000001"},
    // acct('Start', Calling_Station_Id='491701234', NAS_Identifier='bng-1', Acct_Session_Id='7')
    {"station",
     "0409002ff17154fc99fe15afe52ff7184104c0772806000000011f0b3439313730313233342007626e672d312c0337"},
    // STOP
    {"stop through a proxy",
     "0409002bc952d7a0fdda908f540da1723e5579b32806000000022c063041314204060a000001210500ff70"},
    // answer(STOP, 5, Proxy_State=b'\x00\xffp')
    {"answer to stop through a proxy",
     "050900191504b4ccd1cef54bda92032e9f501d54210500ff70"},
    // acct('Accounting-On', NAS_IP_Address='10.0.0.1')
    {"on",
     "04090020dbed38f676862844d11fc5272e61e68a28060000000704060a000001"},
    // COA
    {"CoA",
     "2b09002706b74d244cb680383d523b4fb5541ffd08060a2d00021a0d00003a8c0807314d2f324d"},
    // answer(COA, 45, Error_Cause=503)
    {"answer to CoA of nobody",
     "2d09001a489d65e13a6e28afcafc173dbafe61036506000001f7"},
    // answer(COA, 44)
    {"answer to CoA",
     "2c090014efbb21b9f1455b9986fedbf60d390d65"},
    // DISCONNECT
    {"disconnect with a Message-Authenticator",
     "280900326c1429a943a1fccbb40ed5e0bbd719b308060a2d00022c063041314250125052b7c57a6942ae1f7f96408f3b72fa"},
    // proved_answer(DISCONNECT, 41)
    {"answer to disconnect with a Message-Authenticator",
     "29090026417b943b2df6caf11b5247f1be93ac8a5012fe4fa3c61c1ed2410c6237fa65a29a5a"},
};
// clang-format on

}  // namespace control::told::test

"""A Rig whose hosts are some way off: behind rncd a radio, which loses and delays, and the network before it, which
does, too."""
import os
import subprocess

from stage import CORE, RADIO, rncd, wire

WIRE = os.path.join(rncd.BUILD, 'tools', 'live_wire')
HOST = {CORE: 't0', RADIO: 't1'}  # the interfaces that have the addresses
# No ARP of theirs would find a new interface of the same name.
MAC = {CORE: '02:00:00:00:45:01', RADIO: '02:00:00:00:45:02'}
SEED = 15
# No memory of earlier connections to the same UE.
SYSCTLS = {'net.ipv4.tcp_no_metrics_save': '1'}


class RadioRig(wire.Rig):
    """`core_ms`, `radio_ms`: delays, one way; with 0 the side is as in every rig. The radio loses nothing at first;
    `core_loss` is the share of the core's data that is lost before rncd."""

    def __init__(self, ues, core_ms, radio_ms, core_loss=0.0):
        self.delay, self.wires, self.ues, self.core_loss = {CORE: core_ms, RADIO: radio_ms}, {}, ues, core_loss
        if not os.path.exists(WIRE):
            raise wire.RigError(f'no {WIRE}: run tools/build rncd rncctl tools/live_wire')
        super().__init__(ues)

    def _make(self, ues, mtu):
        super()._make(ues, mtu)
        for side in (CORE, RADIO):
            outer = wire.OUTER[side]
            # Packets come as they came in, and not as what GRO makes of several.
            self.run(side, 'ethtool', '-K', outer, 'gro', 'off')
            for key, value in SYSCTLS.items():
                self.run(side, 'sysctl', '-qw', f'{key}={value}')
            if not self.delay[side]:
                continue
            if wire.HAS_IPV6:
                self.run(side, 'sysctl', '-qw', f'net.ipv6.conf.{outer}.disable_ipv6=1')
            self._batch(side, [f'addr flush dev {outer}', f'link set {outer} arp off'])
            self._lengthen(side)

    def _lengthen(self, side, share=0.0):
        host = HOST[side]
        losses = (f'{self.core_loss:g}', str(SEED), 'data') if side == CORE else (f'{share:g}', str(SEED))
        words = (WIRE, host, wire.OUTER[side], f'{self.delay[side]:g}', *losses)
        self.wires[side] = self.start(side, *words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      start_new_session=True)
        if (said := self.wires[side].stdout.readline().strip()) != 'ready':
            raise wire.RigError(f'the wire between {host} and {wire.OUTER[side]}: {said}')
        addresses = [wire.CORE_V4] if side == CORE else [f'10.45.{(2 + i) // 256}.{(2 + i) % 256}'
                                                         for i in range(self.ues)]
        self._batch(side, [f'link set {host} address {MAC[side]} txqueuelen 10000 up',
                           *(f'addr add {address}/16 dev {host}' for address in addresses)])

    def _batch(self, side, lines):
        done = subprocess.run(['ip', '-n', self.name(side), '-batch', '-'], input='\n'.join(lines) + '\n',
                              capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            raise wire.RigError(f'{lines[0]} ...: {done.stderr}')

    def lose(self, share):
        """From now on, of what goes to the UEs."""
        self.stop(self.wires[RADIO])
        self._lengthen(RADIO, share)

    def round_trip(self):
        """In milliseconds, without rncd."""
        return 2 * sum(self.delay.values())

"""Both ends of Gn in a rig: osmo-ggsn on the core's side, sgsnemu on the radio's (Debian's package osmo-ggsn). The
kernel's packets enter and leave their tunnels by TUN interfaces. Both number their G-PDUs only if asked to."""
import os
import re
import shutil
import time

from rig import CORE, CORE_V4, PATIENCE, RADIO, RigError, TooLate

SERVER, UES = '10.60.0.254', '10.60.0.0/24'  # within the tunnels
GGSN_TUN = 'ggsn'
MTU = 1600  # MTU of a rig's interfaces, for packets of 1500 bytes in tunnels
CONFIG = f'''\
log stderr
 logging color 0
 logging timestamp 0
ggsn ggsn0
 gtp state-dir @folder@
 gtp bind-ip {CORE_V4}
 apn internet
  gtpu-mode tun
  tun-device {GGSN_TUN}
  type-support v4
  ip prefix dynamic {UES}
  ip ifconfig {SERVER}/24
  @numbered@g-pdu tx-sequence-numbers
  no shutdown
 default-apn internet
 no shutdown ggsn
'''


class Gsn:
    """One of the two programs, and its log."""

    def __init__(self, rig, side, name, folder, *command):
        self.rig, self.side, self.log = rig, side, os.path.join(folder, f'{name}.log')
        if not shutil.which(command[0]):
            raise RigError(f'no {command[0]} here: run tools/setup gtp-u (package osmo-ggsn)')
        with open(self.log, 'w', encoding='utf-8') as log:
            self.process = rig.start(side, *command, stdout=log, stderr=log, cwd=folder)

    def interface(self, name, seconds=PATIENCE):
        """Waits for an interface with an address, and returns the address."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            said = self.rig.run(self.side, 'ip', '-4', '-o', 'address', 'show', 'dev', name, 'up', check=False).stdout
            if match := re.search(r' inet ([\d.]+)', said):
                return match[1]
            if self.process.poll() is not None:
                raise RigError(f'{self.process.args[4]} ended with exit code {self.process.returncode}:\n{self.tail()}')
            time.sleep(0.02)
        raise TooLate(f'{self.process.args[4]} has made no interface {name} within {seconds} s:\n{self.tail()}')

    def tail(self, lines=15):
        with open(self.log, encoding='utf-8', errors='replace') as log:
            return ''.join(log.readlines()[-lines:])

    def kill(self):
        """Ends it without a word to the other end."""
        self.process.kill()
        self.rig.stop(self.process)


class Ggsn(Gsn):
    def __init__(self, rig, folder, numbered=False):
        config = os.path.join(folder, 'osmo-ggsn.cfg')
        with open(config, 'w', encoding='utf-8') as file:
            file.write(CONFIG.replace('@folder@', folder).replace('@numbered@', '' if numbered else 'no '))
        super().__init__(rig, CORE, 'ggsn', folder, 'osmo-ggsn', '-c', config)
        try:
            self.interface(GGSN_TUN)
        except RigError:
            self.kill()
            raise


class Sgsn(Gsn):
    """An SGSN at one of the radio's addresses. Its UE is the same for all: a GGSN that knows the UE takes the next SGSN
    for its new one (TS 29.060 clause 7.3.1) and sends to it from then on, which is a handover."""

    def __init__(self, rig, folder, address, numbered=False):
        self.address, self.tun = address, 'sgsn' + address.rpartition('.')[2]
        own = os.path.join(folder, self.tun)
        os.makedirs(own, exist_ok=True)
        command = ('sgsnemu', '--createif', '--listen', address, '--remote', CORE_V4, '--apn', 'internet', '--tun-device',
                   self.tun, '--statedir', own, '--pidfile', os.path.join(own, 'pid'),
                   *([] if numbered else ['--no-tx-gpdu-seq']))
        self.ue = self.attached(rig, own, command, PATIENCE / 3) or self.attached(rig, own, command, PATIENCE)
        if self.ue is None:
            raise TooLate(f'sgsnemu has made no interface {self.tun}, started twice:\n{self.tail()}')
        self.take_uplink()

    def attached(self, rig, folder, command, seconds):
        """Starts the program, and returns the UE's address. None if it has none in time, as on a machine without time
        for it: then the program has ended, and leaves its port to the next one."""
        super().__init__(rig, RADIO, self.tun, folder, *command)
        try:
            return self.interface(self.tun, seconds)
        except TooLate:
            self.kill()
            return None

    def take_uplink(self):
        """The UE's packets go by this SGSN from now on."""
        self.rig.run(RADIO, 'ip', 'route', 'replace', f'{SERVER}/32', 'dev', self.tun, 'src', self.ue)


def let_addresses_move(rig):
    """The UE's address is at several interfaces of the radio's side, and its packets come by either."""
    for where in ('all', 'default'):
        rig.run(RADIO, 'sysctl', '-qw', f'net.ipv4.conf.{where}.rp_filter=0')


def wrong_checksums(rig, side):
    """Number of datagrams and segments with wrong checksums that a side has received."""
    lines = rig.run(side, 'cat', '/proc/net/snmp').stdout.splitlines()
    return sum(int(dict(zip(names.split(), values.split())).get('InCsumErrors', 0))
               for names, values in zip(lines[::2], lines[1::2]))

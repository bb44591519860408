"""The wire's short-cut (dataplane.wire.shortcut, dataplane/xdp/shortcut.h): frames that the workers would only pass
cross within the kernel while the workers live."""
import re
import signal
import time

import pytest
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, ICMPv6PacketTooBig, IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Raw

from box import RNCD, Box
from frames import Tap, marked
from rig import CORE, CORE_V4, CORE_V6, DUT, HAS_IPV6, RADIO, UE_V4, UE_V6, UE_V6_PREFIX, Rig
from steady import until
from test_wire import kill, programs_shown, wires

UES = 24
STRANGER, OTHER = '10.45.0.3', '10.45.0.20'
BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'


@pytest.fixture(name='rig')
def fixture_rig():
    with Rig(UES) as made:
        yield made


@pytest.fixture(name='taps')
def fixture_taps(rig):
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        yield {CORE: core, RADIO: radio}


def box_with(rig, shortcut, bearers=BEARERS, dataplane=''):
    """A worker that has to wait for its CPU is not taken for dead."""
    return Box(rig, device='af_xdp', name='wire-shortcut', bearers=bearers, rate='1G',
               dataplane=f'  wire: {{shortcut: {shortcut}, stale_after: 3s}}\n' + dataplane)


def in_force(rig, word):
    return until(lambda: wires(rig)[0]['shortcut'] == word)


@pytest.fixture(name='box')
def fixture_box(rig):
    with box_with(rig, 'strangers') as box:
        assert in_force(rig, 'strangers')
        yield box


def ping(rig, ue, count=5):
    said = rig.run(CORE, 'ping', '-n', '-c', str(count), '-i', '0.05', '-W', '1', ue, check=False).stdout
    return int(re.search(r'(\d+) received', said)[1])


def fates(rig, act, side='core'):
    """Frames that came in on a side, by what became of them, while something was done."""
    before = wires(rig)[0]['ports'][side]['frames']
    act()
    after = wires(rig)[0]['ports'][side]['frames']
    return {fate: after[fate] - before[fate] for fate in after}


def way_of(rig, ue):
    """The way of five pings and their answers, which come back: shortcut or normal."""
    for side in ('core', 'radio'):
        for _ in range(3):  # a machine that is short of time loses one at times, with any setting
            answers = []
            counted = fates(rig, lambda into=answers: into.append(ping(rig, ue)), side)
            if answers == [5]:
                break
        else:
            pytest.fail(f'{ue} does not answer')
        assert counted['bypass'] == counted['disconnect'] == 0, counted
        # A neighbour may be looked for meanwhile.
        way, = (fate for fate in ('normal', 'shortcut') if counted[fate] >= 5)
        assert counted['normal'] + counted['shortcut'] <= 8, counted
    return way


def received(box):
    """Frames received; a worker publishes its counters a moment later."""
    time.sleep(0.3)
    return sum(port['received']['frames'] for port in box.stats()['ports'].values())


def test_strangers_and_arp_cross_in_the_kernel_and_a_bearers_frames_come_to_the_worker(rig, box):
    assert way_of(rig, UE_V4) == 'normal'
    before = received(box)
    assert way_of(rig, STRANGER) == 'shortcut'
    rig.run(CORE, 'ip', 'neigh', 'flush', 'all')
    assert fates(rig, lambda: ping(rig, STRANGER))['shortcut'] >= 6  # ARP comes first
    assert received(box) == before
    metrics = box.metrics()
    assert 'rncd_bypass_active{port="core"} 0' in metrics and 'rncd_bypass_active{port="radio"} 0' in metrics
    assert int(re.search(r'rncd_wire_frames_total\{port="core",way="shortcut"\} (\d+)', metrics)[1]) >= 11


def test_unparsed_alone_leaves_strangers_to_the_worker_and_none_everything(rig):
    with box_with(rig, 'unparsed') as box:
        assert in_force(rig, 'unparsed') and way_of(rig, STRANGER) == 'normal'
        rig.run(CORE, 'ip', 'neigh', 'flush', 'all')
        counted = fates(rig, lambda: ping(rig, STRANGER))
        # The pings; a frame that the namespaces send by themselves may come beside.
        assert counted['normal'] >= 5 and counted['shortcut'] >= 1, counted
        assert box.stop() == 0
    with Box(rig, device='af_xdp', name='wire-no-shortcut', bearers=BEARERS):
        assert in_force(rig, 'none')
        rig.run(CORE, 'ip', 'neigh', 'flush', 'all')
        assert fates(rig, lambda: ping(rig, STRANGER))['shortcut'] == 0


def test_a_bearer_that_is_made_leaves_the_shortcut_at_once_and_one_that_is_removed_takes_it(rig, box):
    for _ in range(3):
        assert way_of(rig, STRANGER) == 'shortcut'
        box.set_bearer(STRANGER)
        assert way_of(rig, STRANGER) == 'normal'
        assert box.downlink(STRANGER)['delivered_sdus'] >= 10  # five pings for each side
        box.call('bearer.remove', ue=STRANGER)


def test_whom_a_rule_covers_comes_to_the_worker_before_and_after_he_has_a_bearer(rig):
    rule = 'bearers:\n  - {ue: 10.45.0.0/28, class: internet, learn: true, idle: 1s}\n'
    with box_with(rig, 'strangers', rule) as box:
        assert in_force(rig, 'strangers')
        assert way_of(rig, STRANGER) == 'normal' and way_of(rig, OTHER) == 'shortcut'
        assert box.stats()['bearers']['learnt'] >= 1
        box.set_bearer(OTHER)
        assert way_of(rig, OTHER) == 'normal'
        assert until(lambda: box.stats()['bearers']['learnt'] == 0)
        assert way_of(rig, STRANGER) == 'normal'


def sent_ways(rig, taps, side, frames):
    """The way of each kind of frame, of which five are sent; all come out on the other side as they are, but those
    that the worker drops."""
    ways = {}
    for name, frame in frames.items():
        mark = b'frame of kind ' + name.encode() + b'.'
        data = bytes(frame / Raw(mark))
        came = []

        def send(data=data, mark=mark, came=came):
            taps[side].send(*[data] * 5)
            came += taps[RADIO if side == CORE else CORE].take(marked(mark), 5, 0.5)
        counted = fates(rig, send, 'core' if side == CORE else 'radio')
        assert came in ([], [data] * 5), (name, came)
        ways[name], = (fate for fate in ('normal', 'shortcut') if counted[fate] >= 5)
        if not came:
            ways[name] += ', dropped'
    return ways


def test_frames_are_told_apart_by_what_the_worker_would_see_in_them(rig, box, taps):
    ether = Ether(src=taps[CORE].mac, dst=taps[RADIO].mac)
    known, strange = IP(src=CORE_V4, dst=UE_V4) / UDP(), IP(src=CORE_V4, dst='10.46.0.1') / UDP()
    assert sent_ways(rig, taps, CORE, {
        'tagged known': ether / Dot1Q(vlan=7) / known,
        'tagged strange': ether / Dot1Q(vlan=7) / strange,
        'two tags known': ether / Dot1AD(vlan=7) / Dot1Q(vlan=8) / known,
        'two tags strange': ether / Dot1AD(vlan=7) / Dot1Q(vlan=8) / strange,
        'three tags': ether / Dot1Q(vlan=7) / Dot1Q(vlan=8) / Dot1Q(vlan=9) / known,
        'tagged arp': ether / Dot1Q(vlan=7) / ARP(),
        'mpls': Ether(src=taps[CORE].mac, dst=taps[RADIO].mac, type=0x8847),
        'to a neighbour': Ether(src=taps[CORE].mac, dst='01:80:c2:00:00:0e', type=0x0800) / known,
        'fragment known': ether / IP(src=CORE_V4, dst=UE_V4, frag=100, proto=17),
        'fragment strange': ether / IP(src=CORE_V4, dst='10.46.0.1', frag=100, proto=17),
        'group': ether / IP(src=CORE_V4, dst='224.0.0.5', proto=89),
        'shorter than it says': ether / IP(src=CORE_V4, dst='10.46.0.1', len=1000, proto=17),
        'no header': ether / IP(src=CORE_V4, dst='10.46.0.1', ihl=4, proto=17),
    }) == {
        'tagged known': 'normal', 'tagged strange': 'shortcut', 'two tags known': 'normal', 'two tags strange': 'shortcut',
        'three tags': 'shortcut', 'tagged arp': 'shortcut', 'mpls': 'shortcut', 'to a neighbour': 'shortcut',
        'fragment known': 'normal', 'fragment strange': 'shortcut', 'group': 'shortcut',
        'shorter than it says': 'normal, dropped', 'no header': 'normal',
    }
    assert set(box.dropped()) == {'truncated'}


def test_from_the_radio_side_the_source_counts_and_who_says_too_big_is_heard(rig, box, taps):
    ether = Ether(src=taps[RADIO].mac, dst=taps[CORE].mac)
    router = IP(src='10.46.0.1', dst=CORE_V4)
    frames = {
        'known': ether / IP(src=UE_V4, dst='10.46.0.1') / UDP(),
        'strange': ether / IP(src='10.46.0.1', dst=UE_V4) / UDP(),
        'echo': ether / router / ICMP(type=8),
        'too big': ether / router / ICMP(type=3, code=4, nexthopmtu=1400),
    }
    ways = {'known': 'normal', 'strange': 'shortcut', 'echo': 'shortcut', 'too big': 'normal'}
    assert sent_ways(rig, taps, RADIO, frames) == ways


def test_ipv6_goes_by_64_and_128(rig, box, taps):
    box.set_bearer(UE_V6_PREFIX)
    box.set_bearer('2001:db8:0:7::7/128')
    ether = Ether(src=taps[CORE].mac, dst=taps[RADIO].mac)

    def to(ue):
        return ether / IPv6(src=CORE_V6, dst=ue) / UDP(chksum=0xffff)
    assert sent_ways(rig, taps, CORE, {
        'in the 64': to('2001:db8:0:2:ffff::1'), 'beside the 64': to('2001:db8:0:3::2'),
        'the 128': to('2001:db8:0:7::7'), 'beside the 128': to('2001:db8:0:7::8'),
        'tagged': ether / Dot1Q(vlan=7) / IPv6(src=CORE_V6, dst='2001:db8:0:3::2') / UDP(chksum=0xffff),
        'shorter than it says': ether / IPv6(src=CORE_V6, dst='2001:db8:0:3::2', nh=59, plen=1000),
    }) == {
        'in the 64': 'normal', 'beside the 64': 'shortcut', 'the 128': 'normal', 'beside the 128': 'shortcut',
        'tagged': 'shortcut', 'shorter than it says': 'normal, dropped',
    }
    back = Ether(src=taps[RADIO].mac, dst=taps[CORE].mac)
    router = IPv6(src='2001:db8:0:3::2', dst=CORE_V6)
    assert sent_ways(rig, taps, RADIO, {
        'known': back / IPv6(src=UE_V6, dst=CORE_V6) / UDP(chksum=0xffff), 'strange': back / router / UDP(chksum=0xffff),
        'echo': back / router / ICMPv6EchoRequest(cksum=1), 'too big': back / router / ICMPv6PacketTooBig(cksum=1),
    }) == {'known': 'normal', 'strange': 'shortcut', 'echo': 'shortcut', 'too big': 'normal'}
    if HAS_IPV6:
        box.call('bearer.remove', ue=UE_V6_PREFIX)
        assert fates(rig, lambda: rig.ping(CORE, count=5, v6=True))['shortcut'] >= 5


def test_block_drops_strangers_too_and_other_modes_let_them_pass(rig, box):
    assert way_of(rig, STRANGER) == 'shortcut'
    box.call('mode.set', mode='block')
    assert wires(rig)[0]['shortcut'] == 'none'
    rig.run(CORE, 'ip', 'neigh', 'flush', 'all')
    assert fates(rig, lambda: ping(rig, STRANGER, 2) == 0 or pytest.fail('crossed'))['shortcut'] == 0
    for mode in ('tap', 'bypass', 'inline'):
        box.call('mode.set', mode=mode)
        assert wires(rig)[0]['shortcut'] == 'strangers'
        assert until(lambda: ping(rig, STRANGER, 1)) and way_of(rig, STRANGER) == 'shortcut'
        assert way_of(rig, UE_V4) == 'normal'


def edit(box, old, new):
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    assert old in text
    with open(box.config, 'w', encoding='utf-8') as file:
        file.write(text.replace(old, new))


def test_a_reload_takes_the_key_and_the_rules_and_refuses_strangers_where_they_are_to_be_dropped(rig, box):
    said = box.log_with('event=started')

    def reload(event):
        box.process.send_signal(signal.SIGHUP)
        assert until(lambda: box.log_with(f'event={event}').count(f'event={event}') > said.count(f'event={event}'))
    edit(box, 'shortcut: strangers', 'shortcut: unparsed')
    reload('reloaded ')
    assert in_force(rig, 'unparsed') and way_of(rig, STRANGER) == 'normal'
    said = box.log_with('event=started')
    edit(box, 'shortcut: unparsed', 'shortcut: strangers')
    edit(box, BEARERS, BEARERS + '  - {ue: 10.45.0.16/28, class: internet, learn: true}\n')
    reload('reloaded ')
    assert in_force(rig, 'strangers') and way_of(rig, STRANGER) == 'shortcut'
    assert way_of(rig, UE_V4) == 'normal' and way_of(rig, OTHER) == 'normal'
    edit(box, '  wire:', '  unknown: drop\n  wire:')
    refused = rig.run(DUT, RNCD, '--check', '--config', box.config, check=False)
    assert refused.returncode == 3 and 'found strangers beside `unknown: drop`' in refused.stdout + refused.stderr


def test_the_next_start_forgets_who_had_a_bearer_before(rig, box):
    box.set_bearer(STRANGER)
    kill(box)
    assert until(lambda: wires(rig)[0]['ports']['core']['state'] == 'bypass')
    assert ping(rig, STRANGER) == 5
    before = programs_shown(rig)
    box.start()
    assert in_force(rig, 'strangers') and programs_shown(rig) == before
    assert way_of(rig, STRANGER) == 'shortcut' and way_of(rig, UE_V4) == 'normal'


def test_several_workers_have_the_same_shortcut():
    with Rig(UES, 2) as rig, box_with(rig, 'strangers', dataplane='  workers: 2\n') as box:
        assert in_force(rig, 'strangers')
        for number in range(4, 10):
            box.set_bearer(f'10.45.0.{number}')
        for number in range(4, 16):
            assert way_of(rig, f'10.45.0.{number}') == ('normal' if number < 10 else 'shortcut')

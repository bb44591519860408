"""Holders of an interface (control/host/interface_holder.h): another rncd is named and left alone, the end of a killed
one is awaited, and one that is gone leaves nothing behind but the wire of AF_XDP ports."""
import time

import pytest

from box import RNCCTL, RNCD, Box
from rig import CORE, DUT, UE_V4
from steady import until

BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'


def make(rig, name, **options):
    return Box(rig, bearers=BEARERS, more='metrics: {listen: off}\n' if 'more' not in options else '', name=name,
               **options)


@pytest.fixture(params=['af_xdp', 'af_packet'])
def first(request, rig):
    with make(rig, f'holder-{request.param}', device=request.param) as box:
        yield box


@pytest.mark.parametrize('device', ['af_xdp', 'af_packet'])
@pytest.mark.parametrize('words', [(), ('--preflight',)], ids=['start', 'preflight'])
def test_a_second_one_on_the_same_interfaces_names_the_first_and_leaves_its_wire(rig, first, device, words):
    second = make(rig, 'holder-second', device=device)
    done = rig.run(DUT, RNCD, '--config', second.config, *words, check=False)
    said = done.stdout + done.stderr
    second.close()
    assert done.returncode == 4, said
    for side in ('core', 'radio'):
        assert f'port {side} ({device}:' in said
    assert said.count(f'process {pid_of(first)} (rncd)') == 2, said
    assert 'xdp off' not in said and 'this host can run it' not in said
    assert len(rig.ping(CORE, count=3)) == 3


def pid_of(box):
    return box.process.pid


def is_promiscuous(rig, interface):
    """(the user's flag, how many ask for it)"""
    details = rig.run(DUT, 'ip', '-d', 'link', 'show', 'dev', interface).stdout
    return 'PROMISC' in details, int(details.split('promiscuity ')[1].split()[0])


@pytest.mark.parametrize('device', ['af_xdp', 'af_packet'])
@pytest.mark.parametrize('users_own', [False, True], ids=['off', 'users-own'])
@pytest.mark.parametrize('end', ['stop', 'kill'])
def test_promiscuity_is_as_it_was_found(rig, device, users_own, end):
    for interface in ('d0', 'd1'):
        rig.run(DUT, 'ip', 'link', 'set', 'dev', interface, 'promisc', 'on' if users_own else 'off')
    before = is_promiscuous(rig, 'd0')
    box = make(rig, f'promiscuity-{device}', device=device)
    box.start()
    rig.wait_for_wire()
    # The flag of a wire of AF_XDP ports outlives rncd, as the wire does.
    stays = device == 'af_xdp'
    assert is_promiscuous(rig, 'd0') == (users_own or stays, before[1] + 1 + (stays and not users_own))
    if end == 'kill':
        box.process.kill()
        box.process.wait()
    box.close()
    if stays:
        assert is_promiscuous(rig, 'd0')[0]
        rig.run(DUT, RNCCTL, 'wire', 'remove', 'd0', 'd1')
    until(lambda: is_promiscuous(rig, 'd0') == before)
    after = is_promiscuous(rig, 'd0')
    for interface in ('d0', 'd1'):
        rig.run(DUT, 'ip', 'link', 'set', 'dev', interface, 'promisc', 'off')
    assert after == before


@pytest.mark.parametrize('device', ['af_xdp', 'af_packet'])
@pytest.mark.parametrize('after', [0.0, 0.1])
def test_one_that_was_killed_is_waited_for(rig, device, after):
    box = make(rig, f'killed-{device}', device=device)
    box.start()
    rig.wait_for_wire()
    box.process.kill()  # not waited for: it may still be dying
    time.sleep(after)
    with make(rig, f'killed-{device}-again', device=device, socket_path=box.socket):
        assert len(rig.ping(CORE, count=2)) == 2
    box.process.wait()
    box.close()

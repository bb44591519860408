"""Two workers, each with a share of the UEs. The ports have one queue each: one worker receives from the core, the
other from the radio side, and every frame is shaped by the one that has its UE."""
import signal
import time

import pytest

from box import Box
from rig import CORE, RADIO, Rig, goodput, promised
from steady import near

UES = [f'10.45.0.{n}' for n in range(2, 14)]
ROOM = {'sdus': 4000, 'bytes': '8MB'}


@pytest.fixture(scope='module', name='two', params=['af_xdp', 'af_packet'])
def fixture_two(request):
    with Rig(len(UES)) as rig, Box(rig, device=request.param, name='workers', dataplane='  workers: 2\n') as box:
        for ue in UES:
            box.set_bearer(ue, downlink={'rate': '8M', 'buffer': ROOM})
        yield rig, box


def workers(box):
    return box.stats()['workers']


def ue_of(box, worker):
    return next(ue for ue in UES if box.call('bearer.get', ue=ue)['worker'] == worker)


def test_each_worker_has_the_bearers_that_bearer_get_says(two):
    _, box = two
    said = [box.call('bearer.get', ue=ue)['worker'] for ue in UES]
    assert sorted(set(said)) == [0, 1]
    assert [one['bearers'] for one in workers(box)] == [said.count(0), said.count(1)]
    text = box.metrics()
    for worker in (0, 1):
        assert f'rncd_worker_bearers{{worker="{worker}"}} {said.count(worker)}' in text
        assert f'rncd_worker_given_frames_total{{worker="{worker}"}}' in text


@pytest.mark.parametrize('sender', [CORE, RADIO], ids=['downlink', 'uplink'])
def test_ues_of_both_workers_get_their_rates_at_once(two, sender):
    rig, box = two
    ues = [ue_of(box, 0), ue_of(box, 1)]
    leg = {'rate': '8M', 'link': 'shaper', 'buffer': ROOM}
    for ue in ues:
        box.set_bearer(ue, downlink=leg, uplink=leg)

    def measured():
        before = workers(box)
        transfers = [rig.iperf(CORE, 6, port=5201 + n, window='200K', to=ue) for n, ue in enumerate(ues)] \
            if sender == CORE else [rig.iperf(RADIO, 6, window='200K')]
        rates = [goodput(transfer.finish(), 2, 6) for transfer in transfers]
        assert not box.dropped()
        assert all(now['given'] > was['given'] for now, was in zip(workers(box), before))
        return min(rates)
    near(measured, promised(8_000_000), 0.05)


def test_changes_of_mode_and_rate_lose_nothing_and_end_where_they_began(two):
    rig, box = two
    ues = [ue_of(box, 0), ue_of(box, 1)]
    transfers = [rig.iperf(CORE, 6, port=5201 + n, to=ue) for n, ue in enumerate(ues)]
    for mode in ('tap', 'inline', 'bypass', 'inline', 'block', 'inline'):
        box.call('mode.set', mode=mode)
        time.sleep(0.4)
        assert box.stats()['residue'] == 0
    for rate in ('2M', '20M', '8M'):
        for ue in ues:
            box.call('rrc.reconfigure', bearer=ue, rate=rate)
        time.sleep(0.4)
    for transfer in transfers:
        assert goodput(transfer.finish(), 0, 6) > 1_000_000
    lost = box.dropped()
    assert set(lost) <= {'blocked', 'buffer_sdus', 'buffer_bytes'}


def test_ues_are_learnt_by_the_worker_that_has_them_and_the_end_is_clean(two):
    rig, box = two
    for ue in UES:
        box.call('bearer.remove', ue=ue)
    assert [one['bearers'] for one in workers(box)] == [0, 0]
    learner = box.config
    with open(learner, encoding='utf-8') as file:
        text = file.read()
    with open(learner, 'w', encoding='utf-8') as file:
        file.write(text.replace('control:', 'bearers:\n  - {ue: 10.45.0.0/16, class: internet, learn: true}\ncontrol:'))
    box.process.send_signal(signal.SIGHUP)
    box.log_with('event=reloaded ')
    for ue in UES:
        rig.run(RADIO, 'ping', '-n', '-c', '2', '-i', '0.2', '-W', '2', '-I', ue, rig.address(CORE), check=False)
    assert sum(one['bearers'] for one in workers(box)) == len(UES)
    assert all(one['bearers'] > 0 for one in workers(box))
    assert box.stop() == 0

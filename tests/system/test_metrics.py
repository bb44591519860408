"""The metrics of rncd and rncd-told, read by Prometheus itself, and the dashboard that shows them."""
import json
import os
import re
import time
import urllib.parse

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from box import ROOT, Box
from frames import Tap, marked
from rig import CORE, DUT, PATIENCE, RADIO, UE_V4, sh
from samples import samples, total
from steady import near, until
from test_lifecycle import edit
from told import Told, nas_of
import radius
import tunnel

DASHBOARDS = os.path.join(ROOT, 'docker', 'grafana', 'dashboards')
SCRAPE = '''\
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: rncd
    static_configs: [{targets: ["127.0.0.1:9464"]}]
  - job_name: rncd-told
    static_configs: [{targets: ["127.0.0.1:9465"]}]
'''


CLASSES = '''\
  internet:
    downlink: {rate: 8M, buffer: {sdus: 50}}
  web:
    downlink: {rate: 8M, buffer: {sdus: 50}}
    proxy: split
  air:
    downlink: {rate: 384k, buffer: {sdus: 50}, link: am}
''' + ''.join(f'  more-{n}: {{downlink: {{rate: 8M, buffer: {{sdus: 50}}}}}}\n' for n in range(30))
METRIC = r'\b(?:rncd|process)_\w+'
LEGEND = 10  # series that a query of a panel may have, with one instance


def exchange_echo(rig):
    """Sends a GTP-U echo request between two ends of tunnels, and its response."""
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        for here, there, source, to, kind in ((core, radio, '192.0.2.1', '192.0.2.2', tunnel.ECHO_REQUEST),
                                              (radio, core, '192.0.2.2', '192.0.2.1', tunnel.ECHO_RESPONSE)):
            message = tunnel.message(0, b'an echo', kind, sequence=1)
            here.send(Ether(src=here.mac, dst=there.mac) / IP(src=source, dst=to)
                      / UDP(sport=tunnel.PORT, dport=tunnel.PORT) / Raw(message))
            assert there.take(marked(b'an echo'), 1)


@pytest.fixture(scope='module')
def box(rig, tmp_path_factory):
    made = Box(rig, classes=CLASSES,
               bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n  - {{ue: 10.45.0.3, class: air}}\n',
               dataplane='  gtp_u: {peers: [192.0.2.0/24]}\n',
               more='cells: {sector-1: {members: 2}}\nmetrics: {per_bearer: {top: 2}}\n', name='metrics')
    edit(made, ('control: {', f'control: {{state: "{tmp_path_factory.mktemp("metrics")}/state", '))
    with made:
        rig.iperf(CORE, 2).finish()
        exchange_echo(rig)
        time.sleep(1.2)  # the busy ratio is sampled once a second
        yield made


@pytest.fixture(scope='module')
def told(rig, box, tmp_path_factory):
    """With a session, whose UE gets a bearer."""
    with Told(rig, box, tmp_path_factory.mktemp('told')) as made:
        with nas_of(rig) as nas:
            nas.account(radius.START, '10.45.0.9', 'a', radius.rates(2_000_000, 4_000_000))
        assert until(lambda: 'rncd_told_apply_seconds_count 1' in made.metrics())
        yield made


def test_promtool_finds_nothing_to_complain_about(box):
    done = sh('promtool', 'check', 'metrics', stdin=None, input=box.metrics(), check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, '')


def test_metrics_and_statistics_tell_the_same(box):
    for _ in range(50):
        before, metrics, after = box.stats(), samples(box.metrics()), box.stats()
        if before['ports'] == after['ports']:
            break
    for port, counted in after['ports'].items():
        assert total(metrics, 'rncd_received_frames_total', f'port="{port}"') == counted['received']['frames']
        assert total(metrics, 'rncd_sent_frames_total', f'port="{port}"') == counted['sent']['frames']
        for reason, lost in counted['dropped'].items():
            assert total(metrics, 'rncd_dropped_frames_total', f'port="{port}"', f'reason="{reason}"') == lost['frames']
    assert total(metrics, 'rncd_unaccounted_frames') == 0
    assert total(metrics, 'rncd_bearers') == len(box.call('bearer.list')['items'])
    assert total(metrics, 'rncd_sojourn_seconds_count', 'direction="downlink"') > 500


def test_promtool_accepts_the_configuration_and_the_alerts_that_docker_uses():
    folder = os.path.join(ROOT, 'docker', 'prometheus')
    sh('promtool', 'check', 'config', os.path.join(folder, 'prometheus.yml'))


def test_the_alerts_name_only_metrics_that_there_are(box, told):
    with open(os.path.join(ROOT, 'docker', 'prometheus', 'rules.yml'), encoding='utf-8') as file:
        names = {name for line in file if 'expr:' in line for name in re.findall(METRIC, line)}
    assert names and names <= samples(box.metrics() + told.metrics()).keys()


def test_no_series_but_those_of_the_fullest_bearers_carries_a_ue(box):
    assert not [line for line in box.metrics().splitlines() if UE_V4 in line and not line.startswith('rncd_bearer_')]


@pytest.mark.paired
def test_scraping_does_not_slow_the_workers(rig, box):
    from rig import goodput, promised
    box.call('rrc.reconfigure', bearer=UE_V4, rate='20M')

    def while_scraped():
        transfer = rig.iperf(CORE, 4, window='200K')
        for _ in range(40):
            box.metrics()
        return goodput(transfer.finish(), 1, 4)
    near(while_scraped, promised(20_000_000), 0.05)


@pytest.fixture(scope='module')
def prometheus(rig, box, told, tmp_path_factory):
    folder = tmp_path_factory.mktemp('prometheus')
    (folder / 'prometheus.yml').write_text(SCRAPE)
    with open(folder / 'log', 'w', encoding='utf-8') as log:
        server = rig.start(DUT, 'prometheus', f'--config.file={folder}/prometheus.yml',
                           f'--storage.tsdb.path={folder}/data', '--web.listen-address=127.0.0.1:9090',
                           stdout=log, stderr=log)
    yield lambda: (folder / 'log').read_text()
    rig.stop(server)


def ask(rig, query):
    url = 'http://127.0.0.1:9090/api/v1/query?query=' + urllib.parse.quote(query)
    done = rig.run(DUT, 'curl', '-sS', '--max-time', '5', url, check=False)
    if done.returncode:
        return []
    answer = json.loads(done.stdout)
    assert answer['status'] == 'success', answer
    return answer['data']['result']


def wait_for(rig, query, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := ask(rig, query):
            return found
        time.sleep(0.5)
    return []


def test_a_real_prometheus_scrapes_it(rig, box, prometheus):
    assert wait_for(rig, 'up{job="rncd"} == 1'), prometheus()
    assert wait_for(rig, 'up{job="rncd-told"} == 1'), prometheus()
    assert wait_for(rig, 'rncd_sent_frames_total{port="radio"} > 500')
    assert wait_for(rig, 'histogram_quantile(0.5, sum by (le) (rncd_sojourn_seconds_bucket)) > 0')


def dashboard_queries():
    for name in sorted(os.listdir(DASHBOARDS)):
        with open(os.path.join(DASHBOARDS, name), encoding='utf-8') as file:
            rows = json.load(file)['panels']
        for panel in (inner for panel in rows for inner in panel.get('panels', [panel])):
            for target in panel['targets']:
                yield panel['title'], target['expr']


@pytest.mark.parametrize('title, query', dashboard_queries())
def test_every_panel_of_the_dashboard_has_something_to_show_and_a_legend_that_can_be_read(rig, box, prometheus, title, query):
    for name, value in (('$__rate_interval', '10s'), ('$instance', '127.0.0.1:946[45]'), ('$class', '.*'), ('$cell', '.*')):
        query = query.replace(name, value)
    shown = wait_for(rig, query.removesuffix(' > 0'))  # series that are zero are not drawn
    assert shown, f'{title}: {query} shows nothing\n{prometheus()}'
    assert len(shown) <= LEGEND, f'{title}: {query} has {len(shown)} series'

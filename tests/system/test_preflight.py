"""preflight refuses everything that a start refuses, with the same code and in the same words; and changes nothing."""
import os
import re
import socket

import pytest

from box import RNCD, Box
from netns import inside
from rig import DUT, sh

UNPRIVILEGED = ('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--inh-caps=-all', '--bounding-set=-all')


@pytest.fixture(name='box')
def fixture_box(rig):
    """Not started, on ports that need nothing."""
    made = Box(rig, devices=('null', 'null'), name='preflight')
    yield made
    made.close()


def edit(box, old, new):
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    assert old in text
    with open(box.config, 'w', encoding='utf-8') as file:
        file.write(text.replace(old, new, 1))


def put(path, text='precious\n', mode=0o644):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def control(box, keys):
    edit(box, 'control: {', f'control: {{{keys}, ')


def dataplane(box, keys):
    edit(box, 'dataplane:\n', f'dataplane:\n  {keys}\n')


def core(box, device):
    edit(box, 'core:  {device: "null"}', f'core:  {{device: "{device}"}}')


def socket_is_file(box, _):
    put(box.socket)


def socket_is_folder(box, _):
    os.mkdir(box.socket)


def lock_is_link(box, folder):
    os.symlink(f'{folder}/target', f'{box.socket}.lock')


def read_only_is_file(box, folder):
    control(box, f'read_only: "{put(f"{folder}/read.sock")}"')


def folder_of_everybody(box, _):
    os.chmod(box.folder, 0o777)


def state_is_text(box, folder):
    control(box, f'state: "{put(f"{folder}/state")}"')


def no_such_group(box, _):
    control(box, 'group: no-such-group')


def metrics_elsewhere(box, _):
    edit(box, 'control:', 'metrics: {listen: "192.0.2.1:9464"}\ncontrol:')


def metrics_nowhere(box, _):
    edit(box, 'control:', 'metrics: {listen: "[2001:db8::1]:9464"}\ncontrol:')


def words_of_eal(box, _):
    dataplane(box, 'eal: ["--no-such-option"]')


def usage_of_eal(box, _):
    dataplane(box, 'eal: ["--help"]')


def hook_of_everybody(box, folder):
    dataplane(box, 'bypass_hook: ' + put(f'{folder}/hook', '#!/bin/sh\n', 0o777))


def hook_of_another(box, folder):
    path = put(f'{folder}/hook', '#!/bin/sh\n', 0o755)
    os.chown(path, 65534, 65534)
    dataplane(box, f'bypass_hook: {path}')


def cpu_that_is_not_there(box, _):
    dataplane(box, 'cpus: [0, 1000]')


def more_memory_than_there_is(box, _):
    edit(box, 'memory: 128MiB', 'memory: 900GiB')


def interface_that_is_not_there(box, _):
    core(box, 'af_packet:nowhere')


def capture_that_is_not_there(box, folder):
    core(box, f'pcap:{folder}/nothing,')


def output_that_is_text(box, folder):
    core(box, f'pcap:,{put(f"{folder}/notes")}')


# Code, some words of the message, and what makes the start fail.
FAILURES = {
    'socket-is-a-file': (3, 'which is no socket', socket_is_file),
    'socket-is-a-folder': (3, 'a directory, which is no socket', socket_is_folder),
    'lock-is-a-link': (3, 'a symbolic link', lock_is_link),
    'read-only-socket-is-a-file': (3, 'control.read_only: found', read_only_is_file),
    'folder-of-everybody': (3, 'everybody may write', folder_of_everybody),
    'state-is-a-text': (3, 'control.state: found', state_is_text),
    'no-such-group': (3, 'control.group: found no group', no_such_group),
    'metrics-elsewhere': (1, 'metrics.listen: cannot listen on 192.0.2.1:9464', metrics_elsewhere),
    'metrics-elsewhere-by-ipv6': (1, 'metrics.listen: cannot listen on [2001:db8::1]:9464', metrics_nowhere),
    'words-of-eal': (7, 'no-such-option', words_of_eal),
    'hook-of-everybody': (4, 'dataplane.bypass_hook: found', hook_of_everybody),
    'hook-of-another-user': (4, 'dataplane.bypass_hook: found', hook_of_another),
    'cpu-that-is-not-there': (4, 'dataplane.cpus: found CPU 1000', cpu_that_is_not_there),
    'more-memory-than-there-is': (4, 'memory: found', more_memory_than_there_is),
    'interface-that-is-not-there': (4, 'found no interface nowhere', interface_that_is_not_there),
    'capture-that-is-not-there': (4, 'found no readable file', capture_that_is_not_there),
    'output-that-is-a-text': (3, 'output: found', output_that_is_text),
}


def said_by(box, *words, user=()):
    done = box.rig.run(DUT, *user, RNCD, '--config', box.config, *words, check=False)
    return done.returncode, {line for line in done.stderr.splitlines() if not line.startswith('rncd: hint')}


def plain(lines):
    """Without the words that EAL was started with, and without the memory that was there at the moment."""
    return {re.sub(r'found \d+ MiB available', '', line.partition(' (EAL was')[0]) for line in lines}


@pytest.mark.parametrize('name', FAILURES)
def test_preflight_refuses_what_the_start_refuses_in_the_same_words(box, tmp_path, name):
    code, words, make = FAILURES[name]
    make(box, str(tmp_path))
    before = sorted(os.listdir(box.folder)), sorted(os.listdir(tmp_path))
    looked = said_by(box, '--preflight')
    assert looked[0] == code and any(words in line for line in looked[1]), looked
    assert (sorted(os.listdir(box.folder)), sorted(os.listdir(tmp_path))) == before
    started = said_by(box)
    assert started[0] == code, started
    assert plain(looked[1]) == plain(started[1])


def test_preflight_refuses_words_by_which_eal_would_end_the_program(box):
    usage_of_eal(box, '')
    code, said = said_by(box, '--preflight')
    assert code == 7 and any('ended the program' in line for line in said), said


def test_preflight_names_an_address_of_the_metrics_that_is_taken(rig, box):
    with inside(rig.name(DUT)):
        taken = socket.create_server(('127.0.0.1', 9464))
    with taken:
        assert said_by(box, '--preflight') == said_by(box)
        assert said_by(box, '--preflight')[0] == 1


def test_preflight_says_that_another_runs_as_the_start_does(box):
    box.start()
    looked, started = said_by(box, '--preflight'), said_by(box)
    assert looked[0] == started[0] == 6
    assert started[1] < looked[1]  # which also has what the other holds
    assert box.call('version')['api'] == 2


@pytest.mark.parametrize('key', ['state', 'socket'])
def test_preflight_names_a_folder_that_rncd_cannot_write(box, tmp_path, key):
    os.chmod(box.folder, 0o755)
    edit(box, f'socket: "{box.socket}"', f'socket: "{box.folder}/own/rncd.sock"')
    os.mkdir(f'{box.folder}/own')
    os.mkdir(f'{box.folder}/roots', 0o755)
    os.chown(f'{box.folder}/own', 65534, 65534)
    if key == 'state':
        control(box, f'state: "{box.folder}/roots/state"')
    else:
        edit(box, f'{box.folder}/own/rncd.sock', f'{box.folder}/roots/rncd.sock')
    looked, started = said_by(box, '--preflight', user=UNPRIVILEGED), said_by(box, user=UNPRIVILEGED)
    assert looked == started and looked[0] == 5, (looked, started)
    assert any(f'control.{key}: {box.folder}/roots: write: Permission denied' in line for line in looked[1]), looked


@pytest.mark.parametrize('keys, words', [('workers: 2', 'dataplane.workers: found 2, and 1 CPU'),
                                         ('workers: 1', "is shared with rncd's control thread, "),
                                         ('max_bearers: 10', '`limit` is 1000, but dataplane.max_bearers is 10')])
def test_preflight_has_a_hint_where_the_start_goes_on_and_somebody_waits(box, keys, words):
    dataplane(box, keys)
    edit(box, 'control:', 'bearers:\n  - {ue: 10.45.0.0/16, class: internet, learn: both, limit: 1000}\ncontrol:')
    one_cpu = ('taskset', '-c', str(min(os.sched_getaffinity(0))))
    done = box.rig.run(DUT, *one_cpu, RNCD, '--config', box.config, '--preflight', check=False)
    assert done.returncode == 0 and 'hint: ' in done.stderr and words in done.stderr, done.stderr


def test_members_of_the_group_may_use_the_sockets_and_others_may_not(box):
    control(box, f'group: daemon, read_only: "{box.folder}/read.sock", read_only_mode: "0660"')
    os.chmod(box.folder, 0o755)
    box.start()
    asks = ('/usr/bin/python3', '-c', 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])')
    for path in (box.socket, f'{box.folder}/read.sock'):
        found = os.stat(path)
        assert (found.st_gid, found.st_mode & 0o777) == (1, 0o660)
        as_nobody = ('setpriv', '--reuid=65534', '--regid=65534')
        assert sh(*as_nobody, '--groups=1', *asks, path, check=False).returncode == 0
        assert sh(*as_nobody, '--clear-groups', *asks, path, check=False).returncode != 0


def test_without_root_rncd_gives_its_sockets_to_a_group_that_it_is_a_member_of(box):
    control(box, 'group: daemon')
    os.chown(box.folder, 65534, 65534)
    os.chmod(box.config, 0o644)
    user = ('setpriv', '--reuid=65534', '--regid=65534', '--inh-caps=-all', '--bounding-set=-all')
    refused = said_by(box, '--preflight', user=(*user, '--clear-groups'))
    assert refused[0] == 5 and any('control.group: found that' in line for line in refused[1]), refused
    with open(box.log, 'w', encoding='utf-8') as log:
        box.process = box.rig.start(DUT, *user, '--groups=1', RNCD, '--config', box.config, stdout=log, stderr=log)
    box.connect()
    assert os.stat(box.socket).st_gid == 1


def test_the_unit_is_a_member_of_the_group_that_its_file_for_sysusers_makes():
    folder = os.path.join(os.path.dirname(__file__), '..', '..', 'control')
    with open(os.path.join(folder, 'rncd.sysusers'), encoding='utf-8') as file:
        made = [line.split()[1] for line in file if line.startswith('g ')]
    with open(os.path.join(folder, 'rncd.service'), encoding='utf-8') as file:
        joined = [line.strip().partition('=')[2] for line in file if line.startswith('SupplementaryGroups=')]
    assert made == joined == ['rncctl']


def test_nobody_but_root_and_rncd_can_take_its_lock(box):
    os.chmod(box.folder, 0o755)
    put(f'{box.socket}.lock', '1\n', 0o644)  # former versions made it so
    box.start()
    asks = ('/usr/bin/python3', '-c', 'import sys; open(sys.argv[1])')
    assert sh('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', *asks, f'{box.socket}.lock',
              check=False).returncode != 0

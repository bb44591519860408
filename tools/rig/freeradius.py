"""FreeRADIUS in front of rncd-told, as control/manual/told.md sets it up (packages freeradius, freeradius-utils). The
module and the site that copy are read from the manual; the rest is the least configuration of an accounting server."""
import os
import re
import shutil
import signal
import time

from box import ROOT
from rig import DUT, PATIENCE, RigError, TooLate
from told import NAS, SECRET, SERVER

MANUAL = os.path.join(ROOT, 'control', 'manual', 'told.md')
ADDRESS, SHARED = '127.0.0.5', 'a secret of the NAS'
CONFIG = '''\
prefix = /usr
logdir = @folder@
radacctdir = @folder@/radacct
run_dir = @folder@
libdir = /usr/lib/freeradius
pidfile = @folder@/pid
max_request_time = 30
cleanup_delay = 1
security {
    max_attributes = 200
    reject_delay = 0
    status_server = no
}
proxy_requests = yes
thread pool {
    start_servers = 1
    max_servers = 4
}
client nas {
    ipaddr = @nas@
    secret = "@shared@"
}
modules {
    always ok {
        rcode = ok
    }
@module@}
server default {
    listen {
        type = acct
        ipaddr = @address@
        port = 1813
    }
    accounting {
        @name@
    }
}
@site@'''


def section_of_manual():
    with open(MANUAL, encoding='utf-8') as file:
        return file.read().split('\n## FreeRADIUS in front\n')[1].split('\n## ')[0]


def with_own(text, *changes):
    """The text with other values; each must be there once."""
    for old, new in changes:
        if text.count(old) != 1:
            raise RigError(f'found {text.count(old)} times in {MANUAL}, expected once: {old}')
        text = text.replace(old, new)
    return text


def configuration(folder):
    section = section_of_manual()
    module, site = re.findall(r'^   ```\n(.*?)^   ```$', section, re.MULTILINE | re.DOTALL)
    name = re.search(r'section `accounting`, add `(\w+)` in a line', section)[1]
    site = with_own(site, ('port = 18130', f'port = {SERVER[1]}'), ('the secret of rncd-told', SECRET))
    values = {'folder': folder, 'nas': NAS, 'shared': SHARED, 'address': ADDRESS, 'module': module, 'name': name,
              'site': site}
    return re.sub('@([a-z]+)@', lambda match: values[match[1]], CONFIG)


class FreeRadius:
    """An accounting server of the NAS in the namespace of the box, which sends copies to rncd-told."""

    def __init__(self, rig, folder):
        self.rig, self.folder, self.log = rig, str(folder), os.path.join(str(folder), 'log')
        for program in ('freeradius', 'radclient'):
            if not shutil.which(program):
                raise RigError(f'no {program} here: run tools/setup check (packages freeradius, freeradius-utils)')
        with open(os.path.join(self.folder, 'radiusd.conf'), 'w', encoding='utf-8') as file:
            file.write(configuration(self.folder))
        with open(os.path.join(self.folder, 'dictionary'), 'w', encoding='utf-8'):
            pass  # no attributes of its own
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.rig.stop(self.process)

    def start(self):
        with open(self.log, 'w', encoding='utf-8') as log:
            self.process = self.rig.start(DUT, 'freeradius', '-f', '-l', 'stdout', '-d', self.folder, stdout=log,
                                          stderr=log)
        deadline = time.monotonic() + PATIENCE
        while 'Ready to process requests' not in self.said():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise TooLate('FreeRADIUS does not start:\n' + self.said()[-2000:])
            time.sleep(0.05)

    def stop(self):
        self.rig.stop(self.process)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def said(self):
        with open(self.log, encoding='utf-8', errors='replace') as log:
            return log.read()

    def waiting(self):
        """The text of the files with requests that rncd-told has not answered yet."""
        folder = os.path.join(self.folder, 'radacct', 'rncd-told')
        found = ''
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                found += file.read()
        return found

    def account(self, **attributes):
        """Sends a request as the NAS, by radclient, and waits for FreeRADIUS' response."""
        text = ', '.join(f'{name.replace("_", "-")} = "{value}"' for name, value in attributes.items())
        self.rig.run(DUT, 'radclient', '-t', str(PATIENCE // 2), '-r', '1', f'{ADDRESS}:1813', 'acct', SHARED,
                     stdin=None, input=f'{text}, NAS-IP-Address = {NAS}, Packet-Src-IP-Address = {NAS}\n')

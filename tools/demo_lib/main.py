"""What tools/demo shows, once everything is installed and built."""
import os
import subprocess
import sys

import stage
from options import parse
from stage import rncd, say, wire


def main():
    options, demo = parse()
    wire.terminate_on_signals()
    socket_folder = os.path.isdir(os.path.dirname(stage.DEFAULT_SOCKET))
    say('demo: three network namespaces: core c0 -- d0 rncd d1 -- r0 radio')
    with demo.rig() if hasattr(demo, 'rig') else wire.Rig(demo.ues) as rig:
        if hasattr(demo, 'prepare'):
            demo.prepare(rig)
        box = stage.begin(rig, options.device, {'dataplane': f'  workers: {options.workers}\n', **demo.config()})
        try:
            demo.show(rig, box)
            if options.workers > 1:
                stage.show_workers(box)
            if options.hold:
                stage.hold(box, demo.commands() if hasattr(demo, 'commands') else ())
            say(f'  To look around while it runs: sudo {demo.again} (rncctl, metrics). Its log: '
                + os.path.relpath(box.log))
        finally:
            box.close()
            stage.remove_socket_folder(socket_folder)


if __name__ == '__main__':
    try:
        main()
    except KeyboardInterrupt:
        say('\ndemo: interrupted, everything is taken down')
        sys.exit(130)
    except (wire.RigError, rncd.RpcError, subprocess.SubprocessError, OSError, ValueError) as error:
        print(f'demo: {error}', file=sys.stderr)
        sys.exit(1)

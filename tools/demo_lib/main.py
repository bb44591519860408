"""The demonstrations of tools/demo, once everything is installed and built."""
import os
import subprocess
import sys

import around
import stage
from options import parse
from stage import rncd, say, wire


def dataplane(options, demo):
    """Only --kill shows the wire as it is by default; the others measure what passes through rncd."""
    patient = '' if getattr(demo, 'about_the_wire', False) else f'  wire: {{stale_after: {around.PATIENT}}}\n'
    return f'  workers: {options.workers}\n' + patient


def run(rig, options, demo):
    box = stage.begin(rig, options.device, {'dataplane': dataplane(options, demo), **demo.config()})
    try:
        verdict = demo.show(rig, box)
        if options.workers > 1:
            stage.show_workers(box)
        if options.hold:
            say(verdict.sentence())
            stage.hold(box, demo.commands() if hasattr(demo, 'commands') else (), getattr(demo, 'ue', stage.UE_V4))
        say(f'  To look around while it runs: sudo {demo.again} (rncctl, metrics). Its log: {os.path.relpath(box.log)}')
        return verdict
    except KeyboardInterrupt:
        box.hurry()
        raise
    finally:
        box.close()


def main():
    options, demo = parse()
    wire.terminate_on_signals()
    socket_folder = os.path.isdir(os.path.dirname(stage.DEFAULT_SOCKET))
    say('demo: three network namespaces: core c0 -- d0 rncd d1 -- r0 radio')
    with demo.rig() if hasattr(demo, 'rig') else wire.Rig(demo.ues) as rig:
        if hasattr(demo, 'prepare'):
            demo.prepare(rig)
        try:
            verdict = run(rig, options, demo)
        finally:
            stage.remove_socket_folder(socket_folder)
    say(verdict.sentence())
    return 0 if verdict.seen or not verdict.required else 1


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say('\ndemo: interrupted, everything is taken down')
        sys.exit(130)
    except (wire.RigError, rncd.RpcError, subprocess.SubprocessError, OSError, ValueError) as error:
        print(f'demo: {error}', file=sys.stderr)
        sys.exit(1)

"""Proves of each commit of a branch that it builds and passes by itself, for tools/check --each-commit RANGE."""
import os
import subprocess
import sys

import check

# The lints that take seconds, for each commit.
LINTS = ('layers', 'clock', 'format', 'paths', 'links', 'decisions', 'sizes', 'words', 'tests', 'dashboard')


def each_commit(commits):
    """Builds every commit in a tree of its own and runs its unit suite and its short lints."""
    tree = os.path.join(check.BUILD, 'each', 'tree')
    listed = subprocess.run(['git', '-C', check.ROOT, 'rev-list', '--reverse', commits], check=True, capture_output=True,
                            text=True).stdout.split()
    if not os.path.isdir(tree):
        os.makedirs(os.path.dirname(tree), exist_ok=True)
        subprocess.run(['git', '-C', check.ROOT, 'worktree', 'add', '--detach', '--force', tree], check=True, capture_output=True)
    bad = []
    for number, commit in enumerate(listed, 1):
        def git(*words):
            return subprocess.run(['git', '-C', tree, *words], check=True, capture_output=True, text=True).stdout.strip()
        git('checkout', '--detach', '--force', commit)
        subject = git('log', '-1', '--format=%h %s')
        print(f'each-commit: {number} of {len(listed)}: {subject}', flush=True)
        steps = [['tools/build'], ['/usr/bin/meson', 'test', '-C', 'build', '--print-errorlogs',
                                   *(word for word in check.words_for('unit') if word != '--print-errorlogs')]]
        steps += [[check.PYTHON, '-B', f'tools/lint/{lint}.py'] for lint in LINTS]
        for step in steps:
            done = subprocess.run(step, cwd=tree, capture_output=True, text=True, errors='replace', check=False)
            if done.returncode != 0:
                bad.append(f'{subject}: {" ".join(step[:2])}')
                print((done.stdout + done.stderr)[-3000:], flush=True)
                break
    for text in bad:
        print('FAILED: ' + text)
    print(f'{len(listed) - len(bad)} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit('check: --each-commit takes a range of commits, as in: tools/check --each-commit main..')
    sys.exit(each_commit(sys.argv[1]))

"""Pictures by gnuplot: NAME.csv, the script NAME.gp that draws it, and NAME.png and NAME.svg. The templates are those
of the lab's pictures (tools/lab/figures/plot.h)."""
import os
import re
import subprocess

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'gnuplot')


def quoted(text):
    """In CSV and in gnuplot's strings."""
    return '"' + re.sub(r'["\\\n]', "'", text) + '"'


def quoted_all(texts):
    """The elements of one of gnuplot's arrays."""
    return ', '.join(quoted(text) for text in texts)


def filled(template, **fillings):
    """A template with what stands between @s filled in."""
    with open(os.path.join(TEMPLATES, template + '.gp'), encoding='utf-8') as file:
        text = file.read()
    for key, value in fillings.items():
        text = text.replace(f'@{key}@', str(value))
    return text


def draw(folder, name, csv, commands, size, kinds=('png', 'svg')):
    """The commands find the data under the name `data`, below one line of names. Returns where the first picture is."""
    os.makedirs(folder, exist_ok=True)
    for ending, content in (('csv', csv), ('gp', filled('head', NAME=name, SIZE=size) + commands)):
        with open(os.path.join(folder, f'{name}.{ending}'), 'w', encoding='utf-8') as file:
            file.write(content)
    for kind in kinds:
        done = subprocess.run(['gnuplot', '-e', f"format='{kind}'", name + '.gp'], cwd=folder, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            raise RuntimeError(f'gnuplot cannot draw {name}: {done.stderr}')
    return os.path.join(folder, f'{name}.{kinds[0]}')

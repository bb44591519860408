#!/usr/bin/python3
"""Makes text files part of a program: embed.py OUTPUT.cc FILE... defines lab::embedded_file().

A scenario has its file's name, any other file its folder's, too: papers/000.yaml.
"""
import os
import sys


def literal(text):
    return 'R"__yaml__(' + text + ')__yaml__"'


def name_of(path):
    folder, name = os.path.split(path)
    folder = os.path.basename(folder)
    return name if folder == 'scenarios' else f'{folder}/{name}'


def main(output, paths):
    entries = []
    for path in paths:
        with open(path, encoding='utf-8') as file:
            entries.append(f'    {{"{name_of(path)}", {literal(file.read())}}},\n')
    with open(output, 'w', encoding='utf-8') as file:
        file.write('#include "tools/lab/figures/embedded.h"\n\n'
                   'namespace lab {\nnamespace {\n\n'
                   'struct File {\n  std::string_view name, text;\n};\n'
                   'constexpr File kFiles[] = {\n' + ''.join(entries) + '};\n\n}  // namespace\n\n'
                   'std::string_view embedded_file(std::string_view name) {\n'
                   '  for (const File& file : kFiles) {\n    if (file.name == name) return file.text;\n  }\n'
                   '  return {};\n}\n\n}  // namespace lab\n')


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])

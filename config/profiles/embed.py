#!/usr/bin/python3
"""Makes the profiles part of the program: embed.py OUTPUT.cc POLICY.yaml... defines config::kProfileFiles."""
import os
import sys


def entry(path):
    with open(path, encoding='utf-8') as file:
        policy = os.path.splitext(os.path.basename(path))[0]
        return f'    {{"{policy}", R"__yaml__({file.read()})__yaml__"}},\n'


def main(output, paths):
    with open(output, 'w', encoding='utf-8') as file:
        file.write('#include "config/profiles/profile_files.h"\n\nnamespace config {\nnamespace {\n\n'
                   'constexpr ProfileFile kFiles[] = {\n' + ''.join(map(entry, paths)) + '};\n\n}  // namespace\n\n'
                   'std::span<const ProfileFile> profile_files() { return kFiles; }\n\n}  // namespace config\n')


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])

#!/usr/bin/python3
"""Makes the compiled XDP program part of the library: object.py OUTPUT.cc OBJECT defines dp::xdp::wire_object()."""
import sys


def main(output, path):
    with open(path, 'rb') as file:
        content = file.read()
    with open(output, 'w', encoding='utf-8') as file:
        file.write('#include "dataplane/xdp/object.h"\n\nnamespace dp::xdp {\nnamespace {\n\n'
                   '// As libbpf reads it in place, it is aligned like an ELF file in memory.\n'
                   'alignas(8) constexpr unsigned char kObject[] = {\n')
        for at in range(0, len(content), 24):
            file.write('    ' + ''.join(f'{byte},' for byte in content[at:at + 24]) + '\n')
        file.write('};\n\n}  // namespace\n\nstd::span<const unsigned char> wire_object() { return kObject; }\n\n'
                   '}  // namespace dp::xdp\n')


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])

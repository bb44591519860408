#!/usr/bin/python3
"""Makes the compiled XDP programs part of the library: object.py OUTPUT.cc PLAIN READS_TAGS defines
dp::xdp::wire_object()."""
import sys


def main(output, plain, reads_tags):
    with open(output, 'w', encoding='utf-8') as file:
        file.write('#include "dataplane/xdp/object.h"\n\nnamespace dp::xdp {\nnamespace {\n\n'
                   '// Aligned like an ELF file in memory, since libbpf reads them in place.\n')
        for name, path in (('kPlain', plain), ('kReadsTags', reads_tags)):
            with open(path, 'rb') as compiled:
                content = compiled.read()
            file.write(f'alignas(8) constexpr unsigned char {name}[] = {{\n')
            for at in range(0, len(content), 24):
                file.write('    ' + ''.join(f'{byte},' for byte in content[at:at + 24]) + '\n')
            file.write('};\n')
        file.write('\n}  // namespace\n\n'
                   'std::span<const unsigned char> wire_object(bool reads_tags) {\n'
                   '  return reads_tags ? std::span<const unsigned char>(kReadsTags) : kPlain;\n}\n\n'
                   '}  // namespace dp::xdp\n')


if __name__ == '__main__':
    main(*sys.argv[1:])

"""The kernel's BPF objects, read by libbpf."""
import ctypes
import os


def count_maps(prefix):
    """The number of maps with this prefix of their name, in all network namespaces."""
    bpf = ctypes.CDLL('libbpf.so.1', use_errno=True)
    number, found = ctypes.c_uint32(0), 0
    while bpf.bpf_map_get_next_id(number, ctypes.byref(number)) == 0:
        fd = bpf.bpf_map_get_fd_by_id(number)
        if fd < 0:
            continue
        info, size = ctypes.create_string_buffer(128), ctypes.c_uint32(128)
        bpf.bpf_obj_get_info_by_fd(fd, info, ctypes.byref(size))
        found += info.raw[24:39].startswith(prefix.encode())  # bpf_map_info's name
        os.close(fd)
    return found

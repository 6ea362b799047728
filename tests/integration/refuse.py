# SPDX-License-Identifier: GPL-2.0-only
"""Runs a program under a seccomp filter that answers one system call with an error.

    refuse.py ERRNO NUMBER PROGRAM [ARGUMENT...]
"""

import ctypes
import os
import struct
import sys

LOAD_NUMBER, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06  # linux/filter.h
ALLOW, ERRNO = 0x7FFF0000, 0x00050000  # linux/seccomp.h
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2

code, number = int(sys.argv[1]), int(sys.argv[2])
instructions = [(LOAD_NUMBER, 0, 0, 0), (JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | code),
                (RETURN, 0, 0, ALLOW)]
filter_bytes = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *i) for i in instructions))


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


libc = ctypes.CDLL(None, use_errno=True)
program = Program(len(instructions), ctypes.cast(filter_bytes, ctypes.c_void_p))
libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
if libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0):
    sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[3], sys.argv[3:])

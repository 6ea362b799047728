# SPDX-License-Identifier: GPL-2.0-only
"""The programs of tests/harm, one a line: what each does, and what must come of it.

A program prints the same at each run, up to its last line, "calls FUNCTION N ...": how often it has
called functions of the catalogue. It ends with 77, and the reason as its first line, where this
machine cannot run it.

To add one: a source in programs/, a line here. C and C++ include programs/harm.h, which counts.
"""

import collections

# How programs end: those that are told to end in a call, with 42.
GOOD = (0, 42)

# kind: of what it is one; the machines of other kernels run what is `brief` of each kind.
# source: in programs/; its suffix says the language. more: further sources.
# flags: for the compiler, behind the usual ones.
# needs: files or commands that it is built or run with, and Debian's package of each.
# args, wrap: what the program is given, and the command that it is an argument of; {program} is the
#   program's path, {library} the library's, {out} a file that is its own; {tmtrace} and {catalogue} are known.
# traced: the file with the traced functions, where it is not the suite's library. The catalogue
#   (harm.yaml) knows it by its name.
# own: a copy of the library that no other program uses.
# told: may end by SIGTRAP, if the tracer says so and why (docs/safety.md).
# keeps: lines of standard output that count, as a regular expression; the others are a debugger's.
# slow: too slow for emulated kernels, why.
Program = collections.namedtuple(
    "Program", "name kind source more flags needs args wrap traced own told keeps brief slow")


def program(name, kind, source, **others):
    defaults = {"more": (), "flags": (), "needs": (), "args": (), "wrap": (), "traced": None,
                "own": False, "told": False, "keeps": None, "brief": False, "slow": None}
    return Program(name, kind, source, **{**defaults, **others})


GDB = ("gdb", "-q", "-batch", "-nx", "-ex", "set debuginfod enabled off", "-ex", "break marker",
       "-ex", "run", "-ex", "bt", "-ex", "finish", "-ex", "delete", "-ex", "continue",
       "--args", "{program}")
FAST = ("{tmtrace}", "--returns=fast", "--probes", "{catalogue}", "--layer", "harm",
        "--lib", "harm={library}", "--json", "/dev/null", "--", "{program}")
OURS = r"(sum|written|calls|status|stepped|stopped)\b.*"
STATIC_CXX = ("-static-libgcc", "-static-libstdc++")
# Before libgcc_s, which libstdc++ brings: the first one that has a function is used.
LLVM_UNWIND = ("-Wl,--no-as-needed", "-l:libunwind.so.1", "-Wl,--as-needed")
DEBIAN_LIB = "/usr/lib/x86_64-linux-gnu"
LLVM_LIB = "/usr/lib/llvm-14/lib"

PROGRAMS = (
    # Unwinders
    program("cxx", "exceptions", "exception.cpp", brief=True),
    program("cxx_static_unwinder", "exceptions", "exception.cpp", flags=STATIC_CXX),
    program("cxx_stripped", "exceptions", "exception.cpp", flags=(*STATIC_CXX, "-s")),
    program("static_cxx", "exceptions", "static_exception.cpp", flags=("-static",),
            traced="{program}"),
    program("cxx_llvm", "exceptions", "exception.cpp", flags=LLVM_UNWIND,
            needs=((f"{DEBIAN_LIB}/libunwind.so.1", "libunwind-14"),)),
    program("cxx_llvm_static", "exceptions", "exception.cpp",
            flags=("-nodefaultlibs", "-l:libstdc++.a", f"{LLVM_LIB}/libunwind.a", "-lgcc", "-lm",
                   "-lc"),
            needs=((f"{LLVM_LIB}/libunwind.a", "libunwind-14-dev"),)),
    program("cxx_in_handler", "exceptions", "exception_signal.cpp",
            flags=("-fnon-call-exceptions",)),
    program("rust_panic", "exceptions", "panic.rs", needs=(("rustc", "rustc"),)),
    program("fortran", "exceptions", "fortran.cpp", more=("callback.f90",),
            flags=("-lgfortran",), needs=(("gfortran", "gfortran"),)),
    program("mpi", "exceptions", "mpi_throw.cpp", traced=f"{DEBIAN_LIB}/libmpi.so",
            flags=("-DOMPI_SKIP_MPICXX", f"-I{DEBIAN_LIB}/openmpi/include", "-lmpi"),
            needs=((f"{DEBIAN_LIB}/openmpi/include/mpi.h", "libopenmpi-dev"),)),
    program("hdf5", "exceptions", "hdf5_throw.cpp", traced=f"{DEBIAN_LIB}/libhdf5_serial.so",
            flags=("-I/usr/include/hdf5/serial", "-lhdf5_serial"),
            needs=(("/usr/include/hdf5/serial/hdf5.h", "libhdf5-dev"),)),
    program("forced_unwind", "exceptions", "forced_unwind.c", flags=("-fexceptions",)),
    program("cancel", "threads", "cancel.c", flags=("-fexceptions",), brief=True),
    program("thread_exit", "threads", "thread_exit.c", flags=("-fexceptions",)),
    program("backtrace", "own_stack", "backtrace.c", brief=True),
    program("profiler", "own_stack", "profiler.c"),
    program("return_address", "own_stack", "return_address.c"),
    # Ways out of a call
    program("longjmp", "jumps", "longjmp.c", brief=True),
    program("handler_context", "jumps", "handler_context.c"),
    program("fault", "jumps", "fault.c"),
    program("tail", "jumps", "tail.c"),
    program("recursion", "jumps", "recursion.c"),
    # Stacks
    program("preempt", "stacks", "preempt.c", brief=True),
    program("main_stack", "stacks", "coroutines.c", flags=("-DMAIN_STACK",), brief=True),
    program("heap_stacks", "stacks", "coroutines.c"),
    program("stack_copy", "stacks", "stack_copy.c"),
    program("ucontext", "stacks", "ucontext.c"),
    program("boost", "stacks", "boost.cpp", flags=("-lboost_context",),
            needs=(("/usr/include/boost/context/fiber.hpp", "libboost-context1.74-dev"),)),
    program("greenlet", "stacks", "greenlets.py", args=("{library}",),
            needs=(("/usr/lib/python3/dist-packages/greenlet", "python3-greenlet"),)),
    program("go_cgo", "stacks", "cgo.go", needs=(("go", "golang-go"),)),
    program("go_stacks", "stacks", "gostacks.go", traced="{program}",
            needs=(("go", "golang-go"),)),
    program("alternate", "signals", "alternate.c"),
    program("disarm", "signals", "alternate.c", flags=("-DDISARM",), brief=True),
    program("overflow", "signals", "overflow.c"),
    program("storm", "signals", "storm.c"),
    # Processes and threads
    program("children", "processes", "children.c", brief=True),
    program("killed", "processes", "killed.c"),
    program("exit_inside", "processes", "exit_inside.c"),
    program("threads_6000", "threads", "threads.c", args=("6000",),
            slow="6,000 threads take minutes in emulation"),
    program("reload", "libraries", "reload.c", args=("{library}",), brief=True),
    program("limits", "limits", "limits.c", brief=True),
    # Confinement, debuggers
    program("strict", "seccomp", "strict.c", brief=True),
    program("filter", "seccomp", "filter.c"),
    program("dispatch", "seccomp", "dispatch.c"),
    program("stepped", "debuggers", "stepped.c", keeps=OURS),
    program("gdb", "debuggers", "plain.c", flags=("-g",), wrap=GDB, keeps=OURS,
            needs=(("gdb", "gdb"),), slow="gdb takes half a minute in emulation"),
    program("strace", "debuggers", "plain.c", wrap=("strace", "-f", "-o", "{out}", "{program}"),
            needs=(("strace", "strace"),), brief=True),
    # Another tracer of the same functions, by return probes; nothing that these would break
    program("beside_fast", "debuggers", "odd_code.c", wrap=FAST),
    # Code
    program("registers", "code", "registers.c"),
    program("avx", "code", "avx.c", flags=("-mno-avx",), brief=True),
    program("odd_code", "code", "odd_code.c"),
    program("own_text", "code", "own_text.c"),
    program("moved_text", "copied_code", "moved_text.c", own=True, told=True, brief=True),
    program("copied_text", "copied_code", "copied_text.c", own=True, told=True),
    # Those that are known to: their library is left alone
    program("known_mover", "known_copiers", "moved_text.c", own=True, brief=True,
            flags=("-DCOPIER=MapStaticCodeToLargePages",)),
    program("known_hook", "known_copiers", "copied_text.c", own=True,
            flags=("-DCOPIER=funchook_install",)),
    program("valgrind", "known_copiers", "plain.c", own=True, keeps=OURS,
            wrap=("valgrind", "-q", "{program}"), needs=(("valgrind", "valgrind"),),
            slow="valgrind takes half a minute in emulation"),
)

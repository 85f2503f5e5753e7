"""What a process takes from itself before it reads hostile bytes.

Limits come first, then the lock: from then on the kernel refuses sockets, files by name, programs, processes and
whatever reaches out of the process. It goes on with the pipes, memory and code that it has. Where the kernel does not
let a process lock itself (another system or processor, a sandbox without seccomp), the limits alone hold.
"""

import ctypes
import platform
import resource
import signal
import struct
from contextlib import suppress
from types import MappingProxyType

_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
_OPEN_FILES = 64

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
"""Classic BPF: load a word, jump if equal, jump if greater or equal, return."""
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050001, 0x80000000
"""What seccomp does with a call; refusing gives the error EPERM."""
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4
_INSTRUCTION = struct.Struct("HBBI")
_X32_CALLS = 0x40000000

# open creat openat openat2 open_by_handle_at, then socket connect accept sendto sendmsg bind listen socketpair accept4
# sendmmsg, clone fork vfork execve execveat clone3, kill tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_*, ptrace
# process_vm_*, limits, what changes a file by name or size, mounts and namespaces, shared memory and queues, keys,
# bpf perf userfaultfd memfd io_uring.
_CALLS_X86_64 = (
    2, 85, 257, 437, 304, 41, 42, 43, 44, 46, 49, 50, 53, 288, 307, 56, 57, 58, 59, 322, 435, 62, 200, 129, 297, 424,
    434, 438, 101, 310, 311, 160, 302, 76, 77, 82, 83, 84, 86, 87, 88, 90, 91, 92, 93, 94, 133, 258, 259, 260, 263, 264,
    265, 266, 268, 316, 165, 166, 272, 308, 161, 155, 29, 30, 64, 68, 240, 248, 249, 250, 321, 298, 323, 319, 425, 426,
    427,
)  # fmt: skip
_CALLS_AARCH64 = (
    56, 437, 265, 198, 203, 202, 206, 211, 200, 201, 199, 242, 269, 220, 221, 281, 435, 129, 130, 138, 240, 424, 434,
    438, 117, 270, 271, 164, 261, 45, 46, 33, 34, 35, 36, 37, 38, 52, 53, 54, 55, 276, 40, 39, 97, 268, 51, 41, 194,
    196, 190, 186, 180, 217, 218, 219, 280, 241, 282, 279, 425, 426, 427,
)  # fmt: skip
_FILTERS: MappingProxyType[str, tuple[int, tuple[int, ...]]] = MappingProxyType(
    {"x86_64": (0xC000003E, _CALLS_X86_64), "aarch64": (0xC00000B7, _CALLS_AARCH64)}
)
"""By machine: what the kernel calls its architecture, and the numbers of the calls that are refused."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def limit(memory_bytes: int, cpu_seconds: int) -> None:
    """Set what the process may use in its life: address space, processor time, no new files, no core file."""
    for what, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
    ):
        _, hard = resource.getrlimit(what)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        # Not every system that a laptop runs knows every one of them.
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (allowed, allowed))


def start_budget(cpu_seconds: float) -> None:
    """End the process by a signal once it has used so much more processor time; 0 takes the budget off again."""
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)


def lock() -> bool:
    """Give up new privileges and lock the process; says whether the kernel did lock it. There is no way back."""
    if platform.system() != "Linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    known = _FILTERS.get(platform.machine())
    if known is None:
        return False
    instructions = _filter(*known)
    memory = ctypes.create_string_buffer(instructions, len(instructions))
    program = _Program(len(instructions) // _INSTRUCTION.size, ctypes.addressof(memory))
    return bool(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def _filter(architecture: int, calls: tuple[int, ...]) -> bytes:
    """Write the filter: another architecture's calls end the process, listed ones and the x32 twins are refused."""
    count = len(calls)
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, count + 1, 0, _X32_CALLS),
        *((_EQUAL, count - at, 0, call) for at, call in enumerate(calls)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(_INSTRUCTION.pack(*instruction) for instruction in program)

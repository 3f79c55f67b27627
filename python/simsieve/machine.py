"""What this machine has: its cores, its free memory, its loopback, the memory of the process, versions of its files."""

import os
import sys
from ipaddress import ip_address
from pathlib import Path


def cores() -> int:
    """Count the cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def stamp(path: str) -> tuple[int, ...]:
    """Return what distinguishes a file from its later versions: device, number, size and time of the last change."""
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def available_bytes() -> int | None:
    """Return the free memory in bytes, within the process's control group; None where the system does not report it."""
    lines = _lines("/proc/meminfo")
    bounds = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        values = [line for path in (limit, used) for line in _lines(path)[:1]]
        if len(values) == len((limit, used)) and all(value.isdigit() for value in values):
            bounds.append(max(int(values[0]) - int(values[1]), 1))
    return min(bounds, default=None)


def peak_rss_bytes() -> int:
    """Return the peak memory of the process in bytes; 0 where the system does not report it."""
    # Linux's own account first: getrusage would also count what a parent held when it forked us.
    for line in _lines("/proc/self/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    try:
        import resource  # noqa: PLC0415 - some systems have no such module
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def resident_bytes() -> tuple[int, int] | None:
    """Return the anonymous memory that the process holds now, and its pages of mapped files; None where not counted."""
    # The system can take back mapped pages at any time, so only anonymous memory counts for a bound.
    sizes = {}
    for line in _lines("/proc/self/status"):
        name, _, rest = line.partition(":")
        if name in ("RssAnon", "RssFile", "RssShmem"):
            sizes[name] = int(rest.split()[0]) * 1024
    return (sizes.pop("RssAnon"), sum(sizes.values())) if "RssAnon" in sizes else None


def _lines(path: str) -> list[str]:
    """The lines of a file of the system; none where there is no such file."""
    try:
        return Path(path).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def bracketed(host: str) -> str:
    """A host as it is in addresses."""
    return f"[{host}]" if ":" in host else host

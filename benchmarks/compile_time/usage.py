"""What a command takes: shared by the benchmarks of compilers."""
import os
import shlex
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]


def used_by(words):
    """The resources that a command takes. Its memory is that of its largest process."""
    process = subprocess.Popen(words, cwd=root)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(Path(sys.argv[0]).name + ": " + shlex.join(words) + " failed")
    return usage

"""Run a command and write to a file its exit status, the most KiB of memory that it took, and
its CPU seconds.

usage: python3 -S peak_memory.py FILE COMMAND...

A process inherits the peak of the one that starts it; this one is small.
"""
import os
import sys

pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
os.close(0)  # so that the writer of the command's input notices its end
_, status, used = os.wait4(pid, 0)
with open(sys.argv[1], 'w', encoding='ascii') as report:
    print(os.waitstatus_to_exitcode(status), used.ru_maxrss, used.ru_utime + used.ru_stime,
          file=report)

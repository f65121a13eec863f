"""Keeper of processes: a small process below which all stays that it starts, daemons and orphans too, and ends with it.

    with Kept(["slurmd", "-D"], log) as node: ...      # from Python
    kept_processes.py LOG PROGRAM ARGUMENT...          # the keeper itself; ends when its standard input closes

The keeper is the reaper of what its descendants leave behind (PR_SET_CHILD_SUBREAPER), so a daemon that forks twice stays
in its tree. Its standard input is a pipe from whoever started it. When that pipe closes, by kill() or by any end of
the other process, SIGKILL too, the keeper stops its whole tree, kills it by process id and exits. Linux only.
"""
import ctypes
import os
import pathlib
import select
import signal
import subprocess
import sys

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


class Kept:
    """A program and all it starts, until kill() or until this process ends."""

    def __init__(self, command, log, env=None, cwd=None):
        self.keeper = subprocess.Popen([sys.executable, "-I", "-S", "-B", __file__, str(log), *map(str, command)],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=cwd)
        self.pid = int(self.keeper.stdout.readline() or 0)  # of the program; 0: it cannot be started, the log says why
        self.keeper.stdout.close()

    def running(self):
        return self.keeper.poll() is None and self.pid in descendants(self.keeper.pid)

    def kill(self):
        """SIGKILL to the program and to all below it, as if the machine lost its power. Twice is no error."""
        self.keeper.stdin.close()
        self.keeper.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def parents():
    """The parent of each process that lives, by id."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            # The name in parentheses may hold anything, blanks and parentheses too.
            state, parent = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue  # it ended
        if state not in "ZX":  # dead, not yet collected
            found[int(folder.name)] = int(parent)
    return found


def descendants(root):
    """Ids of all processes below `root`, those nearest to it first."""
    children = {}
    for pid, parent in parents().items():
        children.setdefault(parent, []).append(pid)
    found = list(children.get(root, ()))
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def reap():
    """Collects what ended; False: no children are left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    except ChildProcessError:
        return False


def end_tree():
    """All below this process: stopped first, so that none sees another one end, then killed."""
    stopped = set()
    while fresh := set(descendants(os.getpid())) - stopped:
        for pid in fresh:
            send(pid, signal.SIGSTOP)
        stopped |= fresh
    for pid in stopped:
        send(pid, signal.SIGKILL)
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def keep(log, command):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the pipe alone ends the keeper
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        sys.exit("kept_processes: PR_SET_CHILD_SUBREAPER is refused")
    wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake_write)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with open(log, "ab") as out:
        try:
            pid = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
                                   preexec_fn=own_signals).pid
        except OSError as error:
            out.write(f"{error}\n".encode())
            pid = 0
    print(pid, flush=True)
    os.close(1)
    while True:
        ready = select.select([0, wake_read], [], [])[0]
        if wake_read in ready:
            os.read(wake_read, 4096)
            reap()
        if 0 in ready and not os.read(0, 4096):
            break
    end_tree()


def own_signals():
    """Undoes for the program what the keeper ignores."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    keep(sys.argv[1], sys.argv[2:])

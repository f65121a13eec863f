"""A whole Slurm cluster on this machine, in one folder, for tests.

    with Cluster(folder, [Node("n0", features="zen5"), Node("n1", features="zen5,big")]) as cluster:
        cluster.run("sbatch", "--parsable", "--wrap=hostname")

Any user; no systemd. munged, one slurmctld and a slurmd for each node, all on 127.0.0.1 and on free ports. Nothing outside
the folder is written. Every process hangs below a keeper (kept_processes.py), one for each node: what the daemons and
the jobs start ends with the keeper, whatever ends the test. Times are short, so that a lost node is found in seconds.

Tasks of a node have a TMPDIR of their own, FOLDER/disk/NODE: its local disk, which is lost with it.
"""
import dataclasses
import getpass
import os
import pathlib
import shutil
import socket
import subprocess
import time

from kept_processes import Kept, descendants

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo", "scancel")
ADMIN_FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/sbin")  # where daemons lie, which PATH of a user may lack
START_SECONDS = 60  # for all nodes to be idle; it takes two
ATTEMPTS = 3  # of a start: another program may take a free port before we do
PRINTED_LOG_LINES = 8


class ClusterError(Exception):
    """A cluster that does not start, or a program of it that fails."""


@dataclasses.dataclass(frozen=True)
class Node:
    name: str
    cpus: int = 1
    features: str = ""


@dataclasses.dataclass(frozen=True)
class Element:
    """A job, or an element of an array, as squeue has it."""
    id: str
    state: str
    node: str
    reason: str
    name: str


def search_path():
    return os.pathsep.join([os.environ.get("PATH", ""), *ADMIN_FOLDERS])


def missing_programs():
    return [name for name in PROGRAMS if not shutil.which(name, path=search_path())]


def wait_until(condition, seconds, what):
    """The first true answer of `condition`. After `seconds` an error that names `what`: a hang, nothing else."""
    end = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > end:
            raise ClusterError(f"no {what} in {seconds} s")
        time.sleep(0.1)
    return answer


def free_ports(count):
    """Ports that nothing listens on, all different."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]
    finally:
        for s in sockets:
            s.close()


def last_lines(path):
    return path.read_text(errors="replace").splitlines()[-PRINTED_LOG_LINES:] if path.exists() else []


class Cluster:
    """A cluster; `settings` replace lines of slurm.conf, such as MaxArraySize=4."""

    def __init__(self, folder, nodes, **settings):
        self.folder = pathlib.Path(folder).resolve()
        self.nodes = {node.name: node for node in nodes}
        self.settings = settings
        self.kept = {}  # of "munged", "slurmctld" and each node
        inherited = {name: value for name, value in os.environ.items()
                     if not name.startswith(("SLURM", "SBATCH_", "SQUEUE_", "SINFO_", "SCANCEL_"))}
        self.env = {**inherited, "PATH": search_path(), "SLURM_CONF": str(self.folder / "slurm.conf"), "LC_ALL": "C.UTF-8"}

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    # Start and stop.

    def start(self):
        """All daemons; returns when all nodes are idle."""
        for attempt in range(ATTEMPTS):
            try:
                self._start_once()
                return
            except ClusterError as error:
                logs = self.printed_logs()
                self.stop()
                if attempt == ATTEMPTS - 1:
                    raise ClusterError(f"{error}\n{logs}") from None
            except BaseException:
                self.stop()
                raise

    def _start_once(self):
        for name in ("munge", "state", "log", "spool", "disk"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for path in (self.folder, self.folder / "munge"):
            path.chmod(0o755)  # munged asks for it
        key = self.folder / "munge/key"
        if not key.exists():
            with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(os.urandom(128))
        self._write_configuration()
        munge = self.folder / "munge"
        self._keep("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}/socket",
                   f"--pid-file={munge}/pid", f"--log-file={self.folder}/log/munged.log", f"--seed-file={munge}/seed")
        self._wait_for_daemon("munged", (munge / "socket").exists)
        self.start_controller()
        for name in self.nodes:
            self.start_node(name)
        self.wait_until(lambda: self.idle_nodes() >= set(self.nodes), START_SECONDS, "idle nodes")

    def _write_configuration(self):
        folder, user, host = self.folder, getpass.getuser(), socket.gethostname().split(".")[0]
        controller_port, *node_ports = free_ports(1 + len(self.nodes))
        prolog = folder / "task_prolog"
        prolog.write_text('#!/bin/sh\n# A task gets the disk of its node.\n'
                          f'disk="{folder}/disk/$SLURMD_NODENAME"\nmkdir -p "$disk" && echo "export TMPDIR=$disk"\n')
        prolog.chmod(0o755)
        lines = {
            "ClusterName": "halftone_test",
            "SlurmctldHost": f"{host}(127.0.0.1)",
            "SlurmctldPort": controller_port,
            "CommunicationParameters": "NoCtldInAddrAny,NoInAddrAny",
            "SlurmUser": user,
            "SlurmdUser": user,
            "AuthType": "auth/munge",
            "AuthInfo": f"socket={folder}/munge/socket,cred_expire=5",  # a requeued job waits so long
            "CredType": "cred/munge",
            "StateSaveLocation": folder / "state",
            "SlurmctldPidFile": folder / "slurmctld.pid",
            "SlurmctldLogFile": folder / "log/slurmctld.log",
            "SlurmdSpoolDir": folder / "spool/%n",
            "SlurmdPidFile": folder / "slurmd.%n.pid",
            "SlurmdLogFile": folder / "log/slurmd.%n.log",
            "SlurmdParameters": "config_overrides",
            "ProctrackType": "proctrack/linuxproc",
            "TaskPlugin": "task/none",
            "TaskProlog": prolog,
            "SwitchType": "switch/none",
            "MpiDefault": "none",
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_Core",
            "JobAcctGatherType": "jobacct_gather/none",
            "AccountingStorageType": "accounting_storage/none",
            "JobCompType": "jobcomp/filetxt",
            "JobCompLoc": folder / "jobcomp.log",
            "MailProg": "/bin/true",
            "ReturnToService": 2,
            "SlurmdTimeout": 6,
            "KillWait": 2,
            "MinJobAge": 86400,
            "SchedulerParameters": "batch_sched_delay=1,sched_interval=1,bf_interval=1",
            **self.settings,
        }
        text = [f"{name}={value}" for name, value in lines.items()]
        for node, port in zip(self.nodes.values(), node_ports):
            text.append(f"NodeName={node.name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={node.cpus} "
                        f"RealMemory=1000" + (f" Features={node.features}" if node.features else ""))
        text.append(f"PartitionName=all Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE State=UP")
        (folder / "slurm.conf").write_text("\n".join(text) + "\n")

    def stop(self):
        """All processes, by SIGKILL. The folder stays, with the logs."""
        for kept in reversed(list(self.kept.values())):
            kept.kill()
        self.kept.clear()
        (self.folder / "munge/socket").unlink(missing_ok=True)

    # Daemons, each with all that runs below it.

    def start_controller(self):
        """A controller that answers; it goes on with the state of the last one."""
        self._keep("slurmctld", "-D")
        self._wait_for_daemon("slurmctld", lambda: self._succeeds("scontrol", "ping"))

    def kill_controller(self):
        self.kept.pop("slurmctld").kill()

    def start_node(self, name):
        (self.folder / "spool" / name).mkdir(exist_ok=True)
        self._keep("slurmd", "-D", "-N", name, name=name)

    def kill_node(self, name):
        """slurmd, its steps and their tasks at once, and its disk: what no one published is lost."""
        self.kept.pop(name).kill()
        shutil.rmtree(self.folder / "disk" / name, ignore_errors=True)

    def disk(self, name):
        """TMPDIR of the tasks of a node."""
        return self.folder / "disk" / name

    def processes(self, name):
        """Ids of a daemon ("munged", "slurmctld", a node) and of all below it, with their command lines."""
        found = {}
        for pid in descendants(self.kept[name].keeper.pid):
            try:
                found[pid] = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
            except OSError:
                pass  # it ended
        return found

    def _keep(self, program, *arguments, name=None):
        name = name or program
        path = shutil.which(program, path=search_path())
        if not path:
            raise ClusterError(f"{program} is not installed")
        self.kept[name] = Kept([path, *arguments], self.folder / f"log/{name}.out", env=self.env, cwd=self.folder)

    def _wait_for_daemon(self, name, ready):
        def ended_or_ready():
            if not self.kept[name].running():
                raise ClusterError(f"{name} ended")
            return ready()
        self.wait_until(ended_or_ready, START_SECONDS, f"answer of {name}")

    def printed_logs(self):
        return "\n".join(f"{path.name}: {line}" for path in sorted((self.folder / "log").glob("*")) for line in last_lines(path))

    # Questions.

    def run(self, *command, check=True, seconds=60, env=None, cwd=None):
        """A finished program that sees this cluster, with its output as text."""
        ended = subprocess.run([str(word) for word in command], env={**self.env, **(env or {})}, cwd=cwd or self.folder,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
        if check and ended.returncode:
            raise ClusterError(f"{' '.join(ended.args)}: exit code {ended.returncode}: {ended.stderr.strip()}")
        return ended

    def _succeeds(self, *command):
        try:
            return self.run(*command, check=False, seconds=10).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def idle_nodes(self):
        return self._nodes_in("idle")

    def resume_nodes(self):
        """What an administrator does after a controller that lost its state put nodes out of service."""
        for name in self._nodes_in("drained,draining"):
            self.run("scontrol", "update", f"nodename={name}", "state=resume", check=False)

    def _nodes_in(self, states):
        """Names; none while the controller does not answer."""
        try:
            return set(self.run("sinfo", "-h", "-N", "-t", states, "-o", "%N", seconds=10).stdout.split())
        except (ClusterError, subprocess.TimeoutExpired):
            return set()

    def squeue(self, *options):
        """Elements in the queue, each one by itself; what ended is in it only with --states=all."""
        rows = self.run("squeue", "-h", "-r", "-o", "%i|%T|%N|%r|%j", *options).stdout.splitlines()
        return [Element(*row.split("|")) for row in rows]

    def details(self, job):
        """What the controller knows of a job or an element: name and value."""
        words = self.run("scontrol", "-o", "show", "job", job).stdout.split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def wait_until(self, condition, seconds, what):
        return wait_until(condition, seconds, what)

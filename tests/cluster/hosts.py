"""Several hosts on one machine: network namespaces, each with an address and a host name of its
own, joined by a bridge, and mpirun across them. For Linux, as root.

    with Hosts(3) as hosts:
        done = hosts.mpirun(["build/release/commonplace-mpi", "version"])
        print(done.stdout)

Nothing of the machine's own network is touched: the bridge has a namespace to itself. All is
removed when the block is left, and what a killed run left behind when the next one begins.
"""
import ctypes
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile

PREFIX = "commonplace"


def why_not():
    """Why hosts cannot be made here, or None."""
    for program in ("ip", "unshare", "mpirun"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    if os.geteuid() != 0:
        return "network namespaces need root"
    name = f"{PREFIX}-{os.getpid()}-try"
    try:
        ip("netns", "add", name)
        ip("-n", name, "link", "add", "try", "type", "bridge")
        subprocess.run(["ip", "netns", "exec", name, "unshare", "--uts", "hostname", "try"],
                       check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        return f"network namespaces cannot be made: {error.stderr.strip()}"
    finally:
        subprocess.run(["ip", "netns", "delete", name], capture_output=True)
    return None


def ip(*arguments):
    return subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True).stdout


def sweep():
    """Removes the namespaces of processes that are gone."""
    for line in ip("netns", "list").splitlines():
        found = re.match(rf"{PREFIX}-(\d+)-\w+", line)
        if found and not pathlib.Path("/proc", found.group(1)).exists():
            remove(found.group(0))


def remove(namespace):
    listed = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True)
    for pid in listed.stdout.split():
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
    subprocess.run(["ip", "netns", "delete", namespace], capture_output=True)


def die_with_parent():
    """In a child: a test that is killed leaves no mpirun behind."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Hosts:
    """`names` and `addresses` are those of the hosts, in the order in which ranks fill them."""

    def __init__(self, count):
        number = os.getpid() % 250 + 1
        self.names = [f"host{i + 1}" for i in range(count)]
        self.addresses = [f"10.77.{number}.{i + 1}" for i in range(count)]
        self.network = f"10.77.{number}.0/24"
        self.namespaces = [f"{PREFIX}-{os.getpid()}-{name}" for name in self.names]
        self.switch = f"{PREFIX}-{os.getpid()}-switch"
        self.folder = None

    def __enter__(self):
        sweep()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="commonplace-hosts-"))
        try:
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for namespace in (*self.namespaces, self.switch):
            remove(namespace)
        shutil.rmtree(self.folder, ignore_errors=True)

    def build(self):
        ip("netns", "add", self.switch)
        ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
        ip("-n", self.switch, "link", "set", "bridge", "up")
        for name, address, namespace in zip(self.names, self.addresses, self.namespaces):
            ip("netns", "add", namespace)
            ip("link", "add", "eth0", "netns", namespace, "type", "veth",
               "peer", "name", name, "netns", self.switch)
            ip("-n", self.switch, "link", "set", name, "master", "bridge", "up")
            ip("-n", namespace, "address", "add", f"{address}/24", "dev", "eth0")
            ip("-n", namespace, "link", "set", "eth0", "up")
            ip("-n", namespace, "link", "set", "lo", "up")
        self.write_launcher()

    def write_launcher(self):
        """What mpirun calls instead of ssh: LAUNCHER ADDRESS COMMAND..."""
        cases = "\n".join(
            f"  {address}) name={name} namespace={namespace} ;;"
            for name, address, namespace in zip(self.names, self.addresses, self.namespaces))
        self.launcher = self.folder / "launch"
        self.launcher.write_text(f"""#!/bin/sh
case $1 in
{cases}
  *) echo "there is no host $1" >&2; exit 1 ;;
esac
shift
exec ip netns exec "$namespace" unshare --uts sh -c "hostname $name; $*"
""")
        self.launcher.chmod(0o755)

    def command(self, host, arguments):
        """The command that runs `arguments` on the host with this number."""
        return [str(self.launcher), self.addresses[host],
                "exec " + " ".join(shlex.quote(str(each)) for each in arguments)]

    def start(self, arguments, ranks=None, ranks_per_host=1, options=(), **popen):
        """mpirun on the first host, as a Popen; by default one rank on each host."""
        slots = ",".join(f"{address}:{ranks_per_host}" for address in self.addresses)
        # Ranks of one host may share memory; hosts have nothing but the network.
        mpirun = ["mpirun", "--allow-run-as-root", "--host", slots,
                  "-n", ranks or len(self.names) * ranks_per_host, "--oversubscribe",
                  "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", self.launcher,
                  "--mca", "btl", "tcp,self,vader" if ranks_per_host > 1 else "tcp,self",
                  "--mca", "btl_tcp_if_include", self.network,
                  "--mca", "btl_vader_single_copy_mechanism", "none",
                  "--mca", "oob_tcp_if_include", self.network,
                  "--mca", "orte_tmpdir_base", self.folder,
                  "--mca", "mpi_yield_when_idle", "1", *options, *arguments]
        return subprocess.Popen(self.command(0, mpirun), preexec_fn=die_with_parent, **popen)

    def mpirun(self, arguments, timeout=60, **options):
        """The same, as a CompletedProcess with its output; killed when the time is up."""
        process = self.start(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             **options)
        try:
            output, error = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, output, error)

    def processes(self, host, name):
        """The ids of the processes on a host that run the program of this name."""
        return [int(pid) for pid in ip("netns", "pids", self.namespaces[host]).split()
                if pathlib.Path(os.path.realpath(f"/proc/{pid}/exe")).name == name]

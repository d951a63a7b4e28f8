"""Two hosts that are network namespaces, and the cable between them."""

import os
import shutil
import subprocess


def _run(*command, check=True):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done


def missing():
    """Why two hosts cannot be made here; '' when they can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not shutil.which("ip") or not shutil.which("tc"):
        return "ip and tc are missing: apt-get install iproute2"
    try:
        with Cable():
            return ""
    except OSError as error:
        return str(error)


def missing_netem():
    """Why packets cannot be lost or delayed here; '' when they can."""
    reason = missing()
    if reason:
        return reason
    try:
        with Cable() as cable:
            cable.impair("loss", "1%")
            return ""
    except OSError:
        return "this kernel has no netem"


class Cable:
    """Hosts 1 and 2 at 10.78.0.1 and 10.78.0.2, joined by a switch in a third namespace: their own links stay up when
    it is cut. All of it goes when the `with` ends."""

    def __init__(self):
        self._names = [f"faults-{os.getpid()}-{part}" for part in ("switch", "1", "2")]

    def __enter__(self):
        try:
            self._lay()
        except OSError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self._names:
            _run("ip", "netns", "del", name, check=False)

    def _lay(self):
        switch, *hosts = self._names
        for name in self._names:
            _run("ip", "netns", "add", name)
            _run("ip", "-n", name, "link", "set", "lo", "up")
        _run("ip", "-n", switch, "link", "add", "bridge0", "type", "bridge", "forward_delay", "0")
        _run("ip", "-n", switch, "link", "set", "bridge0", "up")
        for number, host in enumerate(hosts, 1):
            _run("ip", "link", "add", f"port{number}", "netns", switch, "type", "veth", "peer", "name", "eth0", "netns", host)
            _run("ip", "-n", switch, "link", "set", f"port{number}", "master", "bridge0", "up")
            _run("ip", "-n", host, "addr", "add", f"10.78.0.{number}/24", "dev", "eth0")
            _run("ip", "-n", host, "link", "set", "eth0", "up")

    def on(self, number):
        """What starts a command on that host."""
        return ("ip", "netns", "exec", self._names[number])

    def cut(self):
        """Packets vanish; nobody is told."""
        _run("ip", "-n", self._names[0], "link", "set", "port2", "nomaster")

    def join(self):
        _run("ip", "-n", self._names[0], "link", "set", "port2", "master", "bridge0")

    def link(self, number, state):
        """The host's own link goes down or comes up, and it knows."""
        _run("ip", "-n", self._names[number], "link", "set", "eth0", state)

    def impair(self, *netem):
        """Both directions, as tc-netem(8) says: "loss", "1%"; none: as before."""
        for number in (1, 2):
            where = ("-n", self._names[0], "qdisc")
            _run("tc", *where, "del", "dev", f"port{number}", "root", check=False)
            if netem:
                _run("tc", *where, "add", "dev", f"port{number}", "root", "netem", *netem)

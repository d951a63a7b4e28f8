"""A network namespace for a suite: its ports and names of Unix sockets are nobody else's."""

import os
import sys

INSIDE = "VERBCAST_FAULTS_NETWORK"
OUTSIDE = "VERBCAST_FAULTS_OUTSIDE"  # a descriptor of the network namespace in which the suite was started


def enter():
    """Starts the script again in it. Root keeps its rights; others get a user namespace."""
    if os.environ.get(INSIDE) == os.readlink("/proc/self/ns/net"):
        return
    command = ["unshare", "--net", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net", "--mount"]
    script = (f'mount -t tmpfs tmpfs /run 2>/dev/null; ip link set lo up; '
              f'export {INSIDE}=$(readlink /proc/self/ns/net); exec "$0" "$@"')
    outside = os.open("/proc/self/ns/net", os.O_RDONLY)
    os.set_inheritable(outside, True)
    os.environ[OUTSIDE] = str(outside)
    os.execvp(command[0], [*command, "bash", "-c", script, sys.executable, *sys.argv])


def before():
    """A command that runs another one in the network namespace from before, and the descriptors that it needs."""
    if os.geteuid() != 0 or OUTSIDE not in os.environ:
        return [], []
    return ["nsenter", f"--net=/proc/self/fd/{os.environ[OUTSIDE]}"], [int(os.environ[OUTSIDE])]

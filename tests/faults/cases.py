"""All cases by name, what each needs, and how often it is tried."""

import functools
import os

import calls
import cuts
import deaths
import machine
import network
import rdma
import relays
import strangers

KILLS = 100
GUEST_PACE = 3  # an emulated processor's goals are so much longer


class Case:
    """`body(trials, random)` gives a Result; `missing()` says what this machine lacks for it, '' for nothing."""

    def __init__(self, name, body, trials=1, quick_trials=0, needs=None, lacking=lambda: ""):
        self.name, self.needs = name, needs
        self.run, self.missing = body, functools.cache(lacking)
        self._trials, self._quick_trials = trials, quick_trials

    @property
    def quick(self):
        return self._quick_trials > 0

    def trials(self, quick):
        return self._quick_trials if quick else self._trials


def _deaths(goals):
    for transport in ("tcp", "shm", "ofi", "verbs"):
        for deed in ("kill", "stop"):
            for role in ("sender", "receiver"):
                for policy in ("latest", "lossless"):
                    verbs = transport == "verbs"
                    body = functools.partial(_death, transport, role, deed, policy, goals)
                    # One of a kind for each transport, and each kind over tcp.
                    short = (transport == "tcp" or deed == "kill") and policy == "latest" and not verbs
                    yield Case(f"{deed} {role}, {transport}, {policy}", body, KILLS // (10 if verbs else 2), 2 if short else 0,
                               "an RDMA device" if verbs else None, rdma.missing if verbs else lambda: "")


def _death(transport, role, deed, policy, goals, trials, random):
    host = rdma.ADDRESS if transport == "verbs" else "127.0.0.1"
    return deaths.deaths(transport, role, deed, policy, trials, random, host, goals)


def _relays(goals):
    for source, target in (("tcp", "shm"), ("shm", "shm"), ("shm", "tcp")):
        yield Case(f"kill relay, {source} to {target}, latest",
                   functools.partial(relays.relay_killed, source, target, goals=goals), 34)


def _cuts():
    for seconds, trials in ((0.5, 20), (2, 20), (20, 3)):
        for policy in ("latest", "lossless"):
            for how in ("cable", "link"):
                def body(count, random, seconds=seconds, how=how, policy=policy):
                    return cuts.cut(seconds, how, policy, count, random)
                quick = 1 if seconds == 2 and policy == "lossless" and how == "cable" else 0
                yield Case(f"{how} cut for {seconds} s, tcp, {policy}", body, trials, quick,
                           "network namespaces", network.missing)


def _impairments(recover_goal):
    for name, netem in (("0.1 % loss", ("loss", "0.1%")), ("1 % loss", ("loss", "1%")), ("5 % loss", ("loss", "5%")),
                        ("reordering of 10 %", ("delay", "2ms", "reorder", "90%")), ("50 ms delay", ("delay", "50ms")),
                        ("a tenth of the rate", ("rate", "11mbit"))):
        for policy in ("latest", "lossless"):
            def body(count, random, name=name, netem=netem, policy=policy):
                return cuts.impaired(name, netem, policy, count, random, recover_goal)
            yield Case(f"{name}, tcp, {policy}", body, 20, needs="netem", lacking=network.missing_netem)


def _devices(goals):
    for name, body in (("device removed and added", rdma.device_removed), ("link down and up", rdma.link_down)):
        for policy in ("latest", "lossless"):
            yield Case(f"{name}, verbs, {policy}", functools.partial(body, policy, goals=goals), 5,
                       needs="an RDMA device", lacking=rdma.missing)


def _clock_missing():
    # Never the clock of a machine that others use.
    return "" if os.environ.get("VERBCAST_GUEST_HOST") else "a clock of its own"


def all_cases(in_guest):
    """In their order."""
    pace = GUEST_PACE if in_guest else 1
    goals = (deaths.NOTICE_GOAL * pace, deaths.RECOVER_GOAL * pace)
    root = (lambda: "" if os.geteuid() == 0 else "root")
    cases = [*_deaths(goals), *_relays(goals), *_cuts(), *_impairments(goals[1]),
             *_devices(goals),
             Case("disk full while recording", machine.disk_full, 5, 1, needs="root", lacking=root),
             Case("memory nearly full (ulimit -v)", machine.memory_short, 20, 2),
             Case("clock stepped by an hour, tcp and shm", machine.clock_stepped, 4, needs="a clock of its own",
                  lacking=_clock_missing)]
    cases.append(Case("silent callers, more than descriptors, tcp, latest", strangers.silent_crowd, 3))
    for transport in ("tcp", "shm", "ofi"):
        cases.append(Case(f"slow viewer among fast, {transport}, latest",
                          lambda _n, r, t=transport: machine.slow_among_fast(t, 10, r), 1, 0))
    for scenario in calls.scenarios():
        # `trials` is the stride here: 1 for all.
        cases.append(Case(f"each call fails once: {scenario.name}", functools.partial(calls.failing_calls, scenario), 1, 40))
    return cases

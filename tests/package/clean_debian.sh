# shellcheck shell=bash disable=SC2034
# For scripts that try something in a new Debian. They need root and a mirror (VERBCAST_DEBIAN_MIRROR); without them they
# exit with 77 and say why.

skip() { echo "SKIPPED: $*" >&2; exit 77; }
say() { echo "-- $*"; }
failed=0
fail() { echo "FAILED: $*" >&2; failed=1; }
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log"; echo "FAILED: $*" >&2; exit 1; }; }

# Sets `work`, a folder that is removed at the end, `root`, a path in it, `suite` and `mirror`.
clean_debian() {
    mirror=${VERBCAST_DEBIAN_MIRROR:-http://deb.debian.org/debian}
    work=$(mktemp -d)
    root=$work/root
    chmod 755 "$work" # apt downloads as a user of its own
    trap 'rm -rf --one-file-system "$work"' EXIT
    [ "$(id -u)" = 0 ] || skip "not root: a clean Debian is made with chroot"
    command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
    # shellcheck disable=SC1091
    suite=$(. /etc/os-release && [ "$ID" = debian ] && echo "${VERSION_CODENAME:-}") || skip "this is no Debian"
    /usr/lib/apt/apt-helper download-file "$mirror/dists/$suite/InRelease" "$work/InRelease" >/dev/null 2>&1 ||
        skip "no Debian $suite at $mirror"
    unshare --mount --net --pid --fork true 2>/dev/null || skip "namespaces are not allowed here"
}

# Runs a script of bash there, with processes, network and shared memory of its own.
inside() {
    unshare --mount --net --pid --fork --kill-child --mount-proc="$root/proc" bash -c '
        mount -t tmpfs tmpfs "$0/dev/shm" && { ip link set lo up || true; } &&
        exec chroot "$0" env -i PATH=/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 bash -euc "$1"' "$root" "$1"
}

# Debian packages and how the scripts install them; sourced by scripts/demo and scripts/test.

# The programs that scripts/demo shows. RDMA needs no device to be built.
DEMO_BUILD_PACKAGES="g++ cmake ninja-build pkg-config
    libavcodec-dev libavformat-dev libavutil-dev libswresample-dev libswscale-dev
    libibverbs-dev librdmacm-dev
    qt6-base-dev libqt6opengl6-dev libepoxy-dev libgl-dev libegl-dev libdrm-dev libgbm-dev libx11-dev
    libxcb1-dev libxcb-shm0-dev libxcb-xfixes0-dev libxcb-damage0-dev libxcb-randr0-dev libxcb-xinput-dev libxcb-xtest0-dev
    libxcb-composite0-dev libxcb-screensaver0-dev libxkbcommon-dev libxkbcommon-x11-dev libqrencode-dev
    libsamplerate0-dev
    libspdlog-dev libfmt-dev nlohmann-json3-dev libcli11-dev libssl-dev libxxhash-dev"
# To build everything and to run it.
BUILD_PACKAGES="$DEMO_BUILD_PACKAGES
    ccache git ibverbs-providers libfabric-dev libpipewire-0.3-dev libasound2-dev libsystemd-dev systemtap-sdt-dev pybind11-dev python3-dev
    qt6-tools-dev qt6-l10n-tools qt6-base-private-dev libwayland-dev wayland-protocols libpango1.0-dev"
RUN_PACKAGES="ffmpeg libegl1 libegl-mesa0 libgl1-mesa-dri libglx-mesa0 fonts-dejavu-core xvfb xauth"
# To test: references, a real X server with keys, a Wayland desktop without a monitor, a guest with soft-RoCE.
TEST_PACKAGES="libgtest-dev libbenchmark-dev libva-dev libffmpeg-nvenc-dev libzbar-dev clang-format clang clang-tidy
    lld xdotool xclip mesa-utils x11-utils x11-apps x11-xserver-utils python3 python3-numpy openssh-client libwrap0 libnss-wrapper
    desktop-file-utils appstream shared-mime-info man-db zsh fish
    sway swaybg grim weston qt6-wayland wtype pipewire pipewire-bin wireplumber xdg-desktop-portal xdg-desktop-portal-wlr dbus-daemon libglib2.0-bin
    qemu-system-x86 busybox-static kmod xz-utils iproute2 rdmacm-utils perftest"

# Installs those of the named packages that are missing. Says what it does; asks for nothing. With --progress, what apt
# says of its progress goes to the standard input of COMMAND (apt's README.progress-reporting).
install_packages() { # [--progress COMMAND] PACKAGE...
    local missing=() package installed sudo="" listener="cat" status=""
    if [ "${1:-}" = --progress ]; then
        listener=$2
        status="-o APT::Status-Fd=1"
        shift 2
    fi
    # One question for all: one each would take a second. It fails if it does not know one of them.
    installed=" $(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' | tr '\n' ' ' || true)"
    for package in "$@"; do
        [[ $installed = *" $package "* ]] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "Installing ${#missing[@]} packages: ${missing[*]}"
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { echo "Not root and no sudo: run  apt-get install ${missing[*]}  as root" >&2; return 1; }
        sudo="sudo"
    fi
    $sudo apt-get update -qq || echo "apt-get update failed; trying with the lists that are here" >&2
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $status --no-install-recommends "${missing[@]}" |
        { [ -n "$status" ] && $listener || cat >/dev/null; }
}

# Unpacks openssh-server into a folder, for its program sshd, unless it is installed. It is not installed for tests: from
# then on it would listen to the network.
unpack_sshd() { # FOLDER
    [ ! -x /usr/sbin/sshd ] && [ ! -x "$1/usr/sbin/sshd" ] || return 0
    echo "Unpacking openssh-server into $1"
    mkdir -p "$1"
    (cd "$1" && { apt-get download -qq -o APT::Sandbox::User=root openssh-server || { apt-get update -qq && apt-get download -qq -o APT::Sandbox::User=root openssh-server; }; } &&
        dpkg -x openssh-server_*.deb . && rm openssh-server_*.deb)
}

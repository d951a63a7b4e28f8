# shellcheck shell=bash
# How far a long piece of work is; sourced by scripts/demo.

# What is being done and how far it is: a line that is rewritten on a terminal, and one for each tenth elsewhere.
terminal=
[ ! -t 1 ] || terminal=1
told=
progress() { # TEXT PERCENT SECONDS-LEFT
    local left="" tenth="$1 $(($2 / 10))"
    [ "$3" -lt 1 ] || left=", about $(printf '%d:%02d' $(($3 / 60)) $(($3 % 60))) left"
    if [ -n "$terminal" ]; then
        printf '\r\033[K%s: %d %%%s' "$1" "$2" "$left"
    elif [ "$tenth" != "$told" ]; then
        told=$tenth
        printf '%s: %d %%%s\n' "$1" "$2" "$left"
    fi
}
finished() { # TEXT
    [ -z "$terminal" ] || printf '\r\033[K'
    printf '%s\n' "$1"
    told=
}
left() { # PERCENT SECONDS-SO-FAR: how long the rest takes at the same pace, once there is a pace
    [ "$1" -lt 3 ] && echo 0 || echo $(($2 * (100 - $1) / $1))
}

# What apt reports of its own progress: "dlstatus:N:PERCENT:WORDS" while it loads, "pmstatus:PACKAGE:PERCENT:WORDS" while
# it installs. A package may be named with its architecture, "libc6:amd64".
packages_progress() {
    local line
    while read -r line; do
        if [[ $line =~ ^dlstatus:[0-9]+:([0-9]+) ]]; then
            progress "Loading packages" "${BASH_REMATCH[1]}" 0
        elif [[ $line =~ ^pmstatus:[^:]+(:[a-z0-9-]+)?:([0-9]+)[.:] ]]; then
            progress "Installing packages" "${BASH_REMATCH[2]}" 0
        fi
    done
}

# The lines of ninja, which begin with what is done and how much there is.
build_progress() {
    local begun=$SECONDS ready all percent line
    while read -r ready all line; do
        case $ready$all in *[!0-9]* | '') continue ;; esac
        percent=$((100 * ready / all))
        progress "Building" "$percent" "$(left $percent $((SECONDS - begun)))"
    done
}

# What ffmpeg -progress says, of a clip with that many frames.
clip_progress() { # TEXT FRAMES
    local begun=$SECONDS key value percent
    while IFS='=' read -r key value; do
        [ "$key" = frame ] || continue
        percent=$((100 * value / $2))
        progress "$1" "$percent" "$(left $percent $((SECONDS - begun)))"
    done
}

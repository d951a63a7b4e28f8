#!/bin/bash
# Two hosts (network namespaces) with real programs: a stranger is refused and shown how to get in, a code pairs the
# two, the stream that follows is encrypted; --open and a key file are the other two ways.
#   two_hosts_test.sh VERBCAST
# Exits with 77 where namespaces are not allowed.
set -u
verbcast=$1
if [ "${2:-}" != inside ]; then
    unshare -Urn true 2>/dev/null || { echo "network namespaces are not allowed here"; exit 77; }
    exec unshare -Urn bash "$0" "$verbcast" inside
fi
work=$(mktemp -d)
unshare -n sleep 120 &
other=$!
senders=()
trap 'kill $other "${senders[@]}" 2>/dev/null; wait; rm -rf "$work"' EXIT
fail() { echo "FAILED: $1"; tail -n 20 "$work"/*.log; exit 1; }
# until SECONDS COMMAND...: repeats it until it succeeds
until_true() {
    local deadline=$((SECONDS + $1)); shift
    until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $deadline ] || return 1; sleep 0.05; done
}
separate() { [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; }
until_true 10 separate || fail "no second namespace"
there() { env HOME="$work/there" nsenter -t $other -n "$@"; }
ip link set lo up && ip link add va type veth peer name vb netns $other || { echo "no veth devices here"; exit 77; }
ip addr add 10.9.0.1/24 dev va && ip link set va up
there ip addr add 10.9.0.2/24 dev vb && there ip link set vb up && there ip link set lo up
export HOME=$work/here
unset XDG_CONFIG_HOME VERBCAST_KEY
mkdir -p "$work/here" "$work/there"

# start NAME OPTION...: a sender that listens; its words are in NAME.log
start() {
    local name=$1; shift
    "$verbcast" send pattern --size 320x240 --fps 30 "$@" 2>"$work/$name.log" &
    senders+=($!)
    until_true 20 grep -q "waiting for a viewer" "$work/$name.log" || fail "$name does not listen"
}
view() { there timeout 60 "$verbcast" view "tcp://10.9.0.1:$port" --headless --frames 5 "$@"; }

port=7601
start pairing --listen tcp://:$port
view 2>"$work/stranger.log"
[ $? = 6 ] || fail "a stranger was not refused"
grep -q "try: .*verbcast key pair tcp://10.9.0.1:$port$" "$work/stranger.log" || fail "the stranger is not told the way in"
"$verbcast" view "tcp://127.0.0.1:$port" --headless --frames 5 2>"$work/local.log" || fail "this machine was not served"
until_true 10 grep -qE '([0-9A-Z]{4}-){5}[0-9A-Z]{4}' "$work/pairing.log" || fail "no code is shown"
code=$(grep -oE '([0-9A-Z]{4}-){5}[0-9A-Z]{4}' "$work/pairing.log" | head -n 1)
echo "ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ" | there "$verbcast" key pair "tcp://10.9.0.1:$port" 2>"$work/wrong.log" && fail "a wrong code pairs"
echo "$code" | there "$verbcast" key pair "tcp://10.9.0.1:$port" >"$work/pair.log" 2>&1 || fail "the code does not pair"
echo "$code" | there "$verbcast" key pair "tcp://10.9.0.1:$port" >"$work/again.log" 2>&1 && fail "the code serves twice"
for home in here there; do
    [ "$(stat -c %a "$work/$home/.config/verbcast/hosts")" = 600 ] || fail "the hosts' file is not its owner's alone"
done
view 2>"$work/paired.log" || fail "the paired host is not served"
grep -q "encrypted)" "$work/paired.log" || fail "the paired stream is not encrypted"
# Whoever lets in anybody knows its paired hosts, too.
start open_to_pairs --listen tcp://:7611 --open
"$verbcast" relay tcp://127.0.0.1:7611 --listen tcp://:7612 --open 2>"$work/relay.log" &
senders+=($!)
"$verbcast" pipe recv --listen tcp://:7613 --open >"$work/piped" 2>"$work/pipe.log" &
senders+=($!)
for port in 7611 7612; do
    view 2>"$work/open_paired.log" || fail "the paired host is not served on port $port with --open"
    grep -q "encrypted)" "$work/open_paired.log" || fail "the paired stream on port $port is not encrypted"
done
echo paired | there timeout 60 "$verbcast" pipe send tcp://10.9.0.1:7613 2>"$work/pipe_send.log" || fail "pipe recv --open refuses the paired host"
port=7601
grep -q 10.9.0.1 <<<"$(there "$verbcast" key list)" || fail "the list does not name the host"
grep -q "seen $(date +%Y)" <<<"$(there "$verbcast" key list)" || fail "the list does not say when it was seen"
grep -q "10.9.0.2 .*seen $(date +%Y)" <<<"$("$verbcast" key list)" || fail "the listener's list does not"
"$verbcast" key forget 10.9.0.2 >"$work/forget.log" || fail "the host is not forgotten"
view 2>"$work/forgotten.log"
[ $? = 6 ] || fail "a forgotten host is served"
rm -rf "$work/there/.config"

port=7602
start open --listen tcp://:$port --open
view 2>"$work/anybody.log" || fail "--open does not let in anybody"
grep -q "OPEN TO ANYBODY" "$work/anybody.log" || fail "an open stream does not say so"
echo "ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ" | there "$verbcast" key pair "tcp://10.9.0.1:$port" 2>"$work/open_pair.log" && fail "a wrong code pairs"
grep -q "not by a listener that is --open" "$work/open_pair.log" || fail "who pairs with an open listener is not told why it fails"

port=7603
"$verbcast" key new "$work/key" >/dev/null
start keyed --listen tcp://:$port --key-file "$work/key"
view 2>"$work/keyless.log"
[ $? = 6 ] || fail "a viewer without the key was served"
view --key-file "$work/key" 2>"$work/keyed_view.log" || fail "the viewer with the key is not served"
view --key-file "$work/key" --encrypt 2>"$work/encrypted_view.log" || fail "the viewer that encrypts is not served"
grep -q "encrypted)" "$work/encrypted_view.log" || fail "--encrypt at the viewer does not encrypt"
echo passed

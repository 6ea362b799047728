#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `make demo` shows: an application on the sample stack, traced, and the storage server that it
# talks to, traced at the same time by a tracer of its own.
#
#   tests/demo.sh [BUILD]
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
socket=@tmtrace-demo-$$

if [ "$(id -u)" != 0 ]; then
	printf 'demo: probing needs root: sudo make demo\n' >&2
	exit 1
fi

# On the disk of the build folder: a file system in memory would show no block requests.
work=$(mktemp -d "$build/demo.XXXXXX")
tracer=
# shellcheck disable=SC2317 # called by the trap
cleanup()
{
	[ -z "$tracer" ] || kill "$tracer" 2>/dev/null || true
	wait
	rm -rf "$work"
}
trap cleanup EXIT
mkdir "$work/store"

say()
{
	printf '\n'
	printf '%s\n' "$@"
	printf '\n'
}

# A server that runs already when the client comes, as a real one does.
"$build/tmtrace" --quiet --user root --layer vfs,block --env STACK_TRUTH=off -- \
	"$build/stack/motr-server" --dir "$work/store" --socket "$socket" 2>"$work/server" &
tracer=$!
for ((i = 0; i < 100; i++)); do
	grep -qF "$socket" /proc/net/unix && break
	if ! kill -0 "$tracer" 2>/dev/null; then
		cat "$work/server" >&2
		exit 1
	fi
	sleep 0.1
done

say "An application offers and demands data objects. Maestro (mstro) puts them through MIO (mio) into" \
	"the object store's client library (m0), whose threads ask a server over a socket:" "" \
	"    tmtrace --layer mstro,mio,m0,vfs -- load all"
status=0
"$build/tmtrace" --quiet --layer mstro,mio,m0,vfs --env "STACK_SOCKET=$socket" --env STACK_TRUTH=off -- \
	"$build/stack/load" all --count 20 --size 262144 2>"$work/client" >/dev/null || status=$?
cat "$work/client"

# The tracer passes the signal on to the server, and prints when that has ended.
kill -TERM "$tracer"
wait "$tracer" || true
tracer=
say "The server in the same time, files and disk:" "" "    tmtrace --layer vfs,block -- motr-server"
cat "$work/server"

say "How to read this: in the first tables, \"total\" is how long the calls took, \"self\" what is left" \
	"without the traced calls inside. The self of mstro_cdo_offer is small: its time is that of mio" \
	"calls, theirs that of m0 calls. In m0_op_wait it ends as wait, while libmotr's own threads talk to" \
	"the server: m0_rpc_post_sync is nearly all network (net). In the server the time goes on: fsync and" \
	"its part off the CPU (disk), and below it the device." \
	"docs/tables.md explains the columns, docs/guide.md goes on with questions."
exit "$status"

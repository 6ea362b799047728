// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "base/utf8.h"
#include "sink/output_state.h"

static void say(const struct output_state *state, const char *text)
{
	char *line = utf8__printable(text);

	fprintf(stderr, "tmtrace: %s %s\n", state->kind->name, line ? line : "no memory");
	free(line);
}

const char *output_state__remedy(const struct output_state *state)
{
	/* Messages that name a way out have it behind a semicolon. */
	if (!state->kind || strchr(state->reason.text, ';'))
		return NULL;
	switch (-state->reason.code) {
	case ENOSPC:
	case EDQUOT:
		return "free space there, or choose another place";
	case EROFS:
		return "mount that file system for writing, or choose another place";
	case EACCES:
	case EPERM:
		return "let root write there, or choose another place";
	case ENOENT:
	case ENOTDIR:
	case ECONNREFUSED:
	case ESTALE:
		return state->kind->no_peer;
	default:
		return NULL;
	}
}

static void tell_failure(const struct output_state *state)
{
	const char *remedy = output_state__remedy(state);
	char text[sizeof(state->reason.text) + 256], pause[UNITS_ROOM];

	snprintf(text, sizeof(text), "fails: %s%s%s; it is tried again in %s, then less often",
		 state->reason.text, remedy ? "; " : "", remedy ? remedy : "",
		 units__time(pause, state->pause_ns));
	say(state, text);
}

static void tell_return(const struct output_state *state, __u64 failed_ns)
{
	char text[512], time[UNITS_ROOM], lost[UNITS_ROOM];

	snprintf(text, sizeof(text), "works again, after %s: %s; %s %s are lost since the start",
		 units__time(time, failed_ns), state->kind->again, units__count(lost, state->lost),
		 state->kind->lost);
	say(state, text);
}

static __u64 next_pause(const struct output_state *state)
{
	__u64 next = 2 * state->pause_ns;

	return next < OUTPUT_PAUSE_MAX_NS ? next : OUTPUT_PAUSE_MAX_NS;
}

void output_state__fail(struct output_state *state, const struct error *reason, __u64 now_ns)
{
	bool begins = !state->fails;

	/* One that worked for long begins with the shortest pause. */
	if (begins && (!state->pause_ns || now_ns - state->since_ns >= state->pause_ns))
		state->pause_ns = OUTPUT_PAUSE_MIN_NS;
	else
		state->pause_ns = next_pause(state);
	state->reason = *reason;
	state->due_ns = now_ns + state->pause_ns;
	state->tries++;
	if (!begins)
		return;
	state->fails = true;
	state->since_ns = now_ns;
	state->failures++;
	if (state->kind)
		tell_failure(state);
}

void output_state__work(struct output_state *state, __u64 now_ns)
{
	__u64 failed_ns;

	if (!state->fails)
		return;
	failed_ns = now_ns - state->since_ns;
	state->fails = false;
	state->past_ns += failed_ns;
	state->since_ns = now_ns;
	if (state->kind)
		tell_return(state, failed_ns);
}

bool output_state__is_due(const struct output_state *state, __u64 now_ns)
{
	return !state->fails || now_ns >= state->due_ns;
}

void output_state__hurry(struct output_state *state)
{
	state->due_ns = 0;
}

__u64 output_state__failed_ns(const struct output_state *state, __u64 now_ns)
{
	return state->past_ns + (state->fails ? now_ns - state->since_ns : 0);
}

void output_state__add(const struct output_state *state, struct record *record, __u64 now_ns,
		       __u64 realtime_ns)
{
	record__open(record, state->kind->name);
	record__string(record, "state", state->fails ? "fails" : "works");
	record__u64(record, "failures", state->failures);
	record__u64(record, "failed_tries", state->tries);
	record__u64(record, "failed_ns", output_state__failed_ns(state, now_ns));
	record__u64(record, "lost", state->lost);
	record__string(record, "lost_are", state->kind->lost);
	if (state->fails) {
		record__u64(record, "since_ns", realtime_ns - (now_ns - state->since_ns));
		record__string(record, "reason", state->reason.text);
		record__string(record, "remedy", output_state__remedy(state));
		record__u64(record, "next_try_ns",
			    state->due_ns > now_ns ? state->due_ns - now_ns : 0);
	}
	record__close(record);
}

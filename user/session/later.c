// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "discovery/targets.h"
#include "host/watch.h"
#include "kernel/calls_programs.h"
#include "session/child.h"
#include "session/later.h"
#include "session/layers.h"
#include "session/probing.h"
#include "session/prove.h"
#include "session/session_state.h"

/* Many commands are over by then, and have not paid for it. */
#define BEGIN_S 0.02

/* Processes that have mapped something meanwhile: so many are looked at when it is done. */
#define PROCESSES_MAX 64

/* One of them. */
struct met {
	pid_t pid;
	__u64 time;    /* when it mapped a library of the catalogue, by its name; 0: it has not */
	char name[64]; /* of that */
};

struct later {
	struct session *session;
	const char *program;
	pid_t command; /* also when it is gone */
	struct loop *loop;
	struct probe_table *table; /* of listing */
	struct attach *listing;	   /* what there is, without a kernel */
	struct watch *watch;	   /* NULL: what is mapped is not seen */
	struct met met[PROCESSES_MAX];
	size_t n;
	pid_t preparer; /* the other process; 0: there is none */
	int answer;	/* what it says */
	bool over;
};

/* What it says; descriptors of programs come beside it. */
struct answer {
	struct error err;
	enum uprobe_mechanism mechanism;
	struct trial_result proven;
	struct calls_programs calls;
};

/* Do the options leave how and when libraries are probed to this program, and is it told once? */
static bool leave_it(const struct session *session, const char *program)
{
	const struct options *options = session->options;

	return options->scope == SCOPE_COMMAND && program && layers__have_libraries(session) &&
	       !options->n_layers && !options->n_libs && !session->continuity &&
	       options->mechanism < 0 && !options->fast_returns && !options->json &&
	       !options->record && !options->recording && !options->syslog.types &&
	       !options->calls.on && !options->addb.filter && !options->processes.on;
}

int later__open(struct later **out, struct session *session, const char *program, struct error *err)
{
	struct attach_options options = {
		.catalogue = session->catalogue,
		.layers = session->layers,
		.full = session->full,
		.mechanism = UPROBE_MULTI,
	};
	struct later *later;
	struct error ignored;

	*out = NULL;
	if (!leave_it(session, program))
		return 0;
	later = calloc(1, sizeof(*later));
	if (!later || probe_table__new(&later->table, session->catalogue) < 0) {
		free(later);
		return error__set(err, -ENOMEM, "no memory");
	}
	later->session = session;
	later->program = program;
	later->command = child__pid(session->child);
	later->answer = -1;
	options.table = later->table;
	if (attach__new(&later->listing, &options, err) < 0) {
		later__close(later);
		return err->code;
	}
	if (targets__may_call(later->listing, session->options, program) ||
	    watch__open(&later->watch, NULL, true, &ignored) < 0) {
		later__close(later);
		return 0;
	}
	*out = later;
	return 0;
}

static void end_preparer(struct later *later)
{
	if (!later->preparer)
		return;
	kill(later->preparer, SIGKILL);
	while (waitpid(later->preparer, NULL, 0) < 0 && errno == EINTR)
		;
	later->preparer = 0;
	close(later->answer);
}

void later__close(struct later *later)
{
	size_t none;

	if (!later)
		return;
	end_preparer(later);
	watch__close(later->watch);
	attach__free(later->listing, &none);
	probe_table__free(later->table);
	free(later);
}

/* The process that is met, or room for it; NULL: there is none. */
static struct met *meet(struct later *later, pid_t pid)
{
	for (size_t i = 0; i < later->n; i++)
		if (later->met[i].pid == pid)
			return &later->met[i];
	if (later->n == PROCESSES_MAX)
		return NULL;
	later->met[later->n] = (struct met){ .pid = pid };
	return &later->met[later->n++];
}

static bool is_traced(const struct later *later, pid_t pid)
{
	return pid == later->command || kernel__may_trace(later->session->kernel, pid);
}

static int on_mapping(void *context, const struct watch_mapping *mapping)
{
	const char *name = path__base_name(mapping->filename);
	struct later *later = context;
	struct process_mapping file;
	char path[PATH_MAX];
	struct met *met;

	if (!is_traced(later, mapping->pid))
		return 0;
	met = meet(later, mapping->pid);
	file = watch_mapping__of_process(mapping, path);
	if (met && !met->time && !targets__is_c_library(name) &&
	    attach__traces_mapping(later->listing, mapping->pid, &file)) {
		met->time = mapping->time;
		snprintf(met->name, sizeof(met->name), "%s", name);
	}
	return 0;
}

void later__follow(struct later *later)
{
	if (later && later->watch)
		watch__drain(later->watch, on_mapping, later);
}

/* Since a time of CLOCK_MONOTONIC, in ms. */
static double ms_since(__u64 ns)
{
	return (double)(__s64)(clock__ns(CLOCK_MONOTONIC) - ns) / NS_PER_MS;
}

static void note_lost(const struct later *later)
{
	__u64 lost = watch__lost(later->watch);

	if (lost)
		note_list__add(&later->session->notes,
			       "%llu newly mapped files were not looked at: there were too many at "
			       "once",
			       lost);
}

/* What processes have mapped that ran before the probes were there. */
static void probe_met(struct later *later)
{
	struct session *session = later->session;
	struct error ignored;

	for (size_t i = 0; i < later->n; i++) {
		const struct met *met = &later->met[i];
		int n = targets__process(session->attach, met->pid, NULL, true, &session->notes,
					 &ignored);

		if (n > 0 || met->time)
			note_list__add(
				&session->notes,
				"%s was loaded while tracing, before library calls could be "
				"counted: it was probed %.1f ms later, calls before that are "
				"missing",
				*met->name ? met->name : "a library",
				met->time ? ms_since(met->time) : 0);
	}
}

/* From here on it is a run like any other. */
static int probe(struct later *later, const struct answer *answer, struct error *err)
{
	struct session *session = later->session;
	int ret;

	kernel__add_calls(session->kernel, &answer->calls);
	session->proven = answer->proven;
	session->mechanism = session->choice.mechanism = answer->mechanism;
	ret = probing__attach(session, later->program, err);
	if (!ret && probing__watch(session, later->loop) < 0)
		ret = error__set(err, -ENOMEM, "no memory");
	later__follow(later);
	later->over = true;
	probe_met(later);
	note_lost(later);
	watch__close(later->watch);
	later->watch = NULL;
	return ret;
}

/* Puts the descriptors that came with an answer in the places of those that were sent. */
static int take_programs(struct answer *answer, struct msghdr *message)
{
	struct cmsghdr *beside = CMSG_FIRSTHDR(message);
	int fds[KERNEL_PROGRAMS];
	size_t n = 0, given = 0;

	if (beside && beside->cmsg_level == SOL_SOCKET && beside->cmsg_type == SCM_RIGHTS) {
		given = (beside->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(beside), given * sizeof(int));
	}
	for (size_t i = 0; i < KERNEL_PROGRAMS; i++)
		if (answer->calls.fds[i] >= 0)
			answer->calls.fds[i] = n < given ? fds[n++] : -1;
	return n ? 0 : -EMFILE;
}

union beside {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(KERNEL_PROGRAMS * sizeof(int))];
};

static int receive(int socket, struct answer *answer, struct error *err)
{
	struct iovec whole = { answer, sizeof(*answer) };
	union beside beside = { 0 };
	struct msghdr message = {
		.msg_iov = &whole,
		.msg_iovlen = 1,
		.msg_control = &beside,
		.msg_controllen = sizeof(beside),
	};
	ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	int ret = 0;

	if (n != (ssize_t)sizeof(*answer))
		return error__set(err, -EPIPE, "the process that prepared that has ended");
	if (answer->err.code)
		*err = answer->err;
	else
		ret = take_programs(answer, &message);
	return ret < 0 ? error__set(err, ret, "%s", strerror(-ret)) : err->code;
}

static void on_answer(void *context)
{
	struct later *later = context;
	struct answer *answer = calloc(1, sizeof(*answer));
	struct error err = { 0 };

	if (!later->preparer) {
		free(answer);
		return;
	}
	if (!answer)
		error__set(&err, -ENOMEM, "no memory");
	else
		receive(later->answer, answer, &err);
	end_preparer(later);
	if (!answer || err.code || probe(later, answer, &err) < 0)
		note_list__add(&later->session->notes,
			       "library calls are not seen, should the command make any: %s",
			       err.text);
	free(answer);
}

static void send_answer(int socket, const struct answer *answer)
{
	struct iovec whole = { (void *)answer, sizeof(*answer) };
	union beside beside = { 0 };
	struct msghdr message = { .msg_iov = &whole, .msg_iovlen = 1 };
	int fds[KERNEL_PROGRAMS];
	size_t n = 0;

	for (size_t i = 0; i < KERNEL_PROGRAMS; i++)
		if (answer->calls.fds[i] >= 0)
			fds[n++] = answer->calls.fds[i];
	if (n) {
		message.msg_control = &beside;
		message.msg_controllen = CMSG_SPACE(n * sizeof(int));
		beside.align.cmsg_level = SOL_SOCKET;
		beside.align.cmsg_type = SCM_RIGHTS;
		beside.align.cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(&beside.align), fds, n * sizeof(int));
	}
	while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/*
 * In the other process, which the end of this one ends: the proof has a kernel side of its own, as
 * that of the session counts already. Does not return.
 */
static _Noreturn void prepare(const struct later *later, int socket)
{
	struct answer *answer = calloc(1, sizeof(*answer));

	if (!answer)
		_exit(1);
	answer->calls = CALLS_PROGRAMS_NONE;
	if (!prove__best(-1, &answer->mechanism, &answer->proven, &answer->err))
		kernel__load_calls(later->session->kernel, answer->mechanism, &answer->calls,
				   &answer->err);
	send_answer(socket, answer);
	_exit(0);
}

static void begin_proof(void *context)
{
	struct later *later = context;
	pid_t own = getpid(), pid;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		goto fail;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == own)
			prepare(later, ends[1]);
		_exit(1);
	}
	close(ends[1]);
	if (pid > 0) {
		later->preparer = pid;
		later->answer = ends[0];
		if (!loop__watch(later->loop, ends[0], on_answer, later))
			return;
		end_preparer(later);
	} else {
		close(ends[0]);
	}
fail:
	note_list__add(&later->session->notes,
		       "library calls are not seen, should the command make any: no process could "
		       "be started to prepare that");
}

static void on_mapped(void *context)
{
	later__follow(context);
}

int later__watch(struct later *later, struct loop *loop)
{
	int ret;

	if (!later)
		return 0;
	later->loop = loop;
	ret = loop__watch(loop, watch__fd(later->watch), on_mapped, later);
	return ret ? ret : loop__timer(loop, BEGIN_S, false, begin_proof, later, NULL);
}

void later__report(struct later *later)
{
	struct note_list *notes;

	if (!later || later->over)
		return;
	notes = &later->session->notes;
	note_list__add(notes, "no library is probed: the command has none of the catalogue, and no "
			      "function to load one or to execute a program");
	for (size_t i = 0; i < later->n; i++)
		if (later->met[i].time)
			note_list__add(notes,
				       "%s was loaded %.1f ms ago all the same, before library "
				       "calls could be counted: its calls are missing",
				       later->met[i].name, ms_since(later->met[i].time));
	note_lost(later);
}

bool later__is_over(const struct later *later)
{
	return !later || later->over;
}

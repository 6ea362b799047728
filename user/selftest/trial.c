// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/closer.h"
#include "selftest/prover.h"
#include "selftest/trial.h"

/* A machine that emulates another one, and has several of them to do so, needs 10 s now and then.
 */
#define QUICK_LIMIT_MS 30000
#define FULL_LIMIT_MS  120000

struct trial {
	int prover;  /* a pidfd: it is nobody's child here; -1: there is none */
	int release; /* closed: the prover ends */
};

/* What the prover fills in. */
struct shared {
	struct trial_result result;
	struct error error;
	bool finished;
	pid_t prover; /* 0: it could not be started */
};

/* In the process of the prover: it keeps the probes until it is released. Does not return. */
static _Noreturn void prove(const struct trial_options *options, struct shared *shared, int done,
			    int release)
{
	struct prover *prover = NULL;
	size_t n = 0;
	char byte;
	int *fds;

	/*
	 * No PR_SET_PDEATHSIG: the end of release tells that the parent is gone, and a kernel that
	 * is told to kill while it removes a probe keeps it for ever.
	 */
	if (!prover__new(&prover, options, &shared->error)) {
		prover__run(prover, &shared->result);
		shared->finished = true;
	}
	closer__name();
	close(done);
	while (read(release, &byte, 1) < 0 && errno == EINTR)
		;
	fds = prover ? prover__probes(prover, &n) : NULL;
	closer__run(fds, n);
}

static int await(const struct trial *trial, int done, bool full)
{
	struct pollfd poll_done = { .fd = done };
	int ret;

	do {
		ret = poll(&poll_done, 1, full ? FULL_LIMIT_MS : QUICK_LIMIT_MS);
	} while (ret < 0 && errno == EINTR);
	if (ret > 0)
		return 0;
	syscall(SYS_pidfd_send_signal, trial->prover, SIGKILL, NULL, 0);
	return ret ? -errno : -ETIMEDOUT;
}

/*
 * Two forks: the one in between ends at once. Else the prover would stay as a zombie for as long as
 * we run, for its probes are removed when nobody waits for it. 0 or a negative errno.
 */
static int fork_prover(struct trial *trial, const struct trial_options *options,
		       struct shared *shared, const int ready[2], const int release[2])
{
	pid_t between = fork(), prover;

	if (between < 0)
		return -errno;
	if (!between) {
		prover = fork();
		if (!prover) {
			close(ready[0]);
			close(release[1]);
			prove(options, shared, ready[1], release[0]);
		}
		shared->prover = prover;
		_exit(0);
	}
	while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
	if (shared->prover <= 0)
		return -EAGAIN;
	trial->prover = (int)syscall(SYS_pidfd_open, shared->prover, 0);
	return trial->prover < 0 ? -errno : 0;
}

/* Starts the prover; the end of *done tells that it is ready. */
static int start_child(struct trial *trial, const struct trial_options *options,
		       struct shared *shared, int *done)
{
	int ready[2] = { -1, -1 }, release[2] = { -1, -1 }, ret = 0;

	if (pipe2(ready, O_CLOEXEC) || pipe2(release, O_CLOEXEC))
		ret = -errno;
	if (!ret)
		ret = fork_prover(trial, options, shared, ready, release);
	if (ret < 0)
		goto fail;
	close(ready[1]);
	close(release[0]);
	*done = ready[0];
	trial->release = release[1];
	return 0;
fail:
	close(ready[0]);
	close(ready[1]);
	close(release[0]);
	close(release[1]);
	return ret;
}

static int finish_trial(struct shared *shared, int ret, struct trial_result *result,
			struct error *err)
{
	if (ret < 0)
		return error__set(err, ret, "the trial of the mechanism did not end");
	if (!shared->finished && shared->error.code)
		return error__set(err, shared->error.code, "%s", shared->error.text);
	if (!shared->finished)
		return error__set(err, -EIO, "the trial of the mechanism was ended by a signal");
	*result = shared->result;
	return 0;
}

int trial__run(struct trial **out, const struct trial_options *options, struct trial_result *result,
	       struct error *err)
{
	struct trial *trial = calloc(1, sizeof(*trial));
	struct shared *shared;
	int done = -1, ret, end;

	if (!trial)
		return error__set(err, -ENOMEM, "no memory");
	trial->prover = trial->release = -1;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED) {
		free(trial);
		return error__set(err, -ENOMEM, "no memory");
	}
	kernel__begin_trial(options->kernel);
	ret = start_child(trial, options, shared, &done);
	if (ret < 0) {
		error__set(err, ret, "cannot start a process: %s", strerror(-ret));
	} else {
		ret = await(trial, done, options->full);
		close(done);
		ret = finish_trial(shared, ret, result, err);
	}
	end = kernel__end_trial(options->kernel);
	if (!ret && end < 0)
		ret = error__set(err, end, "cannot clear the counters: %s", strerror(-end));
	munmap(shared, sizeof(*shared));
	if (ret < 0)
		trial__free(trial);
	else
		*out = trial;
	return ret;
}

void trial__free(struct trial *trial)
{
	if (!trial)
		return;
	if (trial->release >= 0)
		close(trial->release);
	if (trial->prover >= 0)
		close(trial->prover);
	free(trial);
}

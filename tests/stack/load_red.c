// SPDX-License-Identifier: GPL-2.0-only
/* Calls that a tracer may harm: with data in the red zone, and in processes under seccomp. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"
#include "sample_red.h"
#include "truth.h"

static const struct {
	const char *name;
	long (*function)(long n);
} functions[] = {
	{ "sample_red_push", sample_red_push },	  { "sample_red_nop5", sample_red_nop5 },
	{ "sample_red_endbr", sample_red_endbr }, { "sample_red_mov", sample_red_mov },
	{ "sample_red_sub", sample_red_sub },
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* The functions cannot count themselves. */
static void begin(struct truth_call *call, struct truth_site *site, int which)
{
	*call = (struct truth_call){ .site = site,
				     .layer = "sample",
				     .function = functions[which].name };
	truth_enter(call);
}

static void *call_all(void *arg)
{
	const struct load *l = *(const struct load **)arg;
	struct truth_site sites[FUNCTIONS] = { 0 };
	struct truth_call call;

	for (long i = 0; i < load_count(l, 1000); i++)
		for (int f = 0; f < FUNCTIONS; f++) {
			begin(&call, &sites[f], f);
			CHECK(functions[f].function(i) == i + 1);
			truth_leave(&call);
		}
	return NULL;
}

int load_redzone(struct load *l)
{
	const struct load *args[] = { l, l };

	load_in_threads(2, call_all, args, sizeof(args[0]));
	return 0;
}

/* Everything but the end of the thread kills. */
static bool allow_exit_only(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { .len = sizeof(rules) / sizeof(*rules), .filter = rules };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* In the child: no system call is left but the last one, not even for a clock. */
static _Noreturn void run_confined(bool strict, long count, volatile long *calls)
{
	bool ok = strict ? !prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) : allow_exit_only();

	for (long i = 0; ok && i < count; i++)
		for (int f = 0; ok && f < FUNCTIONS; f++) {
			calls[f]++;
			ok = functions[f].function(i) == i + 1;
		}
	for (;;)
		syscall(SYS_exit, ok ? 0 : 1);
}

int load_seccomp(struct load *l)
{
	bool strict = !l->how || !strcmp(l->how, "strict");
	struct truth_site sites[FUNCTIONS] = { 0 };
	struct truth_call call;
	volatile long *calls;
	int status;
	pid_t pid;

	if (!strict && strcmp(l->how, "filter") != 0) {
		fprintf(stderr, "load: --how strict|filter\n");
		return 2;
	}
	calls = mmap(NULL, FUNCTIONS * sizeof(*calls), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(calls != MAP_FAILED);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		run_confined(strict, load_count(l, 1000), calls);
	CHECK(waitpid(pid, &status, 0) == pid);
	if (WIFSIGNALED(status))
		fprintf(stderr, "load: the child was killed: %s\n", strsignal(WTERMSIG(status)));
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	/* What the child could not count itself. */
	for (int f = 0; f < FUNCTIONS; f++)
		for (long i = 0; i < calls[f]; i++) {
			begin(&call, &sites[f], f);
			truth_leave(&call);
		}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/uprobe.h"
#include "selftest/examine.h"
#include "selftest/prover.h"
#include "tmtrace/config.h"

/* The last of the table of probes: a run's own come from the other end, and later. */
#define FIRST_COOKIE (TM_PROBES_MAX - SUBJECT_SITES)

/* A link and an event, for each site and its return; and for each instruction. */
#define LINKS_MAX (4 * SUBJECT_SITES + 2 * INSTRUCTIONS_MAX)

/* There are fewer. */
#define INSTRUCTIONS_MAX 256

/* A child that hangs is ended by then. */
#define CHILD_LIMIT_S 10

struct prover {
	struct trial_options options;
	struct subject *subject;
	struct scenario_log *log; /* shared with children */
	struct scenario scenario;
	struct drain *drain;
	bool probed[SUBJECT_SITES], entry_only[SUBJECT_SITES];
	struct scene_end ends[SCENES];
	int fds[LINKS_MAX]; /* of links and events, which are the probes */
	size_t n_fds;
};

/* Perf uprobes take 0.1 s each to go away again: a few have to do. */
static bool is_enough_for_perf(enum subject_site site)
{
	switch (site) {
	case SITE_NOP1:
	case SITE_SUB:
	case SITE_AFTER_ENDBR:
	case SITE_AFTER_MOV:
	case SITE_LEAF_NOP1:
	case SITE_COUNT_PUSH:
	case SITE_COUNT_NOP5:
	case SITE_COUNT_ENDBR:
	case SITE_INSTRUCTION:
		return false;
	default:
		return true;
	}
}

static bool is_used(const struct trial_options *options, enum subject_site site)
{
	if (site == SITE_BARE)
		return false;
	if (site == SITE_LEAF_NOP5)
		return options->full;
	return options->mechanism != UPROBE_PERF || is_enough_for_perf(site);
}

static bool is_counted_only(enum subject_site site)
{
	return site >= SITE_COUNT_PUSH && site <= SITE_INSTRUCTION;
}

static void describe_sites(struct prover *prover)
{
	struct tm_probe *probes = kernel__probes(prover->options.kernel) + FIRST_COOKIE;
	enum subject_site site;

	for (site = 0; site < SUBJECT_SITES; site++) {
		prover->probed[site] = is_used(&prover->options, site);
		prover->entry_only[site] = is_counted_only(site);
		probes[site] = (struct tm_probe){
			.function = site,
			.layer = TRIAL_LAYER,
			.entry_only = prover->entry_only[site],
			.spec = { .size.kind = TM_SIZE_RETURN,
				  .return_width = 8,
				  .return_signed = 1 },
		};
	}
}

/* Places that get a program. */
struct chosen {
	__u64 offsets[SUBJECT_SITES], cookies[SUBJECT_SITES];
	struct uprobe_sites sites;
};

static void choose_sites(const struct prover *prover, bool exits, struct chosen *chosen)
{
	enum subject_site site;

	chosen->sites = (struct uprobe_sites){
		.path = subject__path(prover->subject),
		.offsets = chosen->offsets,
		.cookies = chosen->cookies,
	};
	for (site = 0; site < SUBJECT_SITES; site++) {
		__u32 i = chosen->sites.n;

		if (!prover->probed[site] || (exits && prover->entry_only[site]))
			continue;
		chosen->offsets[i] = exits ? subject__exit(site) : subject__offset(site);
		chosen->cookies[i] =
			exits ? tm_cookie_place(chosen->offsets[i]) : FIRST_COOKIE + (__u64)site;
		chosen->sites.n++;
	}
}

static int keep(struct prover *prover, int fd)
{
	if (fd >= 0)
		prover->fds[prover->n_fds++] = fd;
	return fd;
}

static int link_places(struct prover *prover, enum kernel_program which, bool exits)
{
	enum uprobe_mechanism mechanism = prover->options.mechanism;
	int program = kernel__program_fd(prover->options.kernel, which), ret = 0, perf_fd;
	struct chosen chosen;
	__u32 i;

	choose_sites(prover, exits, &chosen);
	if (mechanism != UPROBE_PERF)
		return keep(prover, uprobe__link_multi(mechanism, program, &chosen.sites, false));
	for (i = 0; ret >= 0 && i < chosen.sites.n; i++) {
		ret = uprobe__link_perf(program, &chosen.sites, i, false, &perf_fd);
		if (keep(prover, ret) >= 0)
			keep(prover, perf_fd);
	}
	return ret;
}

/* Probes instructions from first on, n of them, by one link. A descriptor or a negative errno. */
static int link_instructions(struct prover *prover, int program, size_t first, size_t n)
{
	__u64 offsets[INSTRUCTIONS_MAX], cookies[INSTRUCTIONS_MAX];
	struct uprobe_sites sites = {
		.path = subject__path(prover->subject),
		.offsets = offsets,
		.cookies = cookies,
		.n = (__u32)n,
	};

	for (size_t i = 0; i < n; i++) {
		offsets[i] = subject__instruction_offset(first + i);
		cookies[i] = FIRST_COOKIE + SITE_INSTRUCTION;
		/* As a run has it; elsewhere it is stepped, and what that costs is measured. */
		if (!strcmp(subject__instruction_name(first + i), "endbr64"))
			cookies[i] |= TM_COOKIE_ENDBR | tm_cookie_place(offsets[i]);
	}
	return keep(prover, uprobe__link_multi(prover->options.mechanism, program, &sites, false));
}

/* What the kernel refuses is noted: the scene does not run then. */
static void probe_instructions(struct prover *prover, int program)
{
	size_t n = subject__n_instructions();

	if (!prover->probed[SITE_INSTRUCTION] || n > INSTRUCTIONS_MAX ||
	    link_instructions(prover, program, 0, n) >= 0)
		return;
	for (size_t i = 0; i < n && !prover->log->instruction; i++)
		if (link_instructions(prover, program, i, 1) < 0)
			prover->log->instruction = i + 1;
}

/* What they do without probes is seen before there are any. */
static int expect_instructions(struct prover *prover)
{
	struct scenario *scenario = &prover->scenario;
	size_t n = subject__n_instructions() * scenario->states;
	struct machine *expected = calloc(n, sizeof(*expected));

	scenario->expected = expected;
	scenario->machine = malloc(sizeof(*scenario->machine));
	if (!expected || !scenario->machine)
		return -ENOMEM;
	scenario__expect(scenario, expected);
	return 0;
}

static int make_probes(struct prover *prover, struct error *err)
{
	bool session = prover->options.mechanism == UPROBE_SESSION;
	int ret = session ? 0 : link_places(prover, KERNEL_RETURN, true);

	if (ret >= 0)
		ret = link_places(prover, session ? KERNEL_SESSION : KERNEL_ENTRY, false);
	if (ret >= 0)
		probe_instructions(prover,
				   kernel__program_fd(prover->options.kernel,
						      session ? KERNEL_SESSION : KERNEL_ENTRY));
	return ret < 0 ? error__set(err, ret, "cannot probe functions in memory: %s",
				    strerror(-ret))
		       : 0;
}

int prover__new(struct prover **out, const struct trial_options *options, struct error *err)
{
	/* What dies here is no crash that somebody has to look at: 1 is for pipes, too. */
	const struct rlimit no_core = { 1, 1 };
	struct prover *prover = calloc(1, sizeof(*prover));
	struct drain_maps maps;
	int ret;

	if (!prover)
		return error__set(err, -ENOMEM, "no memory");
	*out = prover;
	prover->options = *options;
	setrlimit(RLIMIT_CORE, &no_core);
	prover->log = mmap(NULL, sizeof(*prover->log), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (prover->log == MAP_FAILED)
		return error__set(err, -ENOMEM, "no memory");
	ret = subject__new(&prover->subject);
	if (ret < 0)
		return error__set(err, ret, "cannot make functions to probe: %s", strerror(-ret));
	kernel__maps(options->kernel, &maps);
	ret = drain__new(&prover->drain, &maps, err);
	if (ret < 0)
		return ret;
	describe_sites(prover);
	prover->scenario = (struct scenario){
		.subject = prover->subject,
		.log = prover->log,
		.probed = prover->probed,
		.calls = options->full ? 2000 : 40,
		.batches = options->full ? COST_BATCHES : 9,
		.states = options->full ? MACHINE_STATES : 2,
	};
	if (expect_instructions(prover) < 0)
		return error__set(err, -ENOMEM, "no memory");
	return make_probes(prover, err);
}

int *prover__probes(struct prover *prover, size_t *n)
{
	*n = prover->n_fds;
	return prover->fds;
}

static int play(struct prover *prover, enum scene scene)
{
	struct scenario *scenario = &prover->scenario;

	switch (scene) {
	case SCENE_CALLS:
		scenario->threads = true;
		return scenario__calls(scenario, SITE_PUSH, SITE_AFTER_MOV);
	case SCENE_NOP5:
		scenario->threads = true;
		return scenario__calls(scenario, SITE_NOP5, SITE_NOP5);
	case SCENE_LEAVES:
		return scenario__leaves(scenario, SITE_LEAF_PUSH, SITE_LEAF_NOP1);
	case SCENE_NOP5_LEAF:
		return scenario__leaves(scenario, SITE_LEAF_NOP5, SITE_LEAF_NOP5);
	case SCENE_STRANGER:
		return scenario__stranger(scenario);
	case SCENE_STRICT:
		scenario__seccomp(scenario, true, SITE_STRICT_PUSH);
	case SCENE_FILTER:
		scenario__seccomp(scenario, false, SITE_STRICT_PUSH);
	case SCENE_NOP5_SECCOMP:
		scenario__seccomp(scenario, false, SITE_STRICT_NOP5);
	case SCENE_INSTRUCTIONS:
		return scenario->log->instruction ? SCENARIO_IMPOSSIBLE
						  : scenario__instructions(scenario);
	case SCENE_NOP5_DISPATCH:
		return scenario__dispatch(scenario, SITE_STRICT_NOP5);
	case SCENE_STACKS:
		return scenario__stacks(scenario);
	case SCENE_COSTS:
		return scenario__costs(scenario);
	default:
		return SCENARIO_IMPOSSIBLE;
	}
}

static void run_scene(struct prover *prover, enum scene scene)
{
	struct scene_end *end = &prover->ends[scene];
	int status;
	pid_t pid = fork();

	if (!pid) {
		alarm(CHILD_LIMIT_S);
		if (scene != SCENE_STRANGER && kernel__add_target(prover->options.kernel, getpid()))
			_exit(SCENARIO_IMPOSSIBLE);
		_exit(play(prover, scene));
	}
	end->ran = true;
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		end->status = SCENARIO_IMPOSSIBLE;
		return;
	}
	end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	end->status = WIFEXITED(status) ? WEXITSTATUS(status) : SCENARIO_OK;
}

static bool is_wanted(const struct prover *prover, enum scene scene)
{
	if (scene == SCENE_INSTRUCTIONS)
		return prover->probed[SITE_INSTRUCTION];
	return scene != SCENE_COSTS && (scene != SCENE_NOP5_LEAF || prover->options.full);
}

/* A count that moves is read once more: see drain__read(). */
static int read_counts(struct prover *prover, struct evidence *evidence)
{
	struct error ignored;
	int ret = drain__read(prover->drain, &evidence->snapshot, &ignored);

	return ret ? ret : drain__read(prover->drain, &evidence->snapshot, &ignored);
}

void prover__run(struct prover *prover, struct trial_result *result)
{
	struct evidence evidence = {
		.spares_confined = prover->options.spares_confined,
		.probed = prover->probed,
		.entry_only = prover->entry_only,
		.log = prover->log,
		.batches = prover->scenario.batches,
		.first_probe = TM_PROBE_USER + FIRST_COOKIE,
	};
	enum scene scene;

	for (scene = 0; scene < SCENES; scene++)
		if (is_wanted(prover, scene))
			run_scene(prover, scene);
	memcpy(evidence.ends, prover->ends, sizeof(evidence.ends));
	if (!read_counts(prover, &evidence))
		examine__proofs(&evidence, result->proofs);
	run_scene(prover, SCENE_COSTS);
	if (!read_counts(prover, &evidence))
		examine__costs(&evidence, result->costs);
}

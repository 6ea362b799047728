// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "job/start_env.h"

/* More ranks than this no launcher starts; it fits into 32 bits. */
#define RANK_MAX   0x7fffffff
#define NO_MATCH   ((size_t)-1)
#define COUNT(all) (sizeof(all) / sizeof(*(all)))

static const char *const ranks[] = { "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
				     "SLURM_PROCID" };
static const char *const jobs[] = { "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID" };
static const char *const step = "SLURM_STEP_ID";

/* Which of the names a variable has; NO_MATCH: none. */
static size_t find_name(const char *const *names, size_t n, const char *name, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
			return i;
	return NO_MATCH;
}

static __s64 parse_rank(const char *value, size_t length)
{
	__s64 rank = 0;

	if (!length)
		return -1;
	for (size_t i = 0; i < length; i++) {
		if (!isdigit((unsigned char)value[i]))
			return -1;
		rank = rank * 10 + (value[i] - '0');
		if (rank > RANK_MAX)
			return -1;
	}
	return rank;
}

/* As in 4711, 4711_3, 4711[3], 123.server.example.org. */
bool start_env__is_jobid(const char *value, size_t length)
{
	if (!length || length > START_ENV_JOBID)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)value[i]) && !strchr("._-[]", value[i]))
			return false;
	return true;
}

/* As cgroups' paths have it; what Slurm calls by a number is called by its name. */
static void take_step(char out[START_ENV_STEP + 1], const char *value, size_t length)
{
	static const struct {
		const char *number, *name;
	} named[] = {
		{ "4294967290", "interactive" },
		{ "4294967291", "batch" },
		{ "4294967292", "extern" },
	};

	if (length > START_ENV_STEP || !start_env__is_jobid(value, length))
		return;
	memcpy(out, value, length);
	out[length] = '\0';
	for (size_t i = 0; i < COUNT(named); i++)
		if (!strcmp(out, named[i].number))
			snprintf(out, START_ENV_STEP + 1, "%s", named[i].name);
}

/* Copies the value of the variable of that name; what is too long is cut. */
static void take_name(char out[START_ENV_NAME + 1], const char *wanted, const char *name,
		      size_t name_length, const char *value, size_t length)
{
	if (strlen(wanted) != name_length || memcmp(wanted, name, name_length) != 0)
		return;
	if (length > START_ENV_NAME)
		length = START_ENV_NAME;
	memcpy(out, value, length);
	out[length] = '\0';
}

void start_env__read(struct start_env *out, const char *block, size_t bytes)
{
	size_t best_rank = NO_MATCH, best_job = NO_MATCH, which;
	const char *end, *next, *equals;

	*out = (struct start_env){ .rank = -1 };
	if (!bytes)
		return; /* there may be no block */
	end = block + bytes;
	for (const char *at = block; at < end; at = next + 1) {
		const char *value;
		size_t length;

		next = memchr(at, '\0', (size_t)(end - at));
		if (!next)
			break; /* cut: its value may be, too */
		equals = memchr(at, '=', (size_t)(next - at));
		if (!equals)
			continue;
		value = equals + 1;
		length = (size_t)(next - value);
		take_name(out->workflow, "MSTRO_WORKFLOW_NAME", at, (size_t)(equals - at), value,
			  length);
		take_name(out->component, "MSTRO_COMPONENT_NAME", at, (size_t)(equals - at), value,
			  length);
		if (find_name(&step, 1, at, (size_t)(equals - at)) == 0)
			take_step(out->step, value, length);
		which = find_name(ranks, COUNT(ranks), at, (size_t)(equals - at));
		if (which < best_rank && parse_rank(value, length) >= 0) {
			best_rank = which;
			out->rank = parse_rank(value, length);
		}
		which = find_name(jobs, COUNT(jobs), at, (size_t)(equals - at));
		if (which < best_job && start_env__is_jobid(value, length)) {
			best_job = which;
			memcpy(out->jobid, value, length);
			out->jobid[length] = '\0';
		}
	}
}

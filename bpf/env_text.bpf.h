/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding a job's name in an environment, variable by variable. */
#ifndef BPF_ENV_TEXT_BPF_H
#define BPF_ENV_TEXT_BPF_H

#include "env_maps.bpf.h"

/* Variables that are looked at; longer ones count as several. */
#define ENV_VARIABLES 4096

/* Eight characters as they lie in memory. */
#define ENV_WORD(a, b, c, d, e, f, g, h)                                               \
	((u64)(a) | (u64)(b) << 8 | (u64)(c) << 16 | (u64)(d) << 24 | (u64)(e) << 32 | \
	 (u64)(f) << 40 | (u64)(g) << 48 | (u64)(h) << 56)
/* The first of eight. */
#define ENV_BYTES(word, n) ((word) & ((1ULL << 8 * (n)) - 1))

struct env_text {
	u32 kind;	/* the best that was found; TM_ENV_KINDS: none */
	bool is_inside; /* of a long variable */
};

/* The kind of job that a variable names, and where its value begins; TM_ENV_KINDS: none. */
TM_INLINE u32 env_text__kind(const u64 text[2], u32 *value)
{
	u64 end = ENV_WORD('D', '=', 0, 0, 0, 0, 0, 0);

	if (text[0] == ENV_WORD('S', 'L', 'U', 'R', 'M', '_', 'J', 'O') &&
	    ENV_BYTES(text[1], 5) == ENV_WORD('B', '_', 'I', 'D', '=', 0, 0, 0)) {
		*value = 13;
		return TM_ENV_SLURM;
	}
	*value = 10;
	if (ENV_BYTES(text[1], 2) != end)
		return TM_ENV_KINDS;
	if (text[0] == ENV_WORD('P', 'B', 'S', '_', 'J', 'O', 'B', 'I'))
		return TM_ENV_PBS;
	if (text[0] == ENV_WORD('L', 'S', 'B', '_', 'J', 'O', 'B', 'I'))
		return TM_ENV_LSF;
	return TM_ENV_KINDS;
}

/* Takes the value, n bytes with its NUL; what is longer than a scheduler's is none. */
TM_INLINE void env_text__take(struct env_text *text, struct tm_env_scratch *scratch, u32 kind,
			      u32 value, u32 n)
{
	char *jobid = scratch->name.jobid;
	u64 *words = (u64 *)jobid;

	if (n <= 1 || n > TM_ENV_JOBID)
		return;
	for (u32 i = 0; i < TM_ENV_JOBID / sizeof(u64); i++)
		words[i] = 0;
	if (bpf_probe_read_kernel_str(jobid, TM_ENV_JOBID, scratch->text + (value & 15)) > 0)
		text->kind = kind;
}

/*
 * Looks at what lies in scratch->text, n bytes with the NUL: a variable, or a part of a long one.
 * How many bytes of the environment it was.
 */
TM_INLINE u32 env_text__look(struct env_text *text, struct tm_env_scratch *scratch, u32 n)
{
	u32 kind, value = 0;

	kind = text->is_inside ? TM_ENV_KINDS : env_text__kind((const u64 *)scratch->text, &value);
	if (kind < text->kind)
		env_text__take(text, scratch, kind, value, n - value);
	/* One that just fits has its NUL left. */
	text->is_inside = n == sizeof(scratch->text);
	return text->is_inside ? n - 1 : n;
}

#endif

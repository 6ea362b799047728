// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/identity.h"
#include "job/job_info.h"
#include "job/job_patterns.h"

/* Slices above a service, which root alone makes. */
#define SLICES "^/([^/]+\\.slice/)*"

/* slurmd of the only node, or, built with --enable-multiple-slurmd, of one of several. */
#define SLURM_SCOPE SLICES "([^/]+_)?slurmstepd\\.scope/"
#define SLURM_STEP  "(/step_(?<step>[^/]+))?"

/*
 * Where schedulers put their jobs:
 *
 * slurm       Slurm's documentation, cgroup_v2.html and cgroup.conf(5): job_ID, and since 26.05 by
 *             default the SLUID, an "s" and 13 digits in base 32; in version 1 slurm/ or
 *             slurm_NODE/
 * pbs         the hook of OpenPBS (pbs_cgroups.PY), by what its cgroup_prefix is as a rule: in
 *             version 1 PREFIX.service/jobid/ID, in version 2 PREFIX.service/jobs/ID, before 2020
 *             PREFIX/ID and PREFIX.slice/PREFIX-ID.slice
 * lsf         lsf/CLUSTER/job.ID.PID.TIME; ID has the index in an array
 * kubernetes  a pod's, by the kubelet's driver: cgroupfs, or systemd, where "-" is "_"; static
 *             pods have no "-" at all
 */
static const struct {
	const char *kind, *expression;
} built_in[] = {
	{ "slurm", SLURM_SCOPE "job_(?<jobid>[^/]+)" SLURM_STEP },
	{ "slurm", SLURM_SCOPE "(?<sluid>s[0-9A-Z]{13})" SLURM_STEP },
	{ "slurm", "^/slurm(_[^/]+)?/uid_[0-9]+/job_(?<jobid>[^/]+)" SLURM_STEP },
	{ "pbs", SLICES "(pbs_jobs|pbspro|openpbs)\\.service/job(id|s)/(?<jobid>[^/]+)" },
	{ "pbs", "^/(pbs_jobs|pbspro)/(?<jobid>[0-9][^/]*)" },
	{ "pbs", "^/(pbs_jobs|pbspro)\\.slice/(pbs_jobs|pbspro)-(?<jobid>[0-9][^/]*)\\.slice" },
	{ "lsf", "^/lsf/[^/]+/job\\.(?<jobid>[0-9]+(\\[[0-9]+\\])?)" },
	{ "kubernetes", SLICES "[^/]*kubepods[^/]*-pod(?<jobid>[0-9a-f_]{32,36})\\.slice" },
	{ "kubernetes", "^/([^/]+/)?kubepods/([a-z]+/)?pod(?<jobid>[0-9a-f-]{32,36})" },
};

/* The parts that have names. */
enum part {
	PART_JOBID,
	PART_STEP,
	PART_SLUID,
	PARTS,
};

static const char *const part_names[PARTS] = { "jobid", "step", "sluid" };

/* Groups of an expression, the whole among them. */
#define GROUPS_MAX 32

struct pattern {
	char *kind;
	regex_t regex;
	size_t groups[PARTS]; /* their numbers; 0: there is none */
};

struct job_patterns {
	struct pattern *own; /* that were added */
	size_t n_own, own_room;
	struct pattern built_in[sizeof(built_in) / sizeof(*built_in)];
	size_t n_built_in;
};

/* What an expression is turned into. */
struct parser {
	const char *at;
	char *out; /* room for the whole expression */
	size_t n, n_groups;
	struct pattern *pattern;
};

/* A set in brackets is taken over as it is: a "]" at its begin does not end it. */
static void copy_set(struct parser *parser)
{
	const char *end = parser->at + 1;

	end += *end == '^';
	end += *end == ']';
	while (*end && *end != ']')
		end++;
	end += *end == ']';
	while (parser->at < end)
		parser->out[parser->n++] = *parser->at++;
}

/* "(" or "(?<name>", of which "(" stays. */
static int open_group(struct parser *parser, struct error *err)
{
	const char *name = parser->at + 3;
	size_t length;

	parser->out[parser->n++] = *parser->at++;
	parser->n_groups++;
	if (strncmp(parser->at, "?<", 2) != 0)
		return 0;
	length = strcspn(name, ">");
	for (enum part part = 0; part < PARTS; part++) {
		if (strlen(part_names[part]) != length ||
		    strncmp(name, part_names[part], length) != 0 || name[length] != '>')
			continue;
		parser->pattern->groups[part] = parser->n_groups;
		parser->at = name + length + 1;
		return 0;
	}
	return error__set(err, -EINVAL, "a part is called %.*s; known are jobid, sluid and step",
			  (int)length, name);
}

static int parse(struct parser *parser, struct error *err)
{
	int ret = 0;

	while (*parser->at && !ret) {
		if (*parser->at == '\\' && parser->at[1])
			parser->out[parser->n++] = *parser->at++;
		else if (*parser->at == '[') {
			copy_set(parser);
			continue;
		} else if (*parser->at == '(') {
			ret = open_group(parser, err);
			continue;
		}
		parser->out[parser->n++] = *parser->at++;
	}
	parser->out[parser->n] = '\0';
	if (!ret && !parser->pattern->groups[PART_JOBID] && !parser->pattern->groups[PART_SLUID])
		ret = error__set(err, -EINVAL, "it has no part (?<jobid>...)");
	if (!ret && parser->n_groups >= GROUPS_MAX)
		ret = error__set(err, -EINVAL, "it has more than %d parts", GROUPS_MAX - 1);
	return ret;
}

static int compile(struct pattern *pattern, const char *expression, struct error *err)
{
	struct parser parser = { .at = expression, .pattern = pattern };
	char reason[128];
	int ret, code;

	parser.out = malloc(strlen(expression) + 1);
	if (!parser.out)
		return error__set(err, -ENOMEM, "no memory");
	ret = parse(&parser, err);
	code = ret ? 0 : regcomp(&pattern->regex, parser.out, REG_EXTENDED);
	if (code) {
		regerror(code, &pattern->regex, reason, sizeof(reason));
		ret = error__set(err, code == REG_ESPACE ? -ENOMEM : -EINVAL, "%s", reason);
	}
	free(parser.out);
	return ret;
}

static bool is_word(const char *kind)
{
	size_t length = strlen(kind);

	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)kind[i]) && kind[i] != '_' && kind[i] != '-')
			return false;
	return length && length < JOB_KIND_MAX;
}

/* Errors name the expression. */
static int make_pattern(struct pattern *pattern, const char *kind, const char *expression,
			struct error *err)
{
	int ret;

	*pattern = (struct pattern){ 0 };
	if (!is_word(kind) || !strcmp(kind, JOB_UNIT))
		return error__set(err, -EINVAL,
				  "\"%s\" cannot be the kind of a job; name its scheduler with up "
				  "to %d letters and digits",
				  kind, JOB_KIND_MAX - 1);
	ret = compile(pattern, expression, err);
	if (ret)
		return error__prefix(err, "\"%s\" is no pattern of jobs", expression);
	pattern->kind = strdup(kind);
	if (pattern->kind)
		return 0;
	regfree(&pattern->regex);
	return error__set(err, -ENOMEM, "no memory");
}

static void release(struct pattern *pattern)
{
	regfree(&pattern->regex);
	free(pattern->kind);
}

int job_patterns__new(struct job_patterns **out, struct error *err)
{
	struct job_patterns *patterns = calloc(1, sizeof(*patterns));
	int ret = 0;

	if (!patterns)
		return error__set(err, -ENOMEM, "no memory");
	for (size_t i = 0; !ret && i < sizeof(built_in) / sizeof(*built_in); i++) {
		ret = make_pattern(&patterns->built_in[i], built_in[i].kind, built_in[i].expression,
				   err);
		patterns->n_built_in += !ret;
	}
	if (ret) {
		job_patterns__free(patterns);
		return ret;
	}
	*out = patterns;
	return 0;
}

void job_patterns__free(struct job_patterns *patterns)
{
	if (!patterns)
		return;
	for (size_t i = 0; i < patterns->n_own; i++)
		release(&patterns->own[i]);
	for (size_t i = 0; i < patterns->n_built_in; i++)
		release(&patterns->built_in[i]);
	free(patterns->own);
	free(patterns);
}

int job_patterns__add(struct job_patterns *patterns, const char *kind, const char *expression,
		      struct error *err)
{
	int ret;

	if (array__grow((void **)&patterns->own, &patterns->own_room, patterns->n_own,
			sizeof(*patterns->own)) < 0)
		return error__set(err, -ENOMEM, "no memory");
	ret = make_pattern(&patterns->own[patterns->n_own], kind, expression, err);
	patterns->n_own += !ret;
	return ret;
}

/* A line, without the newline, which it loses. */
static int add_line(struct job_patterns *patterns, char *line, struct error *err)
{
	char *kind = line + strspn(line, " \t"), *expression = kind + strcspn(kind, " \t");

	if (!*kind || *kind == '#')
		return 0;
	if (*expression)
		*expression++ = '\0';
	expression += strspn(expression, " \t");
	if (!*expression)
		return error__set(err, -EINVAL,
				  "no pattern follows \"%s\"; a line is a scheduler's name and a "
				  "pattern, as in: slurm ^/jobs/(?<jobid>[0-9]+)",
				  kind);
	return job_patterns__add(patterns, kind, expression, err);
}

int job_patterns__read(struct job_patterns *patterns, const char *path, struct error *err)
{
	FILE *file;
	size_t room = 0, number = 0;
	char *line = NULL;
	ssize_t length;
	int ret = identity__enter_caller(err);

	if (ret < 0)
		return ret;
	file = fopen(path, "re");
	if (!file)
		error__set(err, -errno, "%s: %s", path, strerror(errno));
	identity__leave();
	if (!file)
		return identity__explain_caller(err);
	while (!ret && (length = getline(&line, &room, file)) >= 0) {
		number++;
		if (length && line[length - 1] == '\n')
			line[length - 1] = '\0';
		ret = add_line(patterns, line, err);
		if (ret)
			ret = error__prefix(err, "%s:%zu", path, number);
	}
	if (!ret && ferror(file))
		ret = error__set(err, -EIO, "%s: %s", path, strerror(EIO));
	free(line);
	fclose(file);
	return ret;
}

/* Copies a part, cut; one that did not take part is empty. */
static void copy_part(char *out, size_t room, const char *path, const regmatch_t *part)
{
	size_t length = part->rm_so < 0 ? 0 : (size_t)(part->rm_eo - part->rm_so);

	if (length >= room)
		length = room - 1;
	if (length)
		memcpy(out, path + part->rm_so, length);
	out[length] = '\0';
}

/* As Kubernetes writes it, whatever systemd made of it. */
static void unescape_pod(char *uid)
{
	for (; *uid; uid++)
		if (*uid == '_')
			*uid = '-';
}

static bool matches(const struct pattern *pattern, const char *path, struct job_match *out)
{
	regmatch_t groups[GROUPS_MAX] = { 0 };
	bool is_sluid = !pattern->groups[PART_JOBID];
	const regmatch_t *jobid = &groups[pattern->groups[is_sluid ? PART_SLUID : PART_JOBID]];

	if (regexec(&pattern->regex, path, GROUPS_MAX, groups, 0) != 0 || groups[0].rm_so != 0 ||
	    jobid->rm_so < 0 || jobid->rm_so == jobid->rm_eo)
		return false;
	snprintf(out->kind, sizeof(out->kind), "%s", pattern->kind);
	copy_part(out->jobid, sizeof(out->jobid), path, jobid);
	out->is_sluid = is_sluid;
	out->step[0] = '\0';
	if (pattern->groups[PART_STEP])
		copy_part(out->step, sizeof(out->step), path, &groups[pattern->groups[PART_STEP]]);
	if (!strcmp(out->kind, "kubernetes"))
		unescape_pod(out->jobid);
	out->directory = (size_t)jobid->rm_eo + strcspn(path + jobid->rm_eo, "/");
	return true;
}

bool job_patterns__match(const struct job_patterns *patterns, const char *path,
			 struct job_match *out)
{
	for (size_t i = 0; i < patterns->n_own; i++)
		if (matches(&patterns->own[i], path, out))
			return true;
	for (size_t i = 0; i < patterns->n_built_in; i++)
		if (matches(&patterns->built_in[i], path, out))
			return true;
	return false;
}

static bool ends_in(const char *name, size_t length, const char *suffix)
{
	size_t n = strlen(suffix);

	return length > n && strncmp(name + length - n, suffix, n) == 0;
}

/* How much a part of a path says: a service or scope more than a slice. 0: it is no unit. */
static int rank_of(const char *name, size_t length)
{
	/* Where a unit's own systemd is: the unit says more. */
	if (length == strlen("init.scope") && !strncmp(name, "init.scope", length))
		return 0;
	if (ends_in(name, length, ".service"))
		return 2;
	if (ends_in(name, length, ".scope"))
		return 2;
	return ends_in(name, length, ".slice");
}

bool job_patterns__unit(const char *path, struct job_match *out)
{
	int best = 0;

	for (const char *at = path; *at;) {
		const char *name = at + (*at == '/');
		size_t length = strcspn(name, "/");
		int rank = rank_of(name, length);

		at = name + length;
		if (!rank || rank < best || length >= sizeof(out->jobid))
			continue;
		best = rank;
		snprintf(out->kind, sizeof(out->kind), "%s", JOB_UNIT);
		memcpy(out->jobid, name, length);
		out->jobid[length] = '\0';
		out->is_sluid = false;
		out->step[0] = '\0';
		out->directory = (size_t)(at - path);
	}
	return best > 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is to be traced, how, and what comes out: as the command line (command_line.h) or the
 * configuration of the service says.
 */
#ifndef USER_OPTIONS_OPTIONS_H
#define USER_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <sys/types.h>

#include "addb/filter.h"
#include "governor/governor.h"
#include "kernel/uprobe.h"
#include "kernel/ladder.h"
#include "process/accounts.h"
#include "process/process_filter.h"
#include "sink/syslog.h"

/* Exit statuses, as in records.md. */
enum {
	EXIT_RUN = 1,
	EXIT_USAGE = 2,
	EXIT_SETUP = 125,
	EXIT_CANNOT_RUN = 126,
	EXIT_NOT_FOUND = 127,
};

enum options_scope {
	SCOPE_NONE,
	SCOPE_PIDS,
	SCOPE_CGROUP,
	SCOPE_ALL,
	SCOPE_COMMAND,
};

/* --lib LAYER=PATH */
struct options_lib {
	char *layer;
	const char *path;
};

/* --calls and what goes with it */
struct options_calls {
	bool on;
	bool stacks;	     /* with the stacks of those who make them */
	unsigned int sample; /* one in so many; 0: all */
	__u64 min_ns;
	__u32 buffer; /* bytes, a power of two */
	bool quiet;   /* they are recorded only where the service is asked to, later */
};

/* --addb and what goes with it */
struct options_addb {
	struct addb_filter *filter; /* NULL: no records */
	const char *text;	    /* file, "-", or NULL: among the tables */
	__u32 buffer;		    /* bytes, a power of two */
};

/* --processes and what goes with it */
struct options_processes {
	bool on;
	struct process_filter *filter; /* NULL: all */
	const char *selfie;	       /* file of selFIe's lines, "-", or NULL: none */
	unsigned int room;	       /* for so many that run at the same time */
	struct account_names variables;
};

struct options {
	enum options_scope scope;
	pid_t *pids;
	size_t n_pids;
	const char *cgroup;
	const char *hierarchy; /* of cgroups, by which jobs are told; NULL: the one in which they
				  live */
	const char *moved_to;  /* the one in which they were seen a moment ago; NULL: none */
	char **command;	       /* NULL-terminated */

	char **layers; /* names; n 0: all */
	size_t n_layers;
	char **full; /* names of those that are traced in full, not in brief */
	size_t n_full;
	const char **probes; /* further catalogue files or folders */
	size_t n_probes;
	struct options_lib *libs;
	size_t n_libs;
	char **alone; /* patterns of programs and libraries that are left alone */
	size_t n_alone;
	bool copiers_too; /* those that are known to copy code are not left alone */
	bool configured;  /* by a file: these are a service's */

	double duration_s; /* 0: until it ends */
	double interval_s; /* 0: only at the end */
	const char *json;  /* file, "-", or NULL: tables */
	bool histogram;
	const char *recording;	 /* file of -o; NULL: none */
	size_t coarse_timelines; /* bytes for those of what is recorded each second; 0: none */
	__u64 recording_size;	 /* bytes */
	bool record;		 /* tmtrace record: nothing else comes out unless it is asked for */
	const char *user;	 /* run the command as */
	char **env;		 /* VAR=VALUE for the command */
	size_t n_env;
	bool optional;
	bool sites;	   /* list: functions too */
	bool first;	   /* probe functions at their first instruction */
	bool on_ret;	   /* and where they return at the `ret` only */
	bool fast_returns; /* time by return probes, which are not safe for every program */
	int mechanism;	   /* enum uprobe_mechanism of user functions, -1: the best */
	int kernel_mechanisms[KERNEL_LAYERS]; /* as kernel/ladder.h numbers them, -1: the best */
	bool parkable;			      /* single probes can be taken away for a while */
	/*
	 * So much probes may cost: where they cost more, calls of libraries are timed for a part of
	 * the time only.
	 */
	struct governor_bounds bounds;
	bool no_syscalls; /* they are not looked at: no vfs, nothing of the time inside calls */
	bool timelines;	  /* when it was is kept */
	unsigned int slots;
	unsigned int past_jobs; /* that are over and shown one by one; 0: no limit */
	const char *jobs;	/* file of patterns of cgroups; NULL: none */
	bool objects_said;
	unsigned int objects; /* room for so many files and objects; 0: they are not counted */
	bool per_process;     /* they are told apart */
	bool by_job;	      /* jobs may be told of with more detail than others */
	bool all_processes;   /* not even where that is the default */
	struct options_calls calls;
	struct options_addb addb;
	struct options_processes processes;
	struct syslog_options syslog; /* types 0: nothing is sent there */
	bool quiet;
};

/* The recording that is written and read where none is named. */
#define OPTIONS_RECORDING "tmtrace.data"

/* A variable of the environment that the command will have; NULL: it has none of that name. */
const char *options__env(const struct options *options, const char *name);
void options__free(struct options *options);

#endif

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "addb/pack.h"
#include "base/clock.h"
#include "base/identity.h"
#include "output/recorder.h"
#include "sink/output_file.h"
#include "recording/recording_writer.h"
#include "ring/ring_file.h"

/* What a service says of its history. */
static const struct output_kind history_kind = {
	.name = "history",
	.lost = "calls and records of processes",
	.again = "a new file has all sums; intervals of that time are not in it, what was recorded "
		 "before is in .old",
	.no_peer = "make its folder again, or mount what it is on",
};

struct recorder {
	struct sink base;
	const struct options *options;
	struct session *session;
	struct live_run *live;
	struct recording_writer *writer; /* NULL: it fails, and is made anew later */
	struct drain *drain;		 /* its own: intervals of tables and records are others */
	const struct snapshot *latest;	 /* of the drain */
	struct place place;		 /* where the file goes */
	bool is_unnamed;		 /* it is not there yet */
	struct stat made;		 /* the file, once it has its name */
	bool failed;			 /* a single run: for good */
	struct output_state state;	 /* a service: for some time */
	const struct snapshot_series **none; /* as many series as there were, all new */
	size_t n_none;
	struct addb_pack
		*addb;	  /* records of ADDB2 that are not written yet; NULL: there are none */
	__u64 large_addb; /* that are too large for it */
};

/* A service goes on without its history for some time, others give the recording up. */
static bool tries_again(const struct recorder *recorder)
{
	return recorder->options->configured;
}

/* An empty file beside its place, with the rights of who asked for it. */
static int prepare_file(struct recorder *recorder, struct error *err)
{
	const struct options *options = recorder->options;
	int ret = output_file__enter_maker(options->user, err), fd = -1;

	if (ret < 0)
		return ret;
	ret = place__open(&recorder->place, options->recording, err);
	if (ret == 0) {
		fd = ring_file__prepare(&recorder->place, options->recording, err);
		ret = fd < 0 ? fd : 0;
	}
	identity__leave();
	recorder->is_unnamed = fd >= 0;
	if (ret < 0)
		return identity__explain_caller(err);
	ret = output_file__give(fd, options->recording, options->user, err);
	return ret < 0 ? ret : fd;
}

/* Gives the file its name, or removes it where that never came to pass. */
static int name_file(struct recorder *recorder, bool drop, struct error *err)
{
	const struct options *options = recorder->options;
	int ret = output_file__enter_maker(options->user, err);

	if (ret < 0)
		return ret;
	if (drop)
		ring_file__drop(&recorder->place);
	else
		ret = ring_file__replace(&recorder->place, options->recording, err);
	identity__leave();
	recorder->is_unnamed = ret < 0;
	return ret < 0 ? identity__explain_caller(err) : 0;
}

/* Frees what there is of a file, which keeps its name if it has one. */
static int end_file(struct recorder *recorder, struct error *err)
{
	int ret = recording_writer__close(recorder->writer, err);
	struct error ignored;

	recorder->writer = NULL;
	if (recorder->is_unnamed)
		name_file(recorder, true, &ignored);
	recorder->is_unnamed = false;
	place__close(&recorder->place);
	recorder->place = (struct place){ .dir = -1 };
	return ret;
}

static int open_file(struct recorder *recorder, struct error *err)
{
	const struct options *options = recorder->options;
	int fd = prepare_file(recorder, err), ret;

	if (fd < 0)
		return fd;
	ret = recording_writer__create(&recorder->writer, fd, options->recording,
				       options->recording_size, err);
	if (ret < 0 || fstat(fd, &recorder->made) < 0) {
		if (ret < 0)
			close(fd);
		else
			ret = error__set(err, -errno, "%s: cannot be looked at: %s",
					 options->recording, strerror(errno));
	}
	return ret;
}

/* Nobody but who configured it can mend these. */
static bool is_final(int ret)
{
	return ret == -EEXIST || ret == -EBUSY || ret == -EINVAL || ret == -EISDIR ||
	       ret == -ENAMETOOLONG || ret == -ELOOP || ret == -ENOMEM;
}

/* What a service lets pass, to try again; 0, or the error. */
static int let_fail(struct recorder *recorder, int ret, const struct error *err)
{
	struct error ignored;

	if (ret >= 0 || !tries_again(recorder))
		return ret;
	end_file(recorder, &ignored);
	output_state__fail(&recorder->state, err, clock__ns(CLOCK_MONOTONIC));
	return 0;
}

/* The machine's boot, as the kernel numbers it: times of the monotonic clock are of one boot. */
static void read_boot_id(char *out, size_t room)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!file || !fgets(out, (int)room, file))
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	if (file)
		fclose(file);
}

struct recording_about recorder__about(char boot_id[RECORDER_BOOT_ID])
{
	read_boot_id(boot_id, RECORDER_BOOT_ID);
	return (struct recording_about){
		.boot_id = boot_id,
		.cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
	};
}

/* What the run is comes first. */
static int begin_file(struct recorder *recorder, struct error *err)
{
	char boot_id[RECORDER_BOOT_ID];
	struct recording_about about = recorder__about(boot_id);
	struct identity user;
	const struct passwd *entry;

	if (!identity__choose(&user, recorder->options->user, err)) {
		entry = getpwuid(user.uid);
		about.user = entry ? entry->pw_name : NULL;
	}
	return recording_writer__start(recorder->writer, live_run__report(recorder->live), &about,
				       err);
}

static int start(struct sink *base, struct error *err)
{
	struct recorder *recorder = (struct recorder *)base;
	struct job_map jobs;
	int ret;

	ret = session__new_drain(recorder->session, &recorder->drain, err);
	if (ret < 0)
		return ret;
	jobs = live_run__jobs(recorder->live);
	drain__map_jobs(recorder->drain, &jobs);
	if (!recorder->writer)
		return 0;
	ret = begin_file(recorder, err);
	if (ret == 0)
		ret = name_file(recorder, false, err);
	return is_final(ret) ? ret : let_fail(recorder, ret, err);
}

/* As if the read before had had no series: a new file needs all of them. */
static int make_all_new(struct recorder *recorder, struct snapshot *snapshot, struct error *err)
{
	if (snapshot->n_series > recorder->n_none) {
		free((void *)recorder->none);
		recorder->n_none = 0;
		recorder->none = calloc(snapshot->n_series, sizeof(*recorder->none));
		if (!recorder->none)
			return error__set(err, -ENOMEM, "no memory");
		recorder->n_none = snapshot->n_series;
	}
	snapshot->before = recorder->none;
	snapshot->before_ns = 0;
	return 0;
}

/*
 * A new file takes the name of the one that failed, and that one .old, only once it has everything:
 * however often that fails, what was recorded stays.
 */
static int write_anew(struct recorder *recorder, struct snapshot *snapshot, bool final,
		      struct error *err)
{
	int ret = open_file(recorder, err);

	if (ret == 0)
		ret = begin_file(recorder, err);
	if (ret == 0)
		ret = make_all_new(recorder, snapshot, err);
	if (ret == 0)
		ret = recording_writer__snapshot(recorder->writer, live_run__report(recorder->live),
						 snapshot, final, err);
	if (ret >= 0)
		ret = recording_writer__flush(recorder->writer, err);
	if (ret >= 0)
		ret = name_file(recorder, false, err);
	if (ret >= 0)
		output_state__work(&recorder->state, clock__ns(CLOCK_MONOTONIC));
	return ret;
}

/* Is the file that is written still the one that others find, and whole? */
static int check_file(const struct recorder *recorder, struct error *err)
{
	const char *path = recorder->options->recording;
	struct stat st;

	if (!tries_again(recorder))
		return 0;
	if (stat(path, &st) < 0)
		return error__set(err, -errno, "%s: is gone: %s", path, strerror(errno));
	if (st.st_ino != recorder->made.st_ino || st.st_dev != recorder->made.st_dev)
		return error__set(err, -ESTALE, "%s: another file has its name; a new one is made",
				  path);
	if (st.st_size < recorder->made.st_size)
		return error__set(err, -EIO,
				  "%s: was cut from %lld to %lld bytes; a new one is made", path,
				  (long long)recorder->made.st_size, (long long)st.st_size);
	return 0;
}

static int write_figures(struct recorder *recorder, struct snapshot *snapshot, bool final,
			 struct error *err)
{
	int ret = live_run__show_timelines(recorder->live, snapshot, err);

	if (ret == 0 && !recorder->writer)
		return write_anew(recorder, snapshot, final, err);
	if (ret == 0)
		ret = check_file(recorder, err);
	if (ret == 0)
		ret = recording_writer__snapshot(recorder->writer, live_run__report(recorder->live),
						 snapshot, final, err);
	return ret;
}

/* as_of: has the time that it gets; NULL: its own. */
static int write_snapshot(struct recorder *recorder, const struct snapshot *as_of, bool asked,
			  bool final, struct error *err)
{
	const struct snapshot *snapshot;
	struct snapshot last;
	int ret;

	ret = live_run__read_from(recorder->live, recorder->drain, asked, &snapshot, err);
	if (ret < 0 && tries_again(recorder))
		return ret;
	if (!ret) {
		recorder->latest = snapshot;
		live_run__take_timelines(recorder->live, snapshot);
	}
	if (recorder->failed || !output_state__is_due(&recorder->state, clock__ns(CLOCK_MONOTONIC)))
		return 0;
	if (!ret) {
		last = *snapshot;
		if (as_of) {
			last.time_ns = as_of->time_ns;
			last.monotonic_ns = as_of->monotonic_ns;
		}
		ret = write_figures(recorder, &last, final, err);
	}
	recorder->failed = ret < 0 && !tries_again(recorder);
	return let_fail(recorder, ret, err);
}

int recorder__write(struct recorder *recorder, bool asked, struct error *err)
{
	return write_snapshot(recorder, NULL, asked, false, err);
}

struct output_state *recorder__state(struct recorder *recorder)
{
	return &recorder->state;
}

const struct snapshot *recorder__latest(const struct recorder *recorder)
{
	return recorder->latest;
}

struct drain *recorder__drain(const struct recorder *recorder)
{
	return recorder->drain;
}

/* Can be written now? If not, n of what is lost with the file. */
static bool is_writable(struct recorder *recorder, __u64 n)
{
	if (recorder->writer && !recorder->failed)
		return true;
	if (!recorder->failed)
		recorder->state.lost += n;
	return false;
}

/* How writing of n of that ended. */
static int written(struct recorder *recorder, int ret, __u64 n, const struct error *err)
{
	recorder->failed = ret < 0 && !tries_again(recorder);
	if (ret < 0 && tries_again(recorder))
		recorder->state.lost += n;
	return let_fail(recorder, ret, err);
}

/* A failure is told at once, and only then. */
static int tell(int ret, const struct error *err)
{
	if (ret < 0)
		fprintf(stderr, "tmtrace: %s\n", err->text);
	return 0;
}

static int put_calls(struct sink *base, const struct call_batch *batch, struct error *err)
{
	struct recorder *recorder = (struct recorder *)base;
	__u64 n = batch->n_calls + batch->n_operations;
	int ret;

	if (!is_writable(recorder, n))
		return 0;
	ret = recording_writer__calls(recorder->writer, live_run__report(recorder->live), batch,
				      err);
	return tell(written(recorder, ret, n, err), err);
}

/* Writes the records of ADDB2 that have gathered. */
static int flush(struct sink *base, struct error *err)
{
	struct recorder *recorder = (struct recorder *)base;
	struct addb_batch batch;
	int ret;

	if (!recorder->addb || !addb_pack__n(recorder->addb))
		return 0;
	addb_pack__finish(recorder->addb, &batch);
	if (!is_writable(recorder, batch.n_records))
		return 0;
	ret = recording_writer__addb(recorder->writer, &batch, err);
	return tell(written(recorder, ret, batch.n_records, err), err);
}

static int put_addb(struct sink *base, const struct addb_record *record,
		    const struct addb_origin *origin, struct error *err)
{
	struct recorder *recorder = (struct recorder *)base;

	if (!addb_pack__add(recorder->addb, record, origin))
		return 0;
	flush(base, err);
	if (addb_pack__add(recorder->addb, record, origin) < 0)
		recorder->large_addb++;
	return 0;
}

static int put_addb_counts(struct sink *base, const struct addb_counts *counts, struct error *err)
{
	struct recorder *recorder = (struct recorder *)base;
	int ret;

	if (!is_writable(recorder, 0))
		return 0;
	ret = recording_writer__addb_counts(recorder->writer, counts, err);
	return tell(written(recorder, ret, 0, err), err);
}

static int put_process(struct sink *base, const struct process_account *account, struct error *err)
{
	struct recorder *recorder = (struct recorder *)base;
	int ret;

	if (!is_writable(recorder, 1))
		return 0;
	ret = recording_writer__account(recorder->writer, live_run__report(recorder->live), account,
					err);
	return tell(written(recorder, ret, 1, err), err);
}

__u64 recorder__large_addb(const struct recorder *recorder)
{
	return recorder->large_addb;
}

size_t recorder__batch_max(const struct recorder *recorder)
{
	return recording_writer__batch_max_of(recorder->options->recording_size);
}

/* Also where the next try is not due yet. */
static int end(struct sink *base, const struct snapshot *as_of, struct error *err)
{
	struct recorder *recorder = (struct recorder *)base;

	output_state__hurry(&recorder->state);
	return write_snapshot(recorder, as_of, true, true, err);
}

void recorder__tell(const struct recorder *recorder)
{
	const char *path = recorder->options->recording;
	bool usual = !strcmp(path, OPTIONS_RECORDING);

	if (!recorder->failed)
		fprintf(stderr, "tmtrace: recorded into %s; \"tmtrace report%s%s\" shows it\n",
			path, usual ? "" : " -i ", usual ? "" : path);
}

/* What then fails is told here. */
static int close_sink(struct sink *base, struct error *err)
{
	struct recorder *recorder = (struct recorder *)base;
	int ret = end_file(recorder, err);

	if (recorder->failed || recorder->state.fails)
		ret = -EIO;
	else if (ret < 0)
		fprintf(stderr, "tmtrace: %s\n", err->text);
	err->text[0] = '\0';
	addb_pack__free(recorder->addb);
	drain__free(recorder->drain);
	free((void *)recorder->none);
	free(recorder);
	return ret;
}

static const struct sink_ops ops = {
	.start = start,
	.calls = put_calls,
	.addb = put_addb,
	.addb_counts = put_addb_counts,
	.process = put_process,
	.flush = flush,
	.end = end,
	.close = close_sink,
};

int recorder__open(struct recorder **out, const struct options *options, struct live_run *live,
		   struct session *session, struct error *err)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	int ret;

	if (!recorder)
		return error__set(err, -ENOMEM, "no memory");
	*out = recorder;
	recorder->base.ops = &ops;
	recorder->options = options;
	recorder->live = live;
	recorder->session = session;
	recorder->place.dir = -1;
	if (options->addb.filter) {
		recorder->addb = addb_pack__new(recorder__batch_max(recorder));
		if (!recorder->addb)
			return error__set(err, -ENOMEM, "no memory");
	}
	if (tries_again(recorder))
		recorder->state.kind = &history_kind;
	ret = open_file(recorder, err);
	return is_final(ret) ? ret : let_fail(recorder, ret, err);
}

struct sink *recorder__sink(struct recorder *recorder)
{
	return &recorder->base;
}

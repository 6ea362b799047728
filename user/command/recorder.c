// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/identity.h"
#include "command/recorder.h"
#include "command/output_file.h"
#include "recording/recording_writer.h"
#include "ring/ring_file.h"

struct recorder {
	const struct options *options;
	struct live_run *live;
	struct recording_writer *writer;
	struct drain *drain;	       /* its own: intervals of tables and records are others */
	const struct snapshot *latest; /* of the drain */
	struct place place;	       /* where the file goes */
	bool is_unnamed;	       /* it is not there yet */
	bool failed;
};

/* An empty file beside its place, with the rights of who asked for it. */
static int prepare_file(struct recorder *recorder, struct error *err)
{
	const struct options *options = recorder->options;
	int rc = output_file__enter_maker(options->user, err), fd = -1;

	if (rc < 0)
		return rc;
	rc = place__open(&recorder->place, options->recording, err);
	if (rc == 0) {
		fd = ring_file__prepare(&recorder->place, options->recording, err);
		rc = fd < 0 ? fd : 0;
	}
	identity__leave();
	recorder->is_unnamed = fd >= 0;
	if (rc < 0)
		return identity__explain_caller(err);
	rc = output_file__give(fd, options->recording, options->user, err);
	return rc < 0 ? rc : fd;
}

/* Gives the file its name, or removes it where that never came to pass. */
static int name_file(struct recorder *recorder, bool drop, struct error *err)
{
	const struct options *options = recorder->options;
	int rc = output_file__enter_maker(options->user, err);

	if (rc < 0)
		return rc;
	if (drop)
		ring_file__drop(&recorder->place);
	else
		rc = ring_file__replace(&recorder->place, options->recording, err);
	identity__leave();
	recorder->is_unnamed = rc < 0;
	return rc < 0 ? identity__explain_caller(err) : 0;
}

int recorder__open(struct recorder **out, const struct options *options, struct live_run *live,
		   struct error *err)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	int fd, rc;

	if (!recorder)
		return error__set(err, -ENOMEM, "no memory");
	*out = recorder;
	recorder->options = options;
	recorder->live = live;
	recorder->place.dir = -1;
	fd = prepare_file(recorder, err);
	rc = fd < 0 ? fd
		    : recording_writer__create(&recorder->writer, fd, options->recording,
					       options->recording_size, err);
	if (rc < 0 && fd >= 0)
		close(fd);
	return rc;
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

int recorder__start(struct recorder *recorder, struct session *session, struct error *err)
{
	char boot_id[RECORDER_BOOT_ID];
	struct recording_about about = recorder__about(boot_id);
	struct identity user;
	const struct passwd *entry;
	struct job_map jobs;
	int rc;

	if (!identity__choose(&user, recorder->options->user, err)) {
		entry = getpwuid(user.uid);
		about.user = entry ? entry->pw_name : NULL;
	}
	rc = session__new_drain(session, &recorder->drain, err);
	if (rc < 0)
		return rc;
	jobs = live_run__jobs(recorder->live);
	drain__map_jobs(recorder->drain, &jobs);
	rc = recording_writer__start(recorder->writer, live_run__report(recorder->live), &about,
				     err);
	return rc < 0 ? rc : name_file(recorder, false, err);
}

/* as_of: has the time that it gets; NULL: its own. */
static int write_snapshot(struct recorder *recorder, const struct snapshot *as_of, bool final,
			  struct error *err)
{
	const struct snapshot *snapshot;
	struct snapshot last;
	int rc;

	rc = live_run__read_from(recorder->live, recorder->drain, &snapshot, err);
	if (!rc) {
		recorder->latest = snapshot;
		live_run__take_timelines(recorder->live, snapshot);
	}
	if (recorder->failed)
		return 0;
	if (!rc) {
		last = *snapshot;
		if (as_of) {
			last.time_ns = as_of->time_ns;
			last.monotonic_ns = as_of->monotonic_ns;
		}
		rc = live_run__show_timelines(recorder->live, &last, err);
	}
	if (!rc) {
		rc = recording_writer__snapshot(recorder->writer, live_run__report(recorder->live),
						&last, final, err);
	}
	recorder->failed = rc < 0;
	return rc;
}

int recorder__write(struct recorder *recorder, struct error *err)
{
	return write_snapshot(recorder, NULL, false, err);
}

const struct snapshot *recorder__latest(const struct recorder *recorder)
{
	return recorder->latest;
}

struct drain *recorder__drain(const struct recorder *recorder)
{
	return recorder->drain;
}

/* How writing ended. */
static int written(struct recorder *recorder, int rc)
{
	recorder->failed = rc < 0;
	return rc;
}

int recorder__calls(struct recorder *recorder, const struct call_batch *batch, struct error *err)
{
	if (recorder->failed)
		return 0;
	return written(recorder, recording_writer__calls(recorder->writer, batch, err));
}

int recorder__addb(struct recorder *recorder, const struct addb_batch *batch, struct error *err)
{
	if (recorder->failed)
		return 0;
	return written(recorder, recording_writer__addb(recorder->writer, batch, err));
}

int recorder__addb_counts(struct recorder *recorder, const struct addb_counts *counts,
			  struct error *err)
{
	if (recorder->failed)
		return 0;
	return written(recorder, recording_writer__addb_counts(recorder->writer, counts, err));
}

int recorder__account(struct recorder *recorder, const struct process_account *account,
		      struct error *err)
{
	if (recorder->failed)
		return 0;
	return written(recorder,
		       recording_writer__account(recorder->writer, live_run__report(recorder->live),
						 account, err));
}

size_t recorder__batch_max(const struct recorder *recorder)
{
	return recording_writer__batch_max(recorder->writer);
}

int recorder__finish(struct recorder *recorder, const struct snapshot *as_of, struct error *err)
{
	return write_snapshot(recorder, as_of, true, err);
}

void recorder__tell(const struct recorder *recorder)
{
	const char *path = recorder->options->recording;
	bool usual = !strcmp(path, OPTIONS_RECORDING);

	if (!recorder->failed)
		fprintf(stderr, "tmtrace: recorded into %s; \"tmtrace report%s%s\" shows it\n",
			path, usual ? "" : " -i ", usual ? "" : path);
}

int recorder__close(struct recorder *recorder)
{
	struct error err = { 0 }, ignored;
	int rc;

	if (!recorder)
		return 0;
	rc = recorder->writer ? recording_writer__close(recorder->writer, &err) : 0;
	if (recorder->is_unnamed)
		name_file(recorder, true, &ignored);
	place__close(&recorder->place);
	if (recorder->failed)
		rc = -EIO;
	else if (rc < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	drain__free(recorder->drain);
	free(recorder);
	return rc;
}

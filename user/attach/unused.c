// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <sys/stat.h>
#include <fcntl.h>

#include "attach/attach_state.h"
#include "attach/unused.h"
#include "base/clock.h"

/* So long after it was seen to be unused a file goes, by a timer that may be early by a little. */
#define STAY_NS (NS_PER_S - NS_PER_S / 10)
/* One that the machine's programs are expected to use, where its file system may be unmounted. */
#define STAY_EXPECTED_NS (60 * NS_PER_S)

/* So many files are known in which there was nothing. */
#define LIGHT_MAX 1024

static const char reason[] = "no process maps its library any more";

/* The mount on which a file is, by its id; 0: not known. */
static __u64 mount_of(int fd, const char *path)
{
	struct statx st;

	if (statx(fd, path, AT_EMPTY_PATH, STATX_MNT_ID, &st) < 0 || !(st.stx_mask & STATX_MNT_ID))
		return 0;
	return st.stx_mnt_id;
}

enum seen_stay attach__stay_of(int fd)
{
	static const char *const roots[] = { "/", "/usr" };
	__u64 mount = mount_of(fd, "");
	struct stat st;

	if (!mount || fstat(fd, &st) < 0 || st.st_uid != 0)
		return SEEN_STAYS_LONG;
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (mount == mount_of(AT_FDCWD, roots[i]))
			return SEEN_STAYS;
	return SEEN_STAYS_LONG;
}

void attach__release(struct attach *attach, struct seen_file *file, const char *why)
{
	struct tm_probe *probes = kernel__probes(attach->options.kernel);

	for (size_t i = 0; i < file->n_numbers; i++) {
		struct tm_probe *probe = &probes[file->probes[i] - TM_PROBE_USER];

		/* Its hits count nothing from here on, however long its links last. */
		if (!(probe->generation & 1))
			__atomic_add_fetch(&probe->generation, 1, __ATOMIC_SEQ_CST);
		probe_table__release(
			attach->options.table, (size_t)file->probes[i],
			why
				?: probe_table__at(attach->options.table, (size_t)file->probes[i])
					   ->reason);
	}
}

void attach__give_up(struct attach *attach, size_t i, const char *why)
{
	struct seen_file *file = seen_files__at(attach->files, i);

	/* What had failed says why. */
	attach__release(attach, file, file->gone || file->alone ? NULL : why);
	if (!file->gone && file->group) {
		attach__let_go(attach, file);
		link_set__remove_soon(attach->links, file->group);
	}
	shares__give(attach->shares, file->user, file->charged);
	seen_files__remove(attach->files, i);
}

/* Is there nothing in the file that would have to go with it? It is only known that it was read. */
static bool is_light(const struct seen_file *file)
{
	return !file->n_numbers && !file->n_links && !file->alone && !file->gone;
}

/*
 * One in which there was nothing is known as long as it stays as it is: it need not be read each
 * time that it is executed. Nobody watches it, so that its file system is free.
 */
static bool is_stale(struct attach *attach, struct seen_file *file,
		     const struct tm_file_question *answer)
{
	file_watcher__remove(attach->watcher, &file->watch);
	if (!file->checked)
		file->checked = answer->version;
	return answer->use == TM_FILE_UNLINKED || file->checked != answer->version;
}

/* Asks for all files at once. 0, or a negative errno. */
static int ask(struct attach *attach, struct tm_file_question *questions)
{
	size_t n = seen_files__n(attach->files);

	for (size_t i = 0; i < n; i++)
		questions[i] = (struct tm_file_question){
			.file = seen_files__at(attach->files, i)->id,
		};
	return kernel__file_uses(attach->options.kernel, questions, n);
}

static bool is_over(struct seen_file *file, enum tm_file_use use, __u64 now_ns)
{
	if (file->gone)
		return true;
	if (!file->id.inode || use == TM_FILE_MAPPED) {
		file->unused_ns = 0;
		return false;
	}
	if (!file->unused_ns)
		file->unused_ns = now_ns;
	if (use == TM_FILE_UNLINKED || file->stay == SEEN_GOES)
		return now_ns - file->unused_ns >= STAY_NS;
	return file->stay == SEEN_STAYS_LONG && now_ns - file->unused_ns >= STAY_EXPECTED_NS;
}

/* Those of n files that are to go. */
static bool give_up_all(struct attach *attach, const struct tm_file_question *answers, size_t n,
			__u64 now_ns, const struct unused_gone *gone)
{
	size_t light = 0;
	bool any = false;

	/* The last ones are the latest. */
	for (size_t i = n; i > 0; i--) {
		struct seen_file *file = seen_files__at(attach->files, i - 1);
		bool goes = is_light(file)
				    ? is_stale(attach, file, &answers[i - 1]) || ++light > LIGHT_MAX
				    : is_over(file, answers[i - 1].use, now_ns);

		if (!goes)
			continue;
		gone->call(gone->ctx, file);
		any |= !is_light(file);
		attach__give_up(attach, i - 1, reason);
	}
	return any;
}

void attach__give_up_unused(struct attach *attach, __u64 now_ns, const struct unused_gone *gone)
{
	size_t n = seen_files__n(attach->files);
	struct tm_file_question *questions;

	if (!attach->options.gives_up || !attach->links || !n)
		return;
	questions = calloc(n, sizeof(*questions));
	if (questions && ask(attach, questions) == 0 &&
	    give_up_all(attach, questions, n, now_ns, gone))
		attach__tell(attach);
	free(questions);
}

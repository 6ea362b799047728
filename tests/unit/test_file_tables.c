// SPDX-License-Identifier: GPL-2.0-only
/* Files and objects in reports: what is added up, and the tables against golden files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "base/units.h"
#include "golden.h"
#include "object/access_sum.h"
#include "object/object_merge.h"
#include "report/filter.h"

#define JOB 1001

/* CLOCK_MONOTONIC at the sample's time. */
#define MONOTONIC (1000 * MS)

struct files {
	struct snapshot_object all[32];
	const struct snapshot_object *at[32];
	size_t n;
};

static struct tm_object *add_object(struct files *files, __u8 layer, __u8 what, __u64 id,
				    __u32 tgid, const char *name)
{
	struct snapshot_object *object = &files->all[files->n];

	assert_true(files->n < sizeof(files->all) / sizeof(*files->all));
	*object = (struct snapshot_object){
		.total.key = { .job = JOB,
			       .id = { id, 8 },
			       .tgid = tgid,
			       .layer = layer,
			       .what = what },
		.name = name,
		.place = (__u32)files->n + 1,
	};
	files->at[files->n++] = object;
	return &object->total;
}

static struct tm_object *add_file(struct files *files, __u64 inode, __u32 tgid, const char *name)
{
	return add_object(files, TM_LAYER_VFS, TM_OBJECT_FILE, inode, tgid, name);
}

/* n accesses of ns each, of which so many were consecutive and forward. */
static void access_file(struct tm_object *object, enum tm_direction direction, __u64 n, __u64 bytes,
			__u64 ns, __u64 consecutive, __u64 forward)
{
	struct tm_access *access = &object->access[direction];
	int class = 0, free = 0;

	while (class < TM_OBJECT_SIZES - 1 && bytes > tm_object_size_edge((__u32) class))
		class ++;
	access->sizes[class] += n;
	access->bytes += n * bytes;
	access->total_ns += n * ns;
	access->consecutive += consecutive;
	access->forward += forward;
	access->next = access->end = n * bytes + 1;
	while (access->common[free].tag && access->common[free].tag != bytes + 1)
		free++;
	access->common[free].tag = bytes + 1;
	access->common[free].count += n;
	if (ns <= access->slowest_ns)
		return;
	access->slowest_ns = ns;
	access->slowest_start_ns = MONOTONIC - 500 * MS;
	access->slowest_bytes = bytes;
	access->slowest_offset = 12345;
}

static void open_file(struct tm_object *object, __u64 n, __u64 ns)
{
	object->others[TM_VFS_OPEN] += n;
	object->others[TM_VFS_CLOSE] += n;
	object->others_ns += 2 * n * ns;
}

/* Two processes with a log, one with data, many small ones; library objects. */
static void fill(struct files *files)
{
	static const char *const small[] = { "/scratch/a", "/scratch/b", "/scratch/c" };
	struct tm_object *object;

	*files = (struct files){ 0 };
	for (__u32 i = 0; i < 2; i++) {
		object = add_file(files, 5, 100 + i, "/var/log/job\033[2J.log");
		open_file(object, 1, 5000);
		access_file(object, TM_DIRECTION_WRITE, 50, 61, 2 * MS, 49, 0);
	}
	object = add_file(files, 6, 100,
			  "/lustre/project/of/some/department/run_2026_11_22/output/checkpoint.h5");
	open_file(object, 1, 7000);
	access_file(object, TM_DIRECTION_WRITE, 64, 4 << 20, 9 * MS, 60, 3);
	access_file(object, TM_DIRECTION_READ, 1000, 4096, MS / 10, 300, 200);
	access_file(object, TM_DIRECTION_READ, 10, 47008, MS / 5, 0, 0);
	object->switches = 12;
	object->errors = 3;
	object->access[TM_DIRECTION_READ].unsized = 3;
	object->others[TM_VFS_SPLICE] = 1;
	object->others_bytes = 1 << 20;
	for (__u32 i = 0; i < 3; i++) {
		object = add_file(files, 10 + i, 101, small[i]);
		open_file(object, 2, 3000);
		access_file(object, TM_DIRECTION_READ, 1 + i, 100, 1000, i, 0);
	}
	/* Without a name: the same inode, and that of another device. */
	add_file(files, 0xabc, 100, NULL)->others[TM_VFS_STAT] = 2;
	add_file(files, 0xabc, 101, NULL)->others[TM_VFS_STAT] = 1;
	add_file(files, 0xabc, 101, NULL)->key.id[1] = 9;
	files->all[files->n - 1].total.others[TM_VFS_STAT] = 1;
	object = add_object(files, TM_LAYER_VFS, TM_OBJECT_PATHS, 0, 0, NULL);
	object->others[TM_VFS_OPEN] = object->errors = 7;
	object->others_ns = 84000;
	object = add_object(files, TM_LAYER_VFS, TM_OBJECT_OTHERS, 0, 0, NULL);
	access_file(object, TM_DIRECTION_READ, 20, 4096, 3000, 15, 2);
	object->switches = 5;
	object = add_object(files, LAYER_MSTRO, TM_OBJECT_STRING, 77, 100, "temperature");
	object->others[0] = 12;
	object->others_ns = 900 * MS;
	object->others_bytes = 48 << 20;
	object = add_object(files, LAYER_MSTRO, TM_OBJECT_STRING, 77, 101, "temperature");
	object->others[0] = 11;
	object->others_ns = 700 * MS;
	object = add_object(files, LAYER_MSTRO, TM_OBJECT_VALUE, 0x7f00, 100, NULL);
	object->others[0] = 2;
	object = add_object(files, LAYER_MSTRO, TM_OBJECT_VALUE, 0x7f00, 101, NULL);
	object->others[0] = 1;
}

static void open_sample(struct sample *sample, struct files *files)
{
	setenv("TZ", "UTC", 1);
	tzset();
	sample__open(sample);
	sample__libraries(sample, JOB);
	sample__vfs(sample, JOB);
	fill(files);
	sample->snapshot.monotonic_ns = MONOTONIC;
	sample->snapshot.objects = files->at;
	sample->snapshot.n_objects = files->n;
}

static void test_tables(void **state)
{
	static const struct {
		const char *name;
		struct table_options options;
	} cases[] = {
		{ "files_short", { .files = TABLE_FILES_FEW } },
		{ "files_short_80", { .files = TABLE_FILES_FEW, .width = 80 } },
		{ "files_full", { .files = TABLE_FILES, .accesses = true } },
		{ "files_full_80", { .files = TABLE_FILES, .accesses = true, .width = 80 } },
		{ "files_one", { .files = 1, .sort = TABLE_BY_NAME } },
	};
	struct sample sample;
	struct files files;

	(void)state;
	open_sample(&sample, &files);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = print_text(&sample, cases[i].options, table__print);

		check_golden(cases[i].name, text);
		assert_true(!cases[i].options.width || longest_table_line(text) <= 80);
		free(text);
	}
	sample__close(&sample);
}

/* What is not asked for, or of an interval, is not shown. */
static void test_nothing_of_files(void **state)
{
	struct sample sample;
	struct files files;
	char *text;

	(void)state;
	open_sample(&sample, &files);
	text = print_text(&sample, (struct table_options){ 0 }, table__print);
	assert_null(strstr(text, "files:"));
	assert_null(strstr(text, "accesses:"));
	free(text);
	text = print_text(&sample, (struct table_options){ .files = 5 }, table__print_interval);
	assert_null(strstr(text, "files:"));
	free(text);
	sample__close(&sample);
}

/* The one that even its job is not known of has a section of its own. */
static void test_nobody(void **state)
{
	struct sample sample;
	struct files files = { 0 };
	char *text, *section;

	(void)state;
	open_sample(&sample, &files);
	files.all[files.n - 5].total.key.job = 0;
	text = print_text(&sample, (struct table_options){ .files = 5 }, table__print);
	section = strstr(text, "== not of one cgroup\n");
	assert_non_null(section);
	assert_non_null(strstr(section, "(not told apart)"));
	free(text);
	sample__close(&sample);
}

static const struct snapshot_object *find(const struct object_merge *merge, const char *name)
{
	const struct snapshot_object *const *sorted = object_merge__sorted(merge);

	for (size_t i = 0; i < object_merge__count(merge); i++)
		if (sorted[i]->name && !strcmp(sorted[i]->name, name))
			return sorted[i];
	fail_msg("%s is missing", name);
	return NULL;
}

static void check_sums(const struct object_merge *merge, const struct files *files, __u64 times)
{
	const struct snapshot_object *const *sorted = object_merge__sorted(merge);
	__u64 count = 0, bytes = 0, ns = 0;

	for (size_t i = 0; i < files->n; i++) {
		count += times * object__count(&files->at[i]->total);
		bytes += times * object__bytes(&files->at[i]->total);
		ns += times * object__total_ns(&files->at[i]->total);
	}
	for (size_t i = 0; i < object_merge__count(merge); i++) {
		count -= object__count(&sorted[i]->total);
		bytes -= object__bytes(&sorted[i]->total);
		ns -= object__total_ns(&sorted[i]->total);
		assert_true(!i || object__total_ns(&sorted[i - 1]->total) >=
					  object__total_ns(&sorted[i]->total));
	}
	assert_int_equal(count, 0);
	assert_int_equal(bytes, 0);
	assert_int_equal(ns, 0);
}

/* Two nodes with the same: files are one each, what means nothing elsewhere stays apart. */
static void test_merge(void **state)
{
	struct object_merge *merge = object_merge__new(), *again = object_merge__new();
	const struct snapshot_object *log;
	struct files files;

	(void)state;
	fill(&files);
	for (__u32 node = 0; node < 2; node++) {
		for (size_t i = 0; i < files.n; i++) {
			const struct object_merge_from from = {
				.object = files.at[i],
				.job = 1,
				.layer = files.at[i]->total.key.layer,
				.source = node,
				.shift_ns = node ? 10 * MS : 0,
			};

			assert_int_equal(object_merge__add(merge, &from), 0);
		}
	}
	/* log, checkpoint, a, b, c, 2 of inodes a node, paths, others, temperature, 2 handles a
	 * node */
	assert_int_equal(object_merge__count(merge), 5 + 4 + 2 + 1 + 4);
	check_sums(merge, &files, 2);
	log = find(merge, "/var/log/job\033[2J.log");
	assert_int_equal(log->processes, 4);
	assert_int_equal(log->total.key.tgid, 0);
	assert_int_equal(log->total.key.job, 1);
	assert_int_equal(log->total.access[TM_DIRECTION_WRITE].slowest_start_ns,
			 MONOTONIC - 500 * MS);
	assert_int_equal(find(merge, "temperature")->processes, 4);
	/* What is merged can be merged: the processes are added up. */
	for (size_t i = 0; i < object_merge__count(merge); i++) {
		const struct object_merge_from from = {
			.object = object_merge__sorted(merge)[i],
			.job = 1,
			.layer = TM_LAYER_VFS,
		};

		assert_int_equal(object_merge__add(again, &from), 0);
	}
	assert_int_equal(find(again, "/var/log/job\033[2J.log")->processes, 4);
	object_merge__free(again);
	object_merge__free(merge);
}

static void test_access_sum(void **state)
{
	const struct tm_object_key key = { .job = JOB, .layer = TM_LAYER_VFS };
	struct access_sum sums[TM_DIRECTIONS];
	struct files files;

	(void)state;
	fill(&files);
	assert_int_equal(access_sum__of(sums, files.at, files.n, &key), 0);
	assert_int_equal(sums[TM_DIRECTION_READ].count, 1013 + 6 + 20);
	assert_int_equal(sums[TM_DIRECTION_READ].unsized, 3);
	/* Those that are not told apart are in no order. */
	assert_int_equal(sums[TM_DIRECTION_READ].placed, 1010 + 6);
	assert_int_equal(sums[TM_DIRECTION_READ].sequential, 500 + 3);
	assert_int_equal(sums[TM_DIRECTION_READ].consecutive, 300 + 3);
	assert_int_equal(sums[TM_DIRECTION_READ].sizes[0], 6);
	assert_int_equal(sums[TM_DIRECTION_READ].sizes[2], 1020);
	assert_int_equal(sums[TM_DIRECTION_READ].sizes[3], 10);
	assert_int_equal(access_sum__times(&sums[TM_DIRECTION_READ], 4096), 1020);
	assert_int_equal(access_sum__times(&sums[TM_DIRECTION_READ], 4097), 0);
	assert_true(sums[TM_DIRECTION_READ].is_common_exact);
	assert_int_equal(sums[TM_DIRECTION_READ].common[0].tag, 4097);
	assert_int_equal(sums[TM_DIRECTION_WRITE].n_common, 2);
	assert_string_equal(sums[TM_DIRECTION_READ].slowest->name, files.at[2]->name);
	access_sum__free(sums);

	/* A size that the kernel had no place for. */
	files.all[0].total.access[TM_DIRECTION_WRITE].sizes[0]++;
	assert_int_equal(access_sum__of(sums, files.at, files.n, &key), 0);
	assert_false(sums[TM_DIRECTION_WRITE].is_common_exact);
	assert_true(sums[TM_DIRECTION_READ].is_common_exact);
	access_sum__free(sums);

	assert_int_equal(access_sum__of(sums, NULL, 0, &key), 0);
	assert_int_equal(sums[TM_DIRECTION_READ].count, 0);
	assert_null(sums[TM_DIRECTION_READ].slowest);
	access_sum__free(sums);
}

static size_t count_passing(const struct sample *sample, const char *pattern)
{
	struct filter *filter = filter__new();
	struct snapshot filtered;
	struct error err;
	size_t n;

	assert_non_null(filter);
	assert_int_equal(filter__add(filter, pattern, &err), 0);
	assert_int_equal(filter__apply(filter, &sample->run, &sample->snapshot, &filtered), 0);
	n = filtered.n_objects;
	filter__release(&filtered);
	filter__free(filter);
	return n;
}

static void test_filter(void **state)
{
	struct sample sample;
	struct files files;

	(void)state;
	open_sample(&sample, &files);
	assert_int_equal(count_passing(&sample, "layer=vfs"), files.n - 4);
	assert_int_equal(count_passing(&sample, "layer=mstro"), 4);
	assert_int_equal(count_passing(&sample, "cgroup=/slurm/*"), files.n);
	assert_int_equal(count_passing(&sample, "cgroup=/other"), 0);
	/* What files do not know: the series would be others. */
	/* The sample has no processes. */
	assert_int_equal(count_passing(&sample, "pid=100"), 0);
	assert_int_equal(count_passing(&sample, "function=*"), 0);
	assert_int_equal(count_passing(&sample, "fs_type=*"), 0);
	assert_int_equal(count_passing(&sample, "mount=*"), 0);
	sample__close(&sample);
}

static void test_exact_bytes(void **state)
{
	char out[UNITS_ROOM];

	(void)state;
	assert_string_equal(units__exact_bytes(out, 0), "0 B");
	assert_string_equal(units__exact_bytes(out, 100), "100 B");
	assert_string_equal(units__exact_bytes(out, 1024), "1 KiB");
	assert_string_equal(units__exact_bytes(out, 1536 << 10), "1,536 KiB");
	assert_string_equal(units__exact_bytes(out, 1234567), "1,234,567 B");
	assert_string_equal(units__exact_bytes(out, 1ULL << 30), "1 GiB");
	assert_string_equal(units__exact_bytes(out, UINT64_MAX), "18,446,744,073,709,551,615 B");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),	    cmocka_unit_test(test_nothing_of_files),
		cmocka_unit_test(test_nobody),	    cmocka_unit_test(test_merge),
		cmocka_unit_test(test_access_sum),  cmocka_unit_test(test_filter),
		cmocka_unit_test(test_exact_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

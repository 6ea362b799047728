// SPDX-License-Identifier: GPL-2.0-only
/* What was recorded of a run is read back as that run: the same records and tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json_records.h"
#include "calls/call_pack.h"
#include "recording_file.h"
#include "report/names.h"
#include "report/figures.h"
#include "report/share.h"

/* A run, and the recording that is made of it. */
struct world {
	struct sample sample;
	struct file file;
	struct recording_writer *writer;
};

static int setup(void **state)
{
	static struct world world;

	sample__open(&world.sample);
	world.writer = new_writer(&world.file);
	start(world.writer, &world.sample);
	*state = &world;
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;

	remove_file(&world->file);
	sample__close(&world->sample);
	return 0;
}

static void check_same(struct sample *sample, const struct recording *recording)
{
	const struct report_run *run = recording__run(recording);
	const struct snapshot *snapshot = recording__snapshot(recording);
	char *live, *read;

	sample->run.probe_share = share__of_probes(&sample->run, &sample->snapshot);
	live = records_of(&sample->run, &sample->snapshot);
	read = records_of(run, snapshot);
	assert_string_equal(live, read);
	free(live);
	free(read);
	live = tables_of(&sample->run, &sample->snapshot);
	read = tables_of(run, snapshot);
	assert_string_equal(live, read);
	free(live);
	free(read);
}

static void test_same_records_and_tables(void **state)
{
	struct world *world = *state;
	struct sample *sample = &world->sample;
	struct recording_state what;
	struct recording *recording;

	sample__fill(sample, 0);
	sample__fill(sample, 1001);
	sample__fill(sample, 2002);
	put(world->writer, sample, true);
	end(world->writer);

	recording = open_file(&world->file);
	check_same(sample, recording);
	recording__state(recording, &what);
	assert_true(what.ended);
	assert_int_equal(what.snapshots, 1);
	assert_int_equal(what.unreadable, 0);
	assert_string_equal(recording__about(recording)->user, "ann");
	assert_string_equal(recording__about(recording)->boot_id, "b1");
	assert_int_equal(recording__about(recording)->cpus, 4);
	recording__close(recording);
}

/* Of one whose calls were timed for a part of the time: how many, what is said, for how long. */
static void test_untimed(void **state)
{
	const struct probe_parking untimed = { .since_ns = MS,
					       .until_ns = 2 * MS,
					       .bound_ppm = 50000,
					       .thread_ppm = 362000,
					       .thread_pid = 4711,
					       .thread_job = 17 };
	struct world *world = *state;
	struct sample *sample = &world->sample;
	const struct probe *probe;
	struct recording *recording;
	char text[PROBE_REASON], *records;

	sample__fill(sample, 0);
	probe_table__untime(sample->probes, TM_PROBE_USER, &untimed);
	probe_table__add_counted(sample->probes, TM_PROBE_USER, 7);
	put(world->writer, sample, true);
	end(world->writer);

	recording = open_file(&world->file);
	check_same(sample, recording);
	probe = &recording__run(recording)->probes[TM_PROBE_USER];
	assert_int_equal(probe->untimed.count, 1);
	assert_int_equal(probe->counted, 7);
	assert_int_equal(probe__untimed_ns(probe, 5 * MS), 4 * MS);
	assert_non_null(strstr(probe__reason(probe, text), "counted, not timed since "));
	assert_non_null(strstr(text, "probes took 36.2 % of the time of a thread of process 4711, "
				     "and may take 5 % of it; timed again at "));
	assert_int_equal(probe->untimed.thread_job, 17);
	records = records_of(recording__run(recording), recording__snapshot(recording));
	assert_non_null(strstr(records, "\"untimed_count\":1"));
	free(records);
	recording__close(recording);
}

/* More of a series, as the next read of a drain has it. */
static void move_series(struct sample *sample, size_t i, __u64 calls)
{
	struct merge merge;

	merge__start(&merge, &sample->series[i]->total.key);
	merge.total = sample->series[i]->total;
	histogram__add(merge.latency, &sample->series[i]->latency);
	histogram__add(merge.size, &sample->series[i]->size);
	sample__calls(&merge, calls, 5000, 0);
	if (sample->before[i] != sample->series[i])
		free((void *)sample->before[i]);
	sample->before[i] = sample->series[i];
	sample->series[i] = merge__finish(&merge);
}

static void rest(struct sample *sample)
{
	sample__rest(sample);
	sample->snapshot.before_ns = sample->snapshot.time_ns;
	sample->snapshot.time_ns += 1000 * MS;
}

/* Each snapshot comes back with what was before it. */
static void test_history(void **state)
{
	struct world *world = *state;
	struct sample *sample = &world->sample;
	struct recording *recording;
	struct error err;

	sample__fill(sample, 1001);
	put(world->writer, sample, false);
	for (__u64 second = 1; second <= 10; second++) {
		rest(sample);
		move_series(sample, 0, second);
		put(world->writer, sample, second == 10);
	}
	end(world->writer);

	recording = open_file(&world->file);
	sample->snapshot.before_ns = 0;
	check_same(sample, recording);
	recording__rewind(recording);
	for (__u64 second = 0; second <= 10; second++) {
		const struct snapshot *snapshot;
		struct figures figures;

		assert_int_equal(recording__next(recording, &err), RECORDING_STEP_SNAPSHOT);
		snapshot = recording__snapshot(recording);
		assert_int_equal(snapshot->n_series, sample->snapshot.n_series);
		assert_int_equal(snapshot->time_ns, SAMPLE_TIME + second * 1000 * MS);
		if (!second) {
			assert_null(snapshot->before[0]);
			continue;
		}
		assert_int_equal(snapshot->before_ns, snapshot->time_ns - 1000 * MS);
		assert_ptr_equal(snapshot->before[1], snapshot->series[1]);
		figures__interval(&figures, snapshot->series[0], snapshot->before[0]);
		assert_int_equal(figures.count, second);
	}
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_END);
	assert_int_equal(recording__total(recording, &err), 0);
	check_same(sample, recording);
	recording__close(recording);
}

/* What is written later is found by who reads already; the totals stay when the file wraps. */
static void test_follow_and_wrap(void **state)
{
	struct world *world = *state;
	struct sample *sample = &world->sample;
	struct recording_state what;
	struct recording *recording;
	struct error err;
	__u64 steps = 0;

	sample__fill(sample, 1001);
	recording = open_file(&world->file);
	recording__rewind(recording);
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_END);
	put(world->writer, sample, false);
	for (int i = 0; i < 4000; i++) {
		rest(sample);
		for (size_t j = 0; j < 4; j++)
			move_series(sample, j, 1);
		put(world->writer, sample, i == 3999);
	}
	end(world->writer);
	assert_int_equal(recording__update(recording, &err), 0);
	while (recording__next(recording, &err) > 0)
		steps++;
	assert_true(steps > 10 && steps < 4000);
	recording__state(recording, &what);
	assert_true(what.ended);
	recording__close(recording);

	recording = open_file(&world->file);
	sample->snapshot.before_ns = 0;
	check_same(sample, recording);
	recording__close(recording);
}

/* The run alone: killed before its first snapshot. */
static void test_run_alone(void **state)
{
	struct world *world = *state;
	struct sample *sample = &world->sample;
	struct recording_state what;
	struct recording *recording;
	struct error err;
	char *text;

	end(world->writer);
	recording = open_file(&world->file);
	recording__state(recording, &what);
	assert_false(what.ended);
	assert_int_equal(what.snapshots, 0);
	text = tables_of(recording__run(recording), recording__snapshot(recording));
	assert_non_null(strstr(text, "nothing was recorded"));
	recording__rewind(recording);
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_END);
	assert_int_equal(recording__total(recording, &err), 0);
	assert_true(recording__snapshot(recording)->time_ns > sample->run.start_ns);
	free(text);
	recording__close(recording);
}

static void check_objects(const struct recording *recording, const char *const *names, size_t n)
{
	const struct snapshot *snapshot = recording__snapshot(recording);

	assert_int_equal(snapshot->n_objects, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(snapshot->objects[i]->name, names[i]);
}

/* A file whose place is given to nothing is there no more, however often the recording is read. */
static void test_objects_come_and_go(void **state)
{
	static const char *const all[] = { "/data/a", "/data/b", "/data/c" };
	static const char *const left[] = { "/data/a", "/data/c" };
	struct snapshot_object objects[3];
	const struct snapshot_object *both[3], *some[2] = { &objects[0], &objects[2] };
	struct recording_writer *writer;
	struct recording_state what;
	struct recording *recording;
	struct sample sample;
	struct file file;
	struct error err;

	(void)state;
	memset(objects, 0, sizeof(objects));
	for (__u32 i = 0; i < 3; i++) {
		objects[i].place = i + 1;
		objects[i].name = all[i];
		objects[i].total.state = TM_OBJECT_LIVE;
		objects[i].total.key.job = 1001;
		objects[i].total.key.id[0] = 7 + i;
		both[i] = &objects[i];
	}
	sample__open(&sample);
	sample__fill(&sample, 1001);
	writer = new_writer(&file);
	start(writer, &sample);
	sample.snapshot.objects = both;
	sample.snapshot.n_objects = 3;
	put(writer, &sample, false);
	rest(&sample);
	sample.snapshot.objects = some;
	sample.snapshot.n_objects = 2;
	put(writer, &sample, true);
	end(writer);

	recording = open_file(&file);
	check_objects(recording, left, 2);
	recording__rewind(recording);
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_SNAPSHOT);
	check_objects(recording, all, 3);
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_SNAPSHOT);
	check_objects(recording, left, 2);
	recording__state(recording, &what);
	assert_int_equal(what.unreadable, 0);
	recording__close(recording);
	remove_file(&file);
	sample__close(&sample);
}

/* A process that says after its first call which workflow it is of. */
static struct process_info caller = { .pid = 4711, .rank = -1, .comm = "app", .start_ns = 1000 };

static const struct process_info *caller_at(void *context, __u32 number)
{
	(void)context;
	return number == 1 ? &caller : NULL;
}

static __u32 one_process(void *context)
{
	(void)context;
	return 1;
}

static void write_call(struct world *world, struct call_pack *pack, const char *workflow)
{
	const struct tm_call call = { .pid = 4711, .tid = 4711, .start_ns = 2000, .id = 1 };
	const struct tm_series series = { .key = { .job = 1001, .layer = TM_LAYER_VFS } };
	struct call_batch batch;
	struct error err;

	caller.workflow = workflow;
	assert_int_equal(call_pack__add(pack, &call, &series, "app", NULL, NULL), 0);
	call_pack__finish(pack, &batch);
	assert_int_equal(recording_writer__calls(world->writer, &world->sample.run, &batch, &err),
			 0);
}

/* Of each call is read what was known of its process when it was written. */
static void test_callers(void **state)
{
	static const char *const workflows[] = { NULL, "w" };
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, false);
	struct world *world = *state;
	struct recording *recording;
	struct error err;

	assert_non_null(pack);
	world->sample.run.names.process = caller_at;
	world->sample.run.names.n_processes = one_process;
	for (size_t i = 0; i < 2; i++)
		write_call(world, pack, workflows[i]);
	put(world->writer, &world->sample, true);
	end(world->writer);
	call_pack__free(pack);

	recording = open_file(&world->file);
	recording__rewind(recording);
	for (size_t i = 0; i < 2; i++) {
		const struct process_info *process;

		assert_int_equal(recording__next(recording, &err), RECORDING_STEP_CALLS);
		process = names__process(recording__run(recording), 1);
		assert_non_null(process);
		if (workflows[i])
			assert_string_equal(process->workflow, workflows[i]);
		else
			assert_null(process->workflow);
	}
	recording__close(recording);
}

static void test_numbers(void **state)
{
	static const __u64 values[] = { 0, 1, 127, 128, 1ULL << 32, UINT64_MAX };
	struct pack pack = { 0 };
	struct unpack unpack;

	(void)state;
	pack__start(&pack);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		pack__u64(&pack, values[i]);
		pack__s64(&pack, (__s64)values[i]);
	}
	unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		assert_int_equal(unpack__u64(&unpack), values[i]);
		assert_int_equal(unpack__s64(&unpack), (__s64)values[i]);
	}
	assert_false(unpack.failed);
	assert_int_equal(unpack__u64(&unpack), 0);
	assert_true(unpack.failed);
	pack__free(&pack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_same_records_and_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(test_untimed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_history, setup, teardown),
		cmocka_unit_test_setup_teardown(test_follow_and_wrap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_run_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_callers, setup, teardown),
		cmocka_unit_test(test_objects_come_and_go),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}

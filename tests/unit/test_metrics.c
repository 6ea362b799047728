// SPDX-License-Identifier: GPL-2.0-only
/* Metrics of many jobs: bounded, exact, and no counter falls. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "metrics_world.h"

/* Totals over all rows. */
struct totals {
	__u64 calls, errors, bytes, own_ns, buckets;
};

static void add_row(struct totals *to, const struct metric_counters *counters)
{
	to->calls += counters->count;
	to->errors += counters->errors;
	to->bytes += counters->bytes;
	to->own_ns += counters->own_ns;
	to->buckets += metric_counters__bucketed(counters);
}

/* The sums by layer are those of the rows, but for operations, which are beside calls. */
static void check_layers(const struct metrics_job *job)
{
	struct totals layers = { 0 }, rows = { 0 };

	for (size_t i = 0; i < job->rows.n; i++)
		if (job->rows.rows[i].key.kind != METRIC_OPERATIONS)
			add_row(&rows, &job->rows.rows[i].sums.counters);
	for (size_t i = 0; i < job->layers.n; i++) {
		layers.calls += job->layers.at[i].calls;
		layers.errors += job->layers.at[i].errors;
		layers.bytes += job->layers.at[i].bytes;
		layers.own_ns += job->layers.at[i].own_ns;
	}
	layers.buckets = rows.buckets;
	assert_memory_equal(&layers, &rows, sizeof(rows));
}

static void check_totals(const struct world *world, const struct metrics *metrics)
{
	struct totals got = { 0 }, wanted = { 0 };

	for (size_t i = 0; i < metrics__n_jobs(metrics); i++) {
		const struct metrics_job *job = metrics__job(metrics, i);

		for (size_t j = 0; j < job->rows.n; j++)
			add_row(&got, &job->rows.rows[j].sums.counters);
		check_layers(job);
	}
	for (size_t i = 0; i < world->snapshot.n_series; i++) {
		const struct tm_series *total = &world->snapshot.series[i]->total;

		wanted.calls += total->count;
		wanted.errors += total->errors;
		wanted.bytes += total->bytes;
		wanted.own_ns += total->total_ns;
		wanted.buckets += world->made[i]->count;
	}
	assert_memory_equal(&got, &wanted, sizeof(got));
}

static const struct metrics_job *find_job(const struct metrics *metrics, __u64 id)
{
	for (size_t i = 0; i < metrics__n_jobs(metrics); i++)
		if (metrics__job(metrics, i)->id == id)
			return metrics__job(metrics, i);
	return NULL;
}

/* Ten thousand jobs take no more than a hundred; the busiest are told, the sums are exact. */
static void test_many_jobs(void **state)
{
	const size_t bounds[] = { METRICS_LEAST, 10000, 50000 };
	struct world world;

	(void)state;
	world__open(&world);
	for (__u64 job = 1; job <= 10000; job++) {
		const struct tm_key read = key_of_read(job), lib = key_of_lib(job, job % FUNCTIONS);

		world__count(&world, &read, job % 100 + 1, 2000, 4096);
		world__count(&world, &lib, 3, job == 5000 ? 400000000 : 40000, 0);
	}
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		struct metrics *metrics = metrics__new(bounds[i], 0);
		struct metrics_folded folded;
		size_t samples;
		char *text;

		assert_non_null(metrics);
		text = update(&world, metrics);
		free(text);
		text = text_of(&world, metrics, &samples);
		assert_true(samples <= bounds[i] && samples > bounds[i] / 2);
		assert_true(strlen(text) < bounds[i] * 150);
		free(text);
		check_totals(&world, metrics);
		folded = metrics__folded(metrics);
		assert_int_equal(folded.jobs + metrics__n_jobs(metrics), 10000 + 1);
		assert_true(folded.rows > 0 || i > 0);
		assert_non_null(find_job(metrics, 5000));
		assert_non_null(find_job(metrics, TM_JOB_OTHERS));
		metrics__free(metrics);
	}
	world__close(&world);
}

/* What was told of each set of labels: the last value. */
struct told {
	const char *name; /* first: compared */
	long double value;
	unsigned int round;
};

static int compare_told(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool is_counter(const char *line)
{
	static const char *const ends[] = { "_total", "_bucket", "_count", "_sum" };
	size_t n = strcspn(line, "{ ");

	for (size_t i = 0; i < 4; i++)
		if (n > strlen(ends[i]) &&
		    !strncmp(line + n - strlen(ends[i]), ends[i], strlen(ends[i])))
			return true;
	return false;
}

static void free_told(void *node)
{
	struct told *told = node;

	free((void *)told->name);
	free(told);
}

/* Every name is there once, and no counter is less than it ever was. */
static void check_text(void **all, char *text, unsigned int round)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *space = strrchr(line, ' ');
		struct told *told, **node;
		long double value;

		if (*line == '#')
			continue;
		assert_non_null(space);
		*space = '\0';
		value = strtold(space + 1, NULL);
		told = calloc(1, sizeof(*told));
		assert_non_null(told);
		told->name = strdup(line);
		node = tsearch(told, all, compare_told);
		assert_non_null(node);
		if (*node != told) {
			free_told(told);
			told = *node;
			if (told->round == round)
				fail_msg("%s is there twice", line);
			if (is_counter(line) && value < told->value)
				fail_msg("round %u: %s was %Lf and is %Lf", round, line,
					 told->value, value);
		}
		told->value = value;
		told->round = round;
	}
}

/* A machine on which all that can happen to jobs does. */
struct life {
	struct world world;
	unsigned int seed;
	__u64 next_job;
	__u64 living[400];
	size_t n;
};

static unsigned int below(struct life *life, unsigned int n)
{
	return (unsigned int)rand_r(&life->seed) % n;
}

static void begin_some(struct life *life)
{
	for (unsigned int i = below(life, 20); i > 0 && life->n < 400; i--)
		life->living[life->n++] = life->next_job++;
}

static void end_some(struct life *life)
{
	for (unsigned int i = below(life, 12); i > 0 && life->n; i--) {
		size_t at = below(life, (unsigned int)life->n);

		world__recycle(&life->world, life->living[at]);
		life->living[at] = life->living[--life->n];
	}
}

/* Some are busy for a while; of these each has functions that come later. */
static void work(struct life *life, unsigned int round)
{
	for (size_t i = 0; i < life->n; i++) {
		__u64 job = life->living[i];
		bool busy = (job * 7 + round / 10) % 13 == 0;
		struct tm_key disk = { .job = job,
				       .layer = TM_LAYER_BLOCK,
				       .where = job % 3 << 20,
				       .function = job % 2 };
		struct tm_key key = key_of_read(job);

		if (!busy && below(life, 4))
			continue;
		world__count(&life->world, &key, busy ? 100 : 1, 5000, 512);
		key = key_of_lib(job, (__u32)((job + round / 5 * 3) % FUNCTIONS));
		world__count(&life->world, &key, 1 + below(life, 5), busy ? 100000000 : 7000, 9);
		key.flags = TM_KEY_OPERATION;
		world__count(&life->world, &key, 2, 300000, 1);
		if (job % 5 == 0)
			for (__u32 f = 0; f < 60; f++) {
				key = key_of_lib(job, f);
				world__count(&life->world, &key, 1, (f + round) % 60 * 10000, 1);
			}
		snprintf(world__series(&life->world, &disk)->series.total.label, 16, "sd%llu",
			 job % 3);
		world__count(&life->world, &disk, 1, 2000000, 4096);
	}
}

static void test_nothing_falls(void **state)
{
	struct metrics *metrics = metrics__new(METRICS_LEAST, 0);
	struct life life = { .seed = 5, .next_job = 1 };
	size_t folds = 0, samples, bound = METRICS_LEAST;
	void *told = NULL;

	(void)state;
	world__open(&life.world);
	for (unsigned int round = 1; round <= 150; round++) {
		char *text;

		begin_some(&life);
		if (round > 20)
			end_some(&life);
		work(&life, round);
		world__pass(&life.world, 1 + below(&life, 30));
		/* Once in a while somebody changes the bound. */
		if (round % 40 == 0)
			bound = METRICS_LEAST * (1 + below(&life, 3));
		metrics__bound(metrics, bound);
		free(update(&life.world, metrics));
		text = text_of(&life.world, metrics, &samples);
		assert_true(samples <= bound);
		check_text(&told, text, round);
		check_totals(&life.world, metrics);
		free(text);
		folds = metrics__folded(metrics).times;
	}
	/* Or else this was no test. */
	assert_true(folds > 50);
	tdestroy(told, free_told);
	metrics__free(metrics);
	world__close(&life.world);
}

/* Who comes out of the others begins at 0, and they keep what was counted until then. */
static void test_comes_out(void **state)
{
	struct metrics *metrics = metrics__new(METRICS_LEAST, 0);
	const struct tm_key late = key_of_read(900);
	struct world world;
	char *text;

	(void)state;
	world__open(&world);
	for (__u64 job = 1; job <= 1000; job++) {
		const struct tm_key read = key_of_read(job);

		world__count(&world, &read, job == 900 ? 1 : 50, 2000, 1);
	}
	text = update(&world, metrics);
	assert_null(strstr(text, "cgroup-900\""));
	free(text);
	world__pass(&world, 10);
	world__count(&world, &late, 1000000, 2000, 1);
	text = update(&world, metrics);
	expect(text,
	       "tmtrace_calls_total{job=\"/slice/cgroup-900\",layer=\"vfs\",function=\"read\","
	       "since=\"2023-11-14T22:13:30.000Z\"} 0");
	free(text);
	world__count(&world, &late, 7, 2000, 1);
	text = update(&world, metrics);
	expect(text,
	       "tmtrace_calls_total{job=\"/slice/cgroup-900\",layer=\"vfs\",function=\"read\","
	       "since=\"2023-11-14T22:13:30.000Z\"} 7");
	check_totals(&world, metrics);
	free(text);
	metrics__free(metrics);
	world__close(&world);
}

/* One that begins while others have no room, and is busy at once, is told from its begin on. */
static void test_new_and_busy(void **state)
{
	struct metrics *metrics = metrics__new(METRICS_LEAST, 0);
	const struct tm_key new = key_of_read(5000);
	struct world world;
	char *text;

	(void)state;
	world__open(&world);
	for (__u64 job = 1; job <= 1000; job++) {
		const struct tm_key read = key_of_read(job);

		world__count(&world, &read, 50, 2000, 1);
	}
	free(update(&world, metrics));
	world__pass(&world, 15);
	world__count(&world, &new, 1000000, 2000, 1);
	text = update(&world, metrics);
	expect(text, "tmtrace_calls_total{job=\"/slice/cgroup-5000\",layer=\"vfs\","
		     "function=\"read\",since=\"2023-11-14T22:13:20.000Z\"} 1000000");
	free(text);
	metrics__free(metrics);
	world__close(&world);
}

/* A unit that was started again has the same path: its counters have another label. */
static void test_same_names(void **state)
{
	struct metrics *metrics = metrics__new(METRICS_LEAST, 0);
	struct world world;
	char *text;

	(void)state;
	world__open(&world);
	for (__u64 id = 1; id <= 4; id++) {
		const struct tm_key read = key_of_read(id);
		struct made_job *job = world__know(&world, id);

		job->path = "/system.slice/a.service";
		/* Of two it is not known when they began. */
		if (id == 3)
			job->info.start_ns = WORLD_BEGIN + 1234567890;
		if (id == 4) {
			job->info.is_named = true;
			job->info.uid = 1000;
			job->info.kind = "slurm";
			job->info.jobid = "other";
		}
		world__count(&world, &read, id, 2000, 1);
	}
	text = update(&world, metrics);
	expect(text, "tmtrace_calls_total{job=\"/system.slice/a.service\",layer=\"vfs\","
		     "function=\"read\"} 1");
	expect(text, "tmtrace_calls_total{job=\"other\",layer=\"vfs\",function=\"read\"} 2");
	expect(text, "tmtrace_calls_total{job=\"/system.slice/a.service\",layer=\"vfs\","
		     "function=\"read\",since=\"2023-11-14T22:13:21.234Z\"} 3");
	/* Anybody may call a job so. */
	expect(text, "tmtrace_calls_total{job=\"other\",uid=\"1000\",layer=\"vfs\","
		     "function=\"read\"} 4");
	free(text);
	world__recycle(&world, 1);
	text = update(&world, metrics);
	/* The second one has no room still: the first one's counter was less. */
	expect(text, "tmtrace_calls_total{job=\"other\",layer=\"vfs\",function=\"read\"} 3");
	check_totals(&world, metrics);
	free(text);
	metrics__free(metrics);
	world__close(&world);
}

/* Numbers of jobs that the environment names are used again: then nothing of the first one is left.
 */
static void test_number_again(void **state)
{
	struct metrics *metrics = metrics__new(METRICS_LEAST, 0);
	const __u64 number = TM_ENV_JOB_BIT | 5;
	const struct tm_key read = key_of_read(number);
	struct made_job *job;
	struct world world;
	char *text;

	(void)state;
	world__open(&world);
	job = world__know(&world, number);
	job->info.kind = "slurm";
	job->info.jobid = "17";
	job->info.is_named = true;
	world__count(&world, &read, 100, 2000, 1);
	text = update(&world, metrics);
	expect(text,
	       "tmtrace_calls_total{job=\"17\",uid=\"0\",layer=\"vfs\",function=\"read\"} 100");
	free(text);
	/* The same name, and less: it is another one. */
	world__recycle(&world, number);
	world__pass(&world, 10);
	world__count(&world, &read, 7, 2000, 1);
	text = update(&world, metrics);
	expect(text, "tmtrace_calls_total{job=\"17\",uid=\"0\",layer=\"vfs\",function=\"read\","
		     "since=\"2023-11-14T22:13:20.000Z\"} 7");
	expect(text, "tmtrace_calls_total{job=\"other\",layer=\"vfs\",function=\"read\"} 100");
	free(text);
	/* Another name, and more. */
	world__recycle(&world, number);
	world__pass(&world, 10);
	job->info.jobid = "18";
	world__count(&world, &read, 500, 2000, 1);
	text = update(&world, metrics);
	expect(text, "tmtrace_calls_total{job=\"18\",uid=\"0\",layer=\"vfs\",function=\"read\","
		     "since=\"2023-11-14T22:13:30.000Z\"} 500");
	check_totals(&world, metrics);
	free(text);
	metrics__free(metrics);
	world__close(&world);
}

/* After a restart it is not known who was among the others. */
static void test_restarted(void **state)
{
	struct metrics *metrics = metrics__new(METRICS_LEAST, WORLD_BEGIN + 5 * NS_PER_S);
	const struct tm_key none = { .layer = TM_LAYER_VFS, .function = TM_VFS_OPEN };
	const struct tm_key others = { .job = TM_JOB_OTHERS,
				       .layer = TM_LAYER_VFS,
				       .function = TM_VFS_OPEN };
	struct world world;
	char *text;

	(void)state;
	world__open(&world);
	world__count(&world, &none, 3, 100, 0);
	world__count(&world, &others, 5, 100, 0);
	text = update(&world, metrics);
	expect(text, "tmtrace_calls_total{job=\"none\",layer=\"vfs\",function=\"open\"} 3");
	expect(text, "tmtrace_calls_total{job=\"other\",layer=\"vfs\",function=\"open\","
		     "since=\"2023-11-14T22:13:25.000Z\"} 5");
	free(text);
	metrics__free(metrics);
	world__close(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_jobs),  cmocka_unit_test(test_nothing_falls),
		cmocka_unit_test(test_comes_out),  cmocka_unit_test(test_new_and_busy),
		cmocka_unit_test(test_same_names), cmocka_unit_test(test_number_again),
		cmocka_unit_test(test_restarted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

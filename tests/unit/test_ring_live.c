// SPDX-License-Identifier: GPL-2.0-only
/* A ring-buffered file is read while a process writes it, and after that one was killed. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "ring_sample.h"

#define READERS	  4
#define KILLS	  50
#define FILE_SIZE (256 << 10)
#define STATES	  32

/* What the writing process tells of itself, in shared memory. */
struct told {
	__u64 versions[SAMPLE_KEYS]; /* in the file */
	__u64 events;
	__u64 flushes;
	bool stop;
};

// NOLINTNEXTLINE(readability-non-const-parameter): it is written to
static void put(__u64 *where, __u64 value)
{
	__atomic_store_n(where, value, __ATOMIC_RELEASE);
}

static __u64 get(const __u64 *where)
{
	return __atomic_load_n(where, __ATOMIC_ACQUIRE);
}

/* In a process of its own, where no test can fail. */
static int tell(const struct error *err)
{
	fprintf(stderr, "the writer: %s\n", err->text);
	return 1;
}

/* Writes until it is told to stop. 1 says that something failed. */
static int write_on(const struct sample_file *file, struct told *told)
{
	struct ring_writer *writer = sample_file__write(file, FILE_SIZE);
	__u64 seed = 88172645463325252ULL, events = 0, version = 0;
	__u64 versions[SAMPLE_KEYS] = { 0 };
	struct error err = { 0 };

	while (!__atomic_load_n(&told->stop, __ATOMIC_ACQUIRE)) {
		for (__u64 n = sample_random(&seed) % 20; n; n--) {
			__u64 key = sample_random(&seed) % STATES;
			size_t size = 24 + sample_random(&seed) % 500;

			if (sample_state(writer, key, ++version, size, &err) < 0)
				return tell(&err);
			versions[key] = version;
			sample_events(writer, events, 5, size);
			events += 5;
		}
		if (ring_writer__flush(writer, &err) < 0)
			return tell(&err);
		for (__u64 key = 0; key < STATES; key++)
			put(&told->versions[key], versions[key]);
		put(&told->events, events);
		put(&told->flushes, told->flushes + 1);
	}
	return ring_writer__close(writer, NULL) < 0;
}

struct world {
	struct sample_file file;
	struct told *told;
	pid_t writer;
};

static void start(struct world *world)
{
	memset(world, 0, sizeof(*world));
	sample_file__make(&world->file);
	world->told = mmap(NULL, sizeof(*world->told), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(world->told != MAP_FAILED);
	world->writer = fork();
	assert_true(world->writer >= 0);
	if (world->writer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(write_on(&world->file, world->told));
	}
	while (!get(&world->told->flushes))
		sched_yield();
}

/* Ends the writer by this signal, or by telling it (0). */
static void end(struct world *world, int signal)
{
	int status;

	if (signal)
		assert_int_equal(kill(world->writer, signal), 0);
	else
		__atomic_store_n(&world->told->stop, true, __ATOMIC_RELEASE);
	assert_int_equal(waitpid(world->writer, &status, 0), world->writer);
	assert_true(signal ? WIFSIGNALED(status) : WIFEXITED(status) && !WEXITSTATUS(status));
}

static void clear(struct world *world)
{
	munmap(world->told, sizeof(*world->told));
	close(world->file.fd);
}

/* Nothing that was written is told to be damaged, and no event is missing without being told. */
static void check_losses(const struct sample_found *found)
{
	assert_int_equal(found->losses.damaged + found->losses.damaged_blocks, 0);
	if (found->losses.dropped == 0)
		assert_int_equal(found->losses.overwritten + found->events, found->last);
}

/* Everything is there that was in the file when the writer told of it. */
static void check_told(const struct sample_found *found, const struct told *told)
{
	assert_true(found->last >= told->events);
	for (int key = 0; key < STATES; key++)
		assert_true(found->versions[key] >= told->versions[key]);
}

/* Readers that follow, each in its own pace, while the file wraps hundreds of times. */
static void test_follow(void **state)
{
	struct ring_reader *readers[READERS];
	struct sample_found found[READERS] = { 0 };
	struct ring_entry entry;
	struct world world;

	(void)state;
	start(&world);
	for (int i = 0; i < READERS; i++)
		readers[i] = sample_file__read(&world.file);
	for (int round = 0; round < 2000; round++) {
		for (int i = 0; i < READERS; i++) {
			if (round % (1 << 2 * i))
				continue;
			/* Not always to the end. */
			for (int n = round % 50; n && ring_reader__next(readers[i], &entry); n--)
				sample_take(&entry, &found[i]);
			assert_int_equal(ring_reader__scan(readers[i], NULL), 0);
			if (round % 3)
				sample_read(readers[i], &found[i]);
			ring_reader__losses(readers[i], &found[i].losses);
			assert_int_equal(found[i].losses.damaged_blocks, 0);
		}
	}
	end(&world, 0);
	for (int i = 0; i < READERS; i++) {
		assert_int_equal(ring_reader__scan(readers[i], NULL), 0);
		sample_read(readers[i], &found[i]);
		check_losses(&found[i]);
		assert_int_equal(found[i].last, world.told->events);
		for (int key = 0; key < STATES; key++)
			assert_int_equal(found[i].versions[key], world.told->versions[key]);
		ring_reader__close(readers[i]);
	}
	clear(&world);
}

/* Who opens it now gets all that is in the file; a writer that stands still is in the middle of it.
 */
static void test_open_often(void **state)
{
	struct world world;
	int status;

	(void)state;
	start(&world);
	for (int round = 0; round < 200; round++) {
		struct sample_found found = { 0 };
		struct ring_reader *reader = sample_file__read(&world.file);

		sample_read(reader, &found);
		check_losses(&found);
		ring_reader__close(reader);

		assert_int_equal(kill(world.writer, SIGSTOP), 0);
		assert_int_equal(waitpid(world.writer, &status, WUNTRACED), world.writer);
		memset(&found, 0, sizeof(found));
		reader = sample_file__read(&world.file);
		sample_read(reader, &found);
		check_losses(&found);
		check_told(&found, world.told);
		ring_reader__close(reader);
		assert_int_equal(kill(world.writer, SIGCONT), 0);
	}
	end(&world, 0);
	clear(&world);
}

/* A reader that was overtaken by more than a ring says so, and goes on with what is there. */
static void test_overtaken(void **state)
{
	struct sample_found found = { 0 };
	struct sample_file file;
	struct ring_writer *writer;
	struct ring_reader *reader;
	__u64 events = 0;

	(void)state;
	sample_file__make(&file);
	writer = sample_file__write(&file, FILE_SIZE);
	for (; events < 50; events++)
		sample_events(writer, events, 1, 1000);
	assert_int_equal(ring_writer__flush(writer, NULL), 0);
	reader = sample_file__read(&file);
	for (; events < 2000; events++) {
		sample_events(writer, events, 1, 1000);
		if (events % 10 == 0)
			assert_int_equal(ring_writer__flush(writer, NULL), 0);
	}
	assert_int_equal(ring_writer__flush(writer, NULL), 0);
	sample_read(reader, &found);
	assert_int_equal(found.events, 0);
	assert_int_equal(ring_reader__scan(reader, NULL), 0);
	sample_read(reader, &found);
	assert_int_equal(found.last, 2000);
	assert_int_equal(found.losses.overwritten + found.events, 2000);
	assert_int_equal(found.losses.damaged_blocks, 0);
	ring_reader__close(reader);
	assert_int_equal(ring_writer__close(writer, NULL), 0);
	close(file.fd);
}

/* At any moment; what was flushed is there, and what was not is whole or not there. */
static void test_killed(void **state)
{
	__u64 seed = 123456789;

	(void)state;
	for (int n = 0; n < KILLS; n++) {
		__u64 flushes = 1 + sample_random(&seed) % 200;
		__u64 more = sample_random(&seed) % 20000;
		struct sample_found found = { 0 };
		struct ring_reader *reader;
		struct world world;

		start(&world);
		while (get(&world.told->flushes) < flushes)
			sched_yield();
		for (__u64 i = 0; i < more; i++)
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
		end(&world, SIGKILL);
		reader = sample_file__read(&world.file);
		sample_read(reader, &found);
		check_losses(&found);
		check_told(&found, world.told);
		ring_reader__close(reader);
		clear(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_open_often),
		cmocka_unit_test(test_overtaken),
		cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "attach/file_watch.h"

/* A file of the test's own, and who watches it. */
struct world {
	struct file_watcher *watcher;
	char path[32];
	int fd; /* open for reading */
};

static int begin(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	strcpy(world->path, "/tmp/tmtrace-test.XXXXXX");
	close(mkstemp(world->path));
	world->fd = open(world->path, O_RDONLY | O_CLOEXEC);
	assert_true(world->fd >= 0);
	assert_int_equal(file_watcher__new(&world->watcher), 0);
	*state = world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;

	file_watcher__free(world->watcher);
	close(world->fd);
	unlink(world->path);
	free(world);
	return 0;
}

/* Who writes to it, in a thread, as it may have to wait. */
struct writer {
	const char *path;
	pthread_t thread;
	bool through; /* it has it open */
};

static void *open_to_write(void *argument)
{
	struct writer *writer = argument;
	int fd = open(writer->path, O_WRONLY | O_CLOEXEC);

	__atomic_store_n(&writer->through, true, __ATOMIC_SEQ_CST);
	close(fd);
	return NULL;
}

static void *cut_short(void *argument)
{
	struct writer *writer = argument;
	int rc = truncate(writer->path, 0);

	__atomic_store_n(&writer->through, true, __ATOMIC_SEQ_CST);
	return rc ? argument : NULL;
}

static bool is_told(const struct file_watcher *watcher, int which, int ms)
{
	int fds[FILE_WATCHER_FDS];
	struct pollfd one = { .events = POLLIN };

	file_watcher__fds(watcher, fds);
	one.fd = fds[which];
	return poll(&one, 1, ms) == 1;
}

static void write_while_leased(struct world *world, void *(*write_it)(void *argument))
{
	struct file_watch watch = file_watcher__add(world->watcher, world->fd);
	struct writer writer = { .path = world->path };
	void *failed;

	if (watch.lease < 0) {
		print_message("skipped: the file system of /tmp gives no leases\n");
		skip();
	}
	assert_int_equal(watch.mark, -1);
	assert_true(file_watch__is_set(&watch));
	assert_false(file_watch__is_wanted(&watch));
	assert_false(file_watcher__asked(world->watcher));
	assert_int_equal(pthread_create(&writer.thread, NULL, write_it, &writer), 0);
	assert_true(is_told(world->watcher, 0, 10000));
	assert_true(file_watcher__asked(world->watcher));
	assert_false(file_watcher__asked(world->watcher));
	assert_true(file_watch__is_wanted(&watch));
	assert_false(__atomic_load_n(&writer.through, __ATOMIC_SEQ_CST));
	file_watcher__remove(world->watcher, &watch);
	assert_false(file_watch__is_set(&watch));
	assert_false(file_watch__is_wanted(&watch));
	pthread_join(writer.thread, &failed);
	assert_null(failed);
}

static void test_who_opens_to_write_waits(void **state)
{
	write_while_leased(*state, open_to_write);
}

static void test_who_cuts_short_waits(void **state)
{
	write_while_leased(*state, cut_short);
}

/* Another descriptor of the same open file does not keep who writes waiting. */
static void test_lease_ends_with_the_watch(void **state)
{
	struct world *world = *state;
	struct file_watch watch = file_watcher__add(world->watcher, world->fd);
	int fd;

	assert_true(file_watch__is_set(&watch));
	file_watcher__remove(world->watcher, &watch);
	fd = open(world->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	assert_true(fd >= 0);
	close(fd);
}

static void count(void *ctx, int mark)
{
	struct file_watch *watch = ctx;

	assert_int_equal(mark, watch->mark);
	watch->lease--;
}

/* There is no lease of a file that is open for writing: it is told afterwards. */
static void test_writer_of_before(void **state)
{
	struct world *world = *state;
	int fd = open(world->path, O_WRONLY | O_CLOEXEC);
	struct file_watch watch = file_watcher__add(world->watcher, world->fd), seen;

	assert_int_equal(watch.lease, -1);
	assert_true(watch.mark >= 0);
	assert_false(is_told(world->watcher, 1, 0));
	assert_int_equal(write(fd, "x", 1), 1);
	assert_true(is_told(world->watcher, 1, 10000));
	assert_false(file_watcher__asked(world->watcher));
	seen = watch;
	file_watcher__read(world->watcher, count, &seen);
	assert_int_equal(seen.lease, watch.lease - 1);
	file_watcher__remove(world->watcher, &watch);
	/* That the mark is gone is told, too, but is no write. */
	file_watcher__read(world->watcher, count, &seen);
	assert_int_equal(seen.lease, -2);
	assert_false(file_watch__is_set(&watch));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_who_opens_to_write_waits, begin, end),
		cmocka_unit_test_setup_teardown(test_who_cuts_short_waits, begin, end),
		cmocka_unit_test_setup_teardown(test_lease_ends_with_the_watch, begin, end),
		cmocka_unit_test_setup_teardown(test_writer_of_before, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

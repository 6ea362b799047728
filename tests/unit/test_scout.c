// SPDX-License-Identifier: GPL-2.0-only
/* What a scout hands over of a file, and what it says of those that it cannot read. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/path.h"
#include "elf/elf_file.h"
#include "host/scout.h"
#include "own_folder.h"

#define LARGE (200LL << 20)

struct world {
	pid_t pid;
	int socket, marks;
};

static int begin(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct scout_tools tools = { .program = -1 };

	world->marks = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	tools.marks = world->marks;
	*state = world;
	return scout__start(&tools, &world->pid, &world->socket);
}

static int end(void **state)
{
	struct world *world = *state;

	close(world->socket);
	waitpid(world->pid, NULL, 0);
	close(world->marks);
	free(world);
	return 0;
}

static struct scout_answer ask(const struct world *world, enum scout_errand errand,
			       const char *path)
{
	static struct scout_question question;
	struct scout_answer answer;
	struct pollfd wait = { .fd = world->socket, .events = POLLIN };

	question = (struct scout_question){ .errand = errand };
	snprintf(question.name, sizeof(question.name), "%s", path);
	assert_true(scout__ask(world->socket, &question));
	assert_int_equal(poll(&wait, 1, 60000), 1);
	assert_true(scout__receive(world->socket, &answer));
	return answer;
}

static void test_copy(void **state)
{
	struct scout_answer answer = ask(*state, SCOUT_LOOK, "/proc/self/exe");
	struct stat own, node, content;
	struct elf_file *elf;
	struct error err;

	assert_int_equal(answer.code, 0);
	assert_int_equal(stat("/proc/self/exe", &own), 0);
	assert_int_equal(fstat(answer.node, &node), 0);
	assert_int_equal(fstat(answer.content, &content), 0);
	assert_int_equal(node.st_ino, own.st_ino);
	assert_int_equal(answer.st.st_ino, own.st_ino);
	assert_int_equal(content.st_size, own.st_size);
	assert_int_equal(fcntl(answer.node, F_GETFL) & O_PATH, O_PATH);
	assert_int_equal(pwrite(answer.content, "x", 1, 0), -1);
	assert_int_equal(elf_file__open_fd(&elf, answer.content, "copy", &err), 0);
	assert_true(elf_file__n_functions(elf) > 0);
	elf_file__close(elf);
	scout__let_go(&answer);
	assert_int_equal(answer.node, -1);
}

/* Appends a hole, in which a debugger's sections could be, to a copy of this program. */
static void make_large(const char *path)
{
	char command[PATH_MAX + 64];

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(), path);
	assert_int_equal(system(command), 0);
	assert_int_equal(truncate(path, LARGE), 0);
}

static void test_large(void **state)
{
	struct scout_answer answer;
	struct elf_file *elf, *own;
	struct stat content;
	struct error err;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", in_folder("large"));
	make_large(path);
	answer = ask(*state, SCOUT_LOOK, path);
	assert_int_equal(answer.code, 0);
	assert_int_equal(fstat(answer.content, &content), 0);
	assert_int_equal(content.st_size, LARGE);
	assert_true(content.st_blocks * 512 < LARGE / 2);
	assert_int_equal(elf_file__open_fd(&elf, answer.content, "copy", &err), 0);
	assert_int_equal(elf_file__open(&own, "/proc/self/exe", &err), 0);
	assert_int_equal(elf_file__n_functions(elf), elf_file__n_functions(own));
	elf_file__close(elf);
	elf_file__close(own);
	scout__let_go(&answer);
	unlink(path);
}

static void test_refused(void **state)
{
	char path[PATH_MAX];
	struct scout_answer answer = ask(*state, SCOUT_LOOK, "/nonexistent");

	assert_int_equal(answer.code, -ENOENT);
	assert_non_null(strstr(answer.text, "/nonexistent: "));
	assert_int_equal(answer.node, -1);
	snprintf(path, sizeof(path), "%s", in_folder("fifo"));
	assert_int_equal(mkfifo(path, 0600), 0);
	answer = ask(*state, SCOUT_LOOK, path);
	assert_int_equal(answer.code, -ENOEXEC);
	unlink(path);
}

static void test_mark(void **state)
{
	const struct world *world = *state;
	struct inotify_event event;
	struct scout_answer first, answer;
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s", in_folder("marked"));
	file = fopen(path, "w");
	fputs("one", file);
	fflush(file);
	first = ask(world, SCOUT_LOOK, path);
	assert_int_equal(first.code, 0);
	answer = ask(world, SCOUT_MARK, "");
	assert_int_equal(answer.code, 0);
	assert_int_equal(answer.st.st_size, first.st.st_size);
	fputs("two", file);
	fclose(file);
	assert_int_equal(read(world->marks, &event, sizeof(event)), sizeof(event));
	assert_int_equal(event.wd, answer.mark);
	assert_int_equal(event.mask, IN_MODIFY);
	scout__let_go(&first);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_copy, begin, end),
		cmocka_unit_test_setup_teardown(test_large, begin, end),
		cmocka_unit_test_setup_teardown(test_refused, begin, end),
		cmocka_unit_test_setup_teardown(test_mark, begin, end),
	};

	return cmocka_run_group_tests_name("scout", tests, make_folder, remove_folder);
}

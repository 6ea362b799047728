// SPDX-License-Identifier: GPL-2.0-only
/* Making a file for a ring, and opening what may be none. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <zlib.h>

#include "ring_sample.h"
#include "ring/ring_file.h"

#define FILE_SIZE (1 << 20)

/* A folder of its own, which is the working one. */
static int setup(void **state)
{
	char *folder = strdup("/tmp/tmtrace-ring.XXXXXX");

	assert_non_null(folder);
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	*state = folder;
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = { "data", "data.old", "other" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(names[i]);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(*state), 0);
	free(*state);
	return 0;
}

static void put_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* Makes a recording with a state of this version; its writer stays open. */
static struct ring_writer *make(const char *path, __u64 version)
{
	struct ring_writer *writer = NULL;
	struct error err = { 0 };
	int fd = ring_file__make(path, &err);

	if (fd < 0 || ring_writer__create(&writer, fd, path, FILE_SIZE, &err) < 0 ||
	    sample_state(writer, 1, version, 100, &err) < 0 || ring_writer__flush(writer, &err) < 0)
		fail_msg("%s", err.text);
	return writer;
}

static __u64 read_version(const char *path)
{
	struct sample_found found = { 0 };
	struct ring_reader *reader = NULL;
	struct error err = { 0 };

	if (ring_reader__open(&reader, path, &err) < 0 || ring_reader__scan(reader, &err) < 0)
		fail_msg("%s", err.text);
	sample_read(reader, &found);
	ring_reader__close(reader);
	return found.versions[1];
}

static void expect_refused(int code, const char *text)
{
	struct error err = { 0 };

	assert_int_equal(ring_file__make("data", &err), code);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, text));
}

/* The recording before is kept, the one before that is not. */
static void test_keeps_old(void **state)
{
	(void)state;
	for (__u64 version = 1; version <= 3; version++) {
		assert_int_equal(ring_writer__close(make("data", version), NULL), 0);
		assert_int_equal(read_version("data"), version);
	}
	assert_int_equal(read_version("data.old"), 2);
}

static void test_refuses_foreign(void **state)
{
	(void)state;
	put_text("data", "my thesis\n");
	expect_refused(-EEXIST, "no recording");
	assert_int_equal(unlink("data"), 0);
	assert_int_equal(mkdir("data", 0700), 0);
	expect_refused(-EEXIST, "no recording");
	assert_int_equal(rmdir("data"), 0);
	assert_int_equal(mkfifo("data", 0600), 0);
	expect_refused(-EEXIST, "no recording");
	assert_int_equal(unlink("data"), 0);
	assert_int_equal(symlink("missing/folder", "data"), 0);
	/* Root looks where links lead to, others do not get that far. */
	expect_refused(geteuid() ? -EEXIST : -ENOENT,
		       geteuid() ? "cannot be made" : "data: No such");
	assert_int_equal(unlink("data"), 0);

	assert_int_equal(ring_writer__close(make("data", 1), NULL), 0);
	put_text("data.old", "my thesis\n");
	expect_refused(-EEXIST, "data.old");
	assert_int_equal(read_version("data"), 1);
}

/* As mktemp makes it. */
static void test_takes_empty(void **state)
{
	(void)state;
	put_text("data", "");
	assert_int_equal(ring_writer__close(make("data", 5), NULL), 0);
	assert_int_equal(read_version("data"), 5);
}

static void test_refuses_busy(void **state)
{
	struct ring_writer *writer = make("data", 1);

	(void)state;
	expect_refused(-EBUSY, "another tmtrace");
	assert_int_equal(ring_writer__close(writer, NULL), 0);
	writer = make("data", 2);
	assert_int_equal(read_version("data.old"), 1);
	assert_int_equal(ring_writer__close(writer, NULL), 0);
}

static void test_sizes(void **state)
{
	static const __u64 sizes[] = { 0, 1, RING_FILE_MIN - 1, 1ULL << 60, ~0ULL };
	struct ring_writer *writer = NULL;
	struct error err;
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		fd = ring_file__make("data", &err);
		assert_true(fd >= 0);
		assert_int_equal(ring_writer__create(&writer, fd, "data", sizes[i], &err), -EINVAL);
		assert_non_null(strstr(err.text, "data: "));
		close(fd);
	}
}

static void expect_unreadable(int code, const char *text)
{
	struct ring_reader *reader = NULL;
	struct error err = { 0 };

	assert_int_equal(ring_reader__open(&reader, "data", &err), code);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, text));
}

static void test_reads_no_foreign(void **state)
{
	(void)state;
	expect_unreadable(-ENOENT, "cannot be opened");
	put_text("data", "");
	expect_unreadable(-EINVAL, "not a recording");
	put_text("data", "tmtrace is a tool");
	expect_unreadable(-EINVAL, "not a recording");
	put_text("data", "tmtrace\n");
	expect_unreadable(-EBADMSG, "damaged");
	assert_int_equal(unlink("data"), 0);
	assert_int_equal(mkfifo("data", 0600), 0);
	expect_unreadable(-EINVAL, "not a recording");
	assert_int_equal(unlink("data"), 0);
	assert_int_equal(mkdir("data", 0700), 0);
	expect_unreadable(-EINVAL, "not a recording");
	assert_int_equal(rmdir("data"), 0);
}

/* Both copies of the header, changed and with the right checksum. */
static void put_header(const struct ring_file_header *header)
{
	struct ring_file_header changed = *header;
	FILE *file = fopen("data", "r+");

	assert_non_null(file);
	changed.crc = 0;
	changed.crc = (__le32)crc32(0, (const Bytef *)&changed, sizeof(changed));
	assert_int_equal(fwrite(&changed, sizeof(changed), 1, file), 1);
	assert_int_equal(fseek(file, RING_SECOND_HEADER, SEEK_SET), 0);
	assert_int_equal(fwrite(&changed, sizeof(changed), 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

static struct ring_file_header get_header(void)
{
	struct ring_file_header header;
	FILE *file = fopen("data", "r");

	assert_non_null(file);
	assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	return header;
}

static void test_reads_no_newer(void **state)
{
	struct ring_file_header header;

	(void)state;
	assert_int_equal(ring_writer__close(make("data", 1), NULL), 0);
	header = get_header();
	put_header(&header);
	assert_int_equal(read_version("data"), 1);
	header.version = 2;
	put_header(&header);
	expect_unreadable(-ENOTSUP,
			  "has format 2, this one, " TMTRACE_VERSION ", reads 1; take a newer one");
	/* It is a recording all the same, and kept. */
	assert_int_equal(ring_writer__close(make("data", 3), NULL), 0);
}

/* Sizes that would lead the reader astray. */
static void test_hostile_header(void **state)
{
	struct ring_file_header good, header;

	(void)state;
	assert_int_equal(ring_writer__close(make("data", 1), NULL), 0);
	good = get_header();
	for (int i = 0; i < 6; i++) {
		header = good;
		switch (i) {
		case 0:
			header.ring_size = 0;
			break;
		case 1:
			header.ring_size = ~0ULL;
			break;
		case 2:
			header.ring_size++;
			break;
		case 3:
			header.block_max = 0;
			break;
		case 4:
			header.block_max = 0xfffff000;
			break;
		default:
			header.block_max++;
		}
		put_header(&header);
		expect_unreadable(-EBADMSG, "sizes that cannot be");
	}
}

/* One copy of the header is enough; a file that was cut says so. */
static void test_damaged(void **state)
{
	struct ring_reader *reader = NULL;
	struct ring_losses losses;
	struct ring_info info;
	FILE *file;

	(void)state;
	assert_int_equal(ring_writer__close(make("data", 4), NULL), 0);
	file = fopen("data", "r+");
	assert_non_null(file);
	assert_int_equal(fwrite("X", 1, 1, file), 1);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(read_version("data"), 4);

	assert_int_equal(truncate("data", FILE_SIZE / 2), 0);
	assert_int_equal(read_version("data"), 4);
	assert_int_equal(ring_reader__open(&reader, "data", NULL), 0);
	ring_reader__info(reader, &info);
	assert_true(info.cut);
	assert_int_equal(info.size, FILE_SIZE);
	ring_reader__close(reader);

	/* In the middle of the only block. */
	assert_int_equal(truncate("data", RING_HEADER_SIZE + 100), 0);
	assert_int_equal(ring_reader__open(&reader, "data", NULL), 0);
	assert_int_equal(ring_reader__scan(reader, NULL), 0);
	ring_reader__info(reader, &info);
	assert_int_equal(info.n_blocks, 0);
	ring_reader__losses(reader, &losses);
	assert_true(losses.unfinished);
	ring_reader__close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_keeps_old, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refuses_foreign, setup, teardown),
		cmocka_unit_test_setup_teardown(test_takes_empty, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refuses_busy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sizes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reads_no_foreign, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reads_no_newer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile_header, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

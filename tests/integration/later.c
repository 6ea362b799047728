// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls a function of a library that it maps itself: no function of the C library that loads one is
 * used, so that nobody can know of it beforehand.
 *
 *	later FILE OFFSET BEFORE AFTER CALLS	waits BEFORE ms, maps the file, waits AFTER ms, and
 *						calls what is at that offset so often
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void wait_ms(const char *text)
{
	for (long ms = atol(text); ms > 0; ms--)
		usleep(1000);
}

int main(int argc, char **argv)
{
	int (*function)(int x), fd;
	struct stat st;
	char *code;

	if (argc != 6)
		return 2;
	wait_ms(argv[3]);
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		return 3;
	code = mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (code == MAP_FAILED)
		return 4;
	function = (int (*)(int))(code + strtol(argv[2], NULL, 16));
	wait_ms(argv[4]);
	for (long i = atol(argv[5]); i > 0; i--)
		if (function((int)i) != i + 1)
			return 5;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/path.h"
#include "selftest/subject.h"
#include "selftest/subject_code.h"

/* Newer than Debian 12's headers (105ff5339f49, 6.3): mode bits alone, it can be mapped. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

struct subject {
	int fd;
	char path[PATH_OF_FD];
	char *code; /* mapped; NULL: not */
	size_t size;
};

/* Older kernels do not know the flag; newer ones may ask for it. */
static int open_memory(void)
{
	int fd = memfd_create("tmtrace-subject", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("tmtrace-subject", MFD_CLOEXEC);
	return fd;
}

int subject__new(struct subject **out)
{
	struct subject *subject = calloc(1, sizeof(*subject));
	void *code;
	int ret;

	if (!subject)
		return -ENOMEM;
	subject->size = (uintptr_t)subject_code_end - (uintptr_t)subject_code_begin;
	subject->fd = open_memory();
	if (subject->fd < 0)
		goto fail;
	errno = ENOSPC;
	if (write(subject->fd, subject_code_begin, subject->size) != (ssize_t)subject->size)
		goto fail;
	code = mmap(NULL, subject->size, PROT_READ | PROT_EXEC, MAP_PRIVATE, subject->fd, 0);
	if (code == MAP_FAILED)
		goto fail;
	subject->code = code;
	path__of_fd(subject->path, subject->fd);
	*out = subject;
	return 0;
fail:
	ret = -errno;
	subject__free(subject);
	return ret;
}

void subject__free(struct subject *subject)
{
	if (!subject)
		return;
	if (subject->code)
		munmap(subject->code, subject->size);
	if (subject->fd >= 0)
		close(subject->fd);
	free(subject);
}

const char *subject__path(const struct subject *subject)
{
	return subject->path;
}

__u64 subject__offset(enum subject_site site)
{
	return subject_places[site].probe;
}

__u64 subject__exit(enum subject_site site)
{
	return subject_places[site].exit;
}

subject_function subject__function(const struct subject *subject, enum subject_site site)
{
	return (subject_function)(subject->code + subject_places[site].function);
}

subject_outer subject__outer(const struct subject *subject)
{
	return (subject_outer)(subject->code + subject_places[SITE_OUTER].function);
}

size_t subject__n_instructions(void)
{
	return (size_t)(subject_instructions_end - subject_instructions);
}

const char *subject__instruction_name(size_t i)
{
	return subject_instructions[i].name;
}

__u64 subject__instruction_offset(size_t i)
{
	return subject_instructions[i].probe;
}

const void *subject__instruction_code(const struct subject *subject, size_t i)
{
	return subject->code + subject_instructions[i].code;
}

bool subject__keeps_registers(subject_function function)
{
	return subject_check_registers(function) == 0;
}

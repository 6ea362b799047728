// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel side knows of files: which inode a mapping is of, and who maps one. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <bpf/bpf.h>

#include "kernel/kernel_state.h"

/* So often, and after such pauses, a mapping of our own is asked about. */
#define INODE_TRIES    200
#define INODE_PAUSE_NS 50000

int kernel__inode(const struct kernel *kernel, int fd, struct tm_file *file)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = file, .ctx_size_in = sizeof(*file));
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *mapping = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	int ret, tries = INODE_TRIES;

	if (mapping == MAP_FAILED)
		return -errno;
	*file = (struct tm_file){ .mapping = (uintptr_t)mapping };
	do {
		ret = bpf_prog_test_run_opts(
			kernel_state__fd(kernel, kernel->skel->progs.mapped_inode), &opts);
		ret = ret ? ret : (int)opts.retval;
		/* A thread of ours that comes or goes changes what is mapped. */
		if (ret == -EBUSY)
			nanosleep(&(struct timespec){ .tv_nsec = INODE_PAUSE_NS }, NULL);
	} while (ret == -EBUSY && --tries);
	munmap(mapping, page);
	return ret || file->inode ? ret : -ENOENT;
}

int kernel__inode_program(const struct kernel *kernel)
{
	return kernel_state__fd(kernel, kernel->skel->progs.mapped_inode);
}

int kernel__file_uses(const struct kernel *kernel, struct tm_file_question *files, size_t n)
{
	int fd = kernel_state__fd(kernel, kernel->skel->progs.file_uses), ret = 0;
	struct tm_file_questions questions;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &questions,
		    .ctx_size_in = sizeof(questions));

	for (size_t i = 0, some; !ret && i < n; i += some) {
		some = n - i < TM_FILE_QUESTIONS ? n - i : TM_FILE_QUESTIONS;
		questions = (struct tm_file_questions){ 0 };
		memcpy(questions.files, files + i, some * sizeof(*files));
		ret = bpf_prog_test_run_opts(fd, &opts);
		if (!ret)
			memcpy(files + i, questions.files, some * sizeof(*files));
	}
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* What each system call of x86-64 is to tmtrace. Numbers: asm/unistd_64.h. */
#ifndef BPF_SYSCALLS_BPF_H
#define BPF_SYSCALLS_BPF_H

#include <asm/unistd_64.h>

#include "maps.bpf.h"

/* Newer than Debian 12's headers; numbers are the kernel's ABI. */
#define TM_NR_futex_waitv  449
#define TM_NR_futex_wait   455
#define TM_NR_epoll_pwait2 441

struct syscall_row {
	u8 class;    /* enum tm_syscall_class */
	u8 function; /* enum tm_vfs_function */
	u8 fd;	     /* which argument is the descriptor, from 0 */
	u8 flags;    /* which argument holds AT_ flags; TWO: the other descriptor */
};

#define TM_SYSCALLS 512

#define NET(name)		    [__NR_##name] = { .class = TM_SYSCALL_NET }
#define WAIT(nr)		    [nr] = { .class = TM_SYSCALL_WAIT }
#define FILE_AT(name, fn, fd)	    [__NR_##name] = { TM_SYSCALL_FILE, TM_VFS_##fn, fd, 0 }
#define FILE(name, fn)		    FILE_AT(name, fn, 0)
#define OPEN(name)		    [__NR_##name] = { TM_SYSCALL_OPEN, TM_VFS_OPEN, 0, 0 }
#define PATH(name, fn)		    [__NR_##name] = { TM_SYSCALL_PATH, TM_VFS_##fn, 0, 0 }
#define PATH_FLAGS(name, fn, arg)   [__NR_##name] = { TM_SYSCALL_PATH, TM_VFS_##fn, 0, arg }
#define TWO(name, fn, first, other) [__NR_##name] = { TM_SYSCALL_TWO, TM_VFS_##fn, first, other }

static const struct syscall_row syscall_rows[TM_SYSCALLS] = {
	FILE(read, READ),
	FILE(pread64, READ),
	FILE(readv, READ),
	FILE(preadv, READ),
	FILE(preadv2, READ),
	FILE(write, WRITE),
	FILE(pwrite64, WRITE),
	FILE(writev, WRITE),
	FILE(pwritev, WRITE),
	FILE(pwritev2, WRITE),
	OPEN(open),
	OPEN(openat),
	OPEN(openat2),
	OPEN(open_by_handle_at),
	OPEN(creat),
	FILE(close, CLOSE),
	FILE(fsync, FSYNC),
	FILE(fdatasync, FSYNC),
	FILE(syncfs, FSYNC),
	FILE(sync_file_range, FSYNC),
	FILE(fstat, STAT),
	PATH(stat, STAT),
	PATH(lstat, STAT),
	PATH_FLAGS(newfstatat, STAT, 3),
	PATH_FLAGS(statx, STAT, 2),
	FILE(getdents, READDIR),
	FILE(getdents64, READDIR),
	PATH(mknod, CREATE),
	PATH(mknodat, CREATE),
	PATH(unlink, UNLINK),
	PATH_FLAGS(unlinkat, UNLINK, 2),
	PATH(rename, RENAME),
	PATH(renameat, RENAME),
	PATH(renameat2, RENAME),
	PATH(mkdir, MKDIR),
	PATH(mkdirat, MKDIR),
	PATH(rmdir, RMDIR),
	PATH(truncate, TRUNCATE),
	FILE(ftruncate, TRUNCATE),
	FILE(fallocate, FALLOCATE),
	TWO(sendfile, SPLICE, 1, 0),
	TWO(splice, SPLICE, 0, 2),
	TWO(copy_file_range, COPY_RANGE, 0, 2),
	FILE_AT(mmap, MMAP, 4),

	[__NR_io_submit] = { .class = TM_SYSCALL_AIO_SUBMIT },
	[__NR_io_getevents] = { .class = TM_SYSCALL_AIO_REAP },
	[__NR_io_pgetevents] = { .class = TM_SYSCALL_AIO_REAP },
	[__NR_io_uring_enter] = { .class = TM_SYSCALL_URING },

	NET(connect),
	NET(accept),
	NET(accept4),
	NET(sendto),
	NET(sendmsg),
	NET(sendmmsg),
	NET(recvfrom),
	NET(recvmsg),
	NET(recvmmsg),
	NET(shutdown),

	WAIT(__NR_futex),
	WAIT(TM_NR_futex_waitv),
	WAIT(TM_NR_futex_wait),
	WAIT(__NR_poll),
	WAIT(__NR_ppoll),
	WAIT(__NR_select),
	WAIT(__NR_pselect6),
	WAIT(__NR_epoll_wait),
	WAIT(__NR_epoll_pwait),
	WAIT(TM_NR_epoll_pwait2),
	WAIT(__NR_nanosleep),
	WAIT(__NR_clock_nanosleep),
	WAIT(__NR_pause),
	WAIT(__NR_rt_sigsuspend),
	WAIT(__NR_rt_sigtimedwait),
	WAIT(__NR_wait4),
	WAIT(__NR_waitid),
	WAIT(__NR_semop),
	WAIT(__NR_semtimedop),
	WAIT(__NR_msgrcv),
	WAIT(__NR_mq_timedreceive),
};

#endif

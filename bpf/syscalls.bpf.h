/* SPDX-License-Identifier: GPL-2.0-only */
/* What each system call of x86-64 is to tmtrace. Numbers: asm/unistd_64.h. */
#ifndef BPF_SYSCALLS_BPF_H
#define BPF_SYSCALLS_BPF_H

#include <asm/unistd_64.h>

#include "maps.bpf.h"
#include "tmtrace/syscalls.h"

/* Newer than Debian 12's headers; numbers are the kernel's ABI. */
#define TM_NR_futex_waitv  449
#define TM_NR_futex_wait   455
#define TM_NR_epoll_pwait2 441

struct syscall_row {
	u8 class;    /* enum tm_syscall_class */
	u8 function; /* enum tm_vfs_function */
	u8 fd;	     /* which argument is the descriptor, from 0 */
	u8 flags;    /* which argument holds AT_ flags; TWO: the other descriptor; or an offset */
};

#define TM_SYSCALLS 512

#define ON_FILES(name, symbol, class, function, fd, flags) \
	[__NR_##name] = { TM_SYSCALL_##class, TM_VFS_##function, fd, flags },
#define NET(name) [__NR_##name] = { .class = TM_SYSCALL_NET }
#define WAIT(nr)  [nr] = { .class = TM_SYSCALL_WAIT }

static const struct syscall_row syscall_rows[TM_SYSCALLS] = {
	TM_SYSCALLS_ON_FILES(ON_FILES)

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

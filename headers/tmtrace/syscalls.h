/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The system calls that are operations on files, or may be: by their number in the tracepoints, by
 * their functions where those are hooked.
 */
#ifndef TMTRACE_SYSCALLS_H
#define TMTRACE_SYSCALLS_H

/*
 * X(name, function, class, operation, fd, flags): the kernel's function is __x64_sys_FUNCTION;
 * class is an enum tm_syscall_class, operation an enum tm_vfs_function; fd says which argument is
 * the descriptor, from 0; flags which one holds AT_ flags, of class TWO the other descriptor, of
 * reads and writes the offset (0: they are at the file's position).
 */
#define TM_SYSCALLS_ON_FILES(X)                                    \
	X(read, read, FILE, READ, 0, 0)                            \
	X(pread64, pread64, FILE, READ, 0, 3)                      \
	X(readv, readv, FILE, READ, 0, 0)                          \
	X(preadv, preadv, FILE, READ, 0, 3)                        \
	X(preadv2, preadv2, FILE, READ, 0, 3)                      \
	X(write, write, FILE, WRITE, 0, 0)                         \
	X(pwrite64, pwrite64, FILE, WRITE, 0, 3)                   \
	X(writev, writev, FILE, WRITE, 0, 0)                       \
	X(pwritev, pwritev, FILE, WRITE, 0, 3)                     \
	X(pwritev2, pwritev2, FILE, WRITE, 0, 3)                   \
	X(open, open, OPEN, OPEN, 0, 0)                            \
	X(openat, openat, OPEN, OPEN, 0, 0)                        \
	X(openat2, openat2, OPEN, OPEN, 0, 0)                      \
	X(open_by_handle_at, open_by_handle_at, OPEN, OPEN, 0, 0)  \
	X(creat, creat, OPEN, OPEN, 0, 0)                          \
	X(close, close, FILE, CLOSE, 0, 0)                         \
	X(fsync, fsync, FILE, FSYNC, 0, 0)                         \
	X(fdatasync, fdatasync, FILE, FSYNC, 0, 0)                 \
	X(syncfs, syncfs, FILE, FSYNC, 0, 0)                       \
	X(sync_file_range, sync_file_range, FILE, FSYNC, 0, 0)     \
	X(fstat, newfstat, FILE, STAT, 0, 0)                       \
	X(stat, newstat, PATH, STAT, 0, 0)                         \
	X(lstat, newlstat, PATH, STAT, 0, 0)                       \
	X(newfstatat, newfstatat, PATH, STAT, 0, 3)                \
	X(statx, statx, PATH, STAT, 0, 2)                          \
	X(getdents, getdents, FILE, READDIR, 0, 0)                 \
	X(getdents64, getdents64, FILE, READDIR, 0, 0)             \
	X(mknod, mknod, PATH, CREATE, 0, 0)                        \
	X(mknodat, mknodat, PATH, CREATE, 0, 0)                    \
	X(unlink, unlink, PATH, UNLINK, 0, 0)                      \
	X(unlinkat, unlinkat, PATH, UNLINK, 0, 2)                  \
	X(rename, rename, PATH, RENAME, 0, 0)                      \
	X(renameat, renameat, PATH, RENAME, 0, 0)                  \
	X(renameat2, renameat2, PATH, RENAME, 0, 0)                \
	X(mkdir, mkdir, PATH, MKDIR, 0, 0)                         \
	X(mkdirat, mkdirat, PATH, MKDIR, 0, 0)                     \
	X(rmdir, rmdir, PATH, RMDIR, 0, 0)                         \
	X(truncate, truncate, PATH, TRUNCATE, 0, 0)                \
	X(ftruncate, ftruncate, FILE, TRUNCATE, 0, 0)              \
	X(fallocate, fallocate, FILE, FALLOCATE, 0, 0)             \
	X(sendfile, sendfile64, TWO, SPLICE, 1, 0)                 \
	X(splice, splice, TWO, SPLICE, 0, 2)                       \
	X(copy_file_range, copy_file_range, TWO, COPY_RANGE, 0, 2) \
	X(mmap, mmap, FILE, MMAP, 4, 0)                            \
	X(io_submit, io_submit, AIO_SUBMIT, NONE, 0, 0)            \
	X(io_getevents, io_getevents, AIO_REAP, NONE, 0, 0)        \
	X(io_pgetevents, io_pgetevents, AIO_REAP, NONE, 0, 0)      \
	X(io_uring_enter, io_uring_enter, URING, NONE, 0, 0)

#endif

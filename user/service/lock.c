// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock_soon.h"
#include "service/lock.h"

static int make_folder(const char *socket, struct error *err)
{
	char folder[PATH_MAX];
	int n = (int)(strrchr(socket, '/') - socket);

	if (n <= 0)
		return 0;
	snprintf(folder, sizeof(folder), "%.*s", n, socket);
	/* Every user may ask, whatever the umask. */
	if ((mkdir(folder, 0755) < 0 || chmod(folder, 0755) < 0) && errno != EEXIST)
		return error__set(err, -errno, "%s: cannot be made: %s; it is for the socket",
				  folder, strerror(errno));
	return 0;
}

/* Who has it, for a message: the number is in the file. */
static int refuse(int fd, const char *path, struct error *err)
{
	char pid[16] = "";
	ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

	pid[n > 0 ? strspn(pid, "0123456789") : 0] = '\0';
	return error__set(err, -EADDRINUSE,
			  "%s: another service runs here%s%s; end that one, or name another socket",
			  path, pid[0] ? ", process " : "", pid);
}

int lock__take(const char *socket, struct error *err)
{
	char path[PATH_MAX], pid[16];
	int fd, ret = make_folder(socket, err);

	if (ret < 0)
		return ret;
	snprintf(path, sizeof(path), "%s.lock", socket);
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return error__set(err, -errno, "%s: %s", path, strerror(errno));
	ret = lock_soon(fd);
	if (ret < 0) {
		ret = ret == -EWOULDBLOCK ? refuse(fd, socket, err)
					  : error__set(err, ret, "%s: %s", path, strerror(-ret));
		close(fd);
		return ret;
	}
	/* Only told to others; the lock is what counts. */
	snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, pid, strlen(pid), 0) < 0)
		errno = 0;
	return fd;
}

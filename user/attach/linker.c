// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/linker.h"
#include "base/close_all.h"
#include "base/path.h"

#define FDS 2 /* a link, and the event of one */
/* What is open in the process. */
#define KEPT (KERNEL_PROGRAMS + 2)

struct linker {
	pid_t pid;
	int socket;
	bool is_lost;
};

/* The offsets and the cookies come behind it. */
struct request {
	enum uprobe_mechanism mechanism;
	int program_fd;
	bool perf;
	struct uprobe_pmu pmu;
	__u32 n;
};

/* Those that were killed and wait in the kernel; more of them are not waited for. */
#define LOST_MAX 16
static pid_t lost[LOST_MAX];

static void reap_lost(void)
{
	for (int i = 0; i < LOST_MAX; i++)
		if (lost[i] && waitpid(lost[i], NULL, WNOHANG) != 0)
			lost[i] = 0;
}

static void reap_later(pid_t pid)
{
	for (int i = 0; i < LOST_MAX; i++)
		if (!lost[i]) {
			lost[i] = pid;
			return;
		}
}

static bool reply(int socket, int ret, int perf_fd)
{
	struct iovec bytes = { &ret, sizeof(ret) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(FDS * sizeof(int))];
	} control = { 0 };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
	int fds[FDS] = { ret, perf_fd };
	size_t size = (perf_fd >= 0 ? FDS : 1) * sizeof(int);
	bool sent;

	if (ret >= 0) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(size);
		control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(size),
						 .cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), fds, size);
	}
	sent = sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof(ret);
	close_each(fds, ret < 0 ? 0 : size / sizeof(int));
	return sent;
}

/* Makes one link; false: nobody wants any more. */
static bool serve(int socket, int node, char *buffer, size_t room)
{
	struct uprobe_sites sites = { 0 };
	const struct request *request = (const void *)buffer;
	ssize_t n = recv(socket, buffer, room, 0);
	int perf_fd = -1, ret = -EINVAL;
	char path[PATH_OF_FD];

	if (n < (ssize_t)sizeof(*request))
		return false;
	sites.pmu = request->pmu;
	sites.path = path__of_fd(path, node);
	sites.n = request->n;
	sites.offsets = (const __u64 *)(const void *)(buffer + sizeof(*request));
	sites.cookies = sites.offsets + sites.n;
	if ((size_t)n == sizeof(*request) + 2 * sites.n * sizeof(__u64))
		ret = request->perf
			      ? uprobe__link_perf(request->program_fd, &sites, 0, false, &perf_fd)
			      : uprobe__link_multi(request->mechanism, request->program_fd, &sites,
						   false);
	return reply(socket, ret, ret < 0 ? -1 : perf_fd);
}

/* It holds what it needs alone, however long it is there. */
static void __attribute__((noreturn))
link_on(const struct kernel *kernel, int node, int socket, char *buffer, size_t room)
{
	int kept[KEPT] = { node, socket };

	prctl(PR_SET_NAME, "tmtrace-link");
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	for (int i = 0; i < KERNEL_PROGRAMS; i++)
		kept[KEPT - KERNEL_PROGRAMS + i] = kernel__program_fd(kernel, i);
	close_others(kept, KEPT);
	while (serve(socket, node, buffer, room))
		;
	_exit(0);
}

int linker__open(struct linker **out, const struct kernel *kernel, int node)
{
	size_t room = sizeof(struct request) + 2 * TM_PROBES_MAX * sizeof(__u64);
	struct linker *linker = calloc(1, sizeof(*linker));
	char *buffer = malloc(room);
	int pair[2], ret = -ENOMEM;

	reap_lost();
	if (!linker || !buffer)
		goto fail;
	ret = -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		goto fail;
	linker->socket = pair[0];
	linker->pid = fork();
	if (!linker->pid)
		link_on(kernel, node, pair[1], buffer, room);
	close(pair[1]);
	free(buffer);
	if (linker->pid > 0) {
		*out = linker;
		return 0;
	}
	close(pair[0]);
	free(linker);
	return -EAGAIN;
fail:
	free(buffer);
	free(linker);
	return ret;
}

void linker__close(struct linker *linker)
{
	if (!linker)
		return;
	close(linker->socket);
	if (linker->is_lost)
		reap_later(linker->pid);
	else
		waitpid(linker->pid, NULL, 0);
	free(linker);
}

bool linker__is_lost(const struct linker *linker)
{
	return linker->is_lost;
}

static bool ask(const struct linker *linker, struct request *request,
		const struct uprobe_sites *sites)
{
	size_t bytes = sites->n * sizeof(__u64);
	struct iovec parts[] = {
		{ request, sizeof(*request) },
		{ (void *)sites->offsets, bytes },
		{ (void *)sites->cookies, bytes },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };

	return sendmsg(linker->socket, &message, MSG_NOSIGNAL) > 0;
}

/* Takes over what was made; -EAGAIN: it did not come in time. */
static int receive(struct linker *linker, int *perf_fd)
{
	int ret = -EIO, fds[FDS] = { -1, -1 };
	struct iovec bytes = { &ret, sizeof(ret) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(FDS * sizeof(int))];
	} control;
	struct msghdr message = { .msg_iov = &bytes,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct pollfd wait = { .fd = linker->socket, .events = POLLIN };
	const struct cmsghdr *head;

	if (poll(&wait, 1, LINKER_MS) <= 0) {
		kill(linker->pid, SIGKILL);
		linker->is_lost = true;
		return -EAGAIN;
	}
	if (recvmsg(linker->socket, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(ret))
		return -EIO;
	head = ret < 0 ? NULL : CMSG_FIRSTHDR(&message);
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len >= CMSG_LEN(sizeof(int)))
		memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	if (perf_fd)
		*perf_fd = fds[1];
	return ret < 0 ? ret : fds[0] < 0 ? -EMFILE : fds[0];
}

int linker__link(struct linker *linker, enum uprobe_mechanism mechanism, int program_fd,
		 const struct uprobe_sites *sites, int *perf_fd)
{
	struct request request = {
		.mechanism = mechanism,
		.program_fd = program_fd,
		.perf = perf_fd != NULL,
		.pmu = sites->pmu,
		.n = sites->n,
	};

	if (linker->is_lost)
		return -EAGAIN;
	return ask(linker, &request, sites) ? receive(linker, perf_fd) : -EIO;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/close_all.h"
#include "base/path.h"
#include "host/scout.h"

/* More of a file is not copied; one of up to so many bytes is copied as a whole. */
#define COPY_MAX     (64LL << 20)
#define SECTIONS_MAX 65536
#define SEGMENTS_MAX 256
#define FDS	     2

/* The scout's own descriptors: the program keeps its number. */
enum { OWN_SOCKET, OWN_MARKS, OWN_PROGRAM, OWN_FDS };

/* A file that is copied. */
struct copying {
	int from, to;
	off_t size, done; /* of it; bytes that were copied */
};

static int copy_range(struct copying *copying, off_t begin, off_t bytes)
{
	if (begin < 0 || bytes < 0 || begin > copying->size)
		return 0;
	if (bytes > copying->size - begin)
		bytes = copying->size - begin;
	copying->done += bytes;
	if (copying->done > COPY_MAX)
		return -EFBIG;
	if (lseek(copying->to, begin, SEEK_SET) < 0)
		return -errno;
	while (bytes > 0) {
		ssize_t n = sendfile(copying->to, copying->from, &begin, (size_t)bytes);

		if (n <= 0)
			return n < 0 ? -errno : -ENODATA;
		bytes -= n;
	}
	return 0;
}

static bool read_at(int fd, void *to, size_t n, __u64 at)
{
	return pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

/* What is mapped, with the symbols that dynamic linkers know. */
static int copy_segments(struct copying *copying, const Elf64_Ehdr *head)
{
	Elf64_Phdr segment;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < head->e_phnum && i < SEGMENTS_MAX; i++) {
		if (!read_at(copying->from, &segment, sizeof(segment),
			     head->e_phoff + i * sizeof(segment)))
			return -ENODATA;
		if (segment.p_type == PT_LOAD)
			ret = copy_range(copying, (off_t)segment.p_offset, (off_t)segment.p_filesz);
	}
	return ret;
}

/* The table of sections, and of these the symbols with their names. */
static int copy_symbols(struct copying *copying, const Elf64_Ehdr *head)
{
	off_t bytes = (off_t)head->e_shnum * (off_t)sizeof(Elf64_Shdr);
	Elf64_Shdr section;
	int ret = copy_range(copying, (off_t)head->e_shoff, bytes);

	for (unsigned int i = 0; !ret && i < head->e_shnum && i < SECTIONS_MAX; i++) {
		if (!read_at(copying->from, &section, sizeof(section),
			     head->e_shoff + i * sizeof(section)))
			return -ENODATA;
		if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_STRTAB)
			ret = copy_range(copying, (off_t)section.sh_offset, (off_t)section.sh_size);
	}
	return ret;
}

/* A large file without what only debuggers read; what is left out is 0 in the copy. */
static int copy_parts(struct copying *copying)
{
	Elf64_Ehdr head;
	int ret;

	if (!read_at(copying->from, &head, sizeof(head), 0))
		return -ENODATA;
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(Elf64_Phdr) ||
	    (head.e_shnum && head.e_shentsize != sizeof(Elf64_Shdr)))
		return copy_range(copying, 0, sizeof(head)); /* nothing that could be probed */
	ret = copy_range(copying, 0, sizeof(head));
	if (!ret)
		ret = copy_range(copying, (off_t)head.e_phoff,
				 (off_t)head.e_phnum * (off_t)sizeof(Elf64_Phdr));
	if (!ret)
		ret = copy_segments(copying, &head);
	return ret ?: copy_symbols(copying, &head);
}

/* A sealed copy: its descriptor, or a negative errno. */
static int copy(int fd, off_t size)
{
	struct copying copying = { .from = fd, .size = size };
	int ret;

	copying.to = memfd_create("tmtrace-copy", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (copying.to < 0)
		return -errno;
	ret = ftruncate(copying.to, size) < 0 ? -errno : 0;
	if (!ret)
		ret = size <= COPY_MAX ? copy_range(&copying, 0, size) : copy_parts(&copying);
	if (!ret && fcntl(copying.to, F_ADD_SEALS,
			  F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		ret = -errno;
	if (!ret)
		return copying.to;
	close(copying.to);
	return ret;
}

static int set_error(struct scout_answer *answer, const char *name, int code)
{
	answer->code = code;
	snprintf(answer->text, sizeof(answer->text), "%.900s: %s", name,
		 code == -EFBIG	    ? "too large to be traced on a file system that may not answer"
		 : code == -ENOEXEC ? "not a regular file"
				    : strerror(-code));
	return code;
}

/* Fills in the answer about a file that is open. */
static int examine(const struct scout_tools *tools, int fd, const char *name,
		   struct scout_answer *answer)
{
	char path[PATH_OF_FD];

	if (fstat(fd, &answer->st) < 0)
		return set_error(answer, name, -errno);
	if (!S_ISREG(answer->st.st_mode))
		return set_error(answer, name, -ENOEXEC);
	answer->content = copy(fd, answer->st.st_size);
	if (answer->content < 0)
		return set_error(answer, name, answer->content);
	answer->node = open(path__of_fd(path, fd), O_PATH | O_CLOEXEC);
	if (answer->node < 0)
		return set_error(answer, name, -errno);
	if (tools->identify && tools->identify(tools->context, fd, &answer->id) < 0)
		answer->id.inode = 0;
	return 0;
}

static bool answer_with(int socket, const struct scout_answer *answer)
{
	struct iovec bytes = { (void *)answer, sizeof(*answer) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(FDS * sizeof(int))];
	} control = { 0 };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
	const int fds[FDS] = { answer->node, answer->content };

	if (answer->node >= 0 && answer->content >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fds)),
						 .cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), fds, sizeof(fds));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof(*answer);
}

static bool forget(int *node)
{
	if (*node >= 0)
		close(*node);
	*node = -1;
	return true;
}

/* The file's node stays open, in *node, to be marked. */
static bool look(const struct scout_tools *tools, const struct scout_question *question, int *node)
{
	struct scout_answer answer = { .mark = -1, .node = -1, .content = -1 };
	struct error err = { 0 };
	char path[PATH_MAX];
	int fd = -1;
	bool sent;

	if (question->pid)
		answer.code = process__find_path(question->pid, &question->mapping, path,
						 sizeof(path), &err);
	else
		snprintf(path, sizeof(path), "%s", question->name);
	snprintf(answer.text, sizeof(answer.text), "%s", err.text);
	if (!answer.code) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			set_error(&answer, question->name, -errno);
		else
			examine(tools, fd, question->name, &answer);
	}
	sent = answer_with(OWN_SOCKET, &answer);
	if (answer.content >= 0)
		close(answer.content);
	forget(node);
	*node = answer.node;
	/* Last: it may wait for its file system. */
	if (fd >= 0)
		close(fd);
	return sent;
}

static bool mark(int node)
{
	struct scout_answer answer = { .node = -1, .content = -1 };
	char path[PATH_OF_FD];

	answer.mark = inotify_add_watch(OWN_MARKS, path__of_fd(path, node), IN_MODIFY);
	/* What it is now tells whether it was written to since it was copied. */
	if (answer.mark < 0 || fstatat(node, "", &answer.st, AT_EMPTY_PATH) < 0)
		set_error(&answer, "inotify", -errno);
	return answer_with(OWN_SOCKET, &answer);
}

static bool serve(const struct scout_tools *tools, const struct scout_question *question, int *node)
{
	switch (question->errand) {
	case SCOUT_MARK:
		return mark(*node);
	case SCOUT_FORGET:
		return forget(node);
	default:
		return look(tools, question, node);
	}
}

static void __attribute__((noreturn)) scout_on(const struct scout_tools *tools, int socket)
{
	static struct scout_question question;
	int node = -1;
	bool goes_on = true;

	prctl(PR_SET_NAME, "tmtrace-reach");
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	dup2(socket, OWN_SOCKET);
	close(OWN_MARKS);
	if (tools->marks >= 0)
		dup2(tools->marks, OWN_MARKS);
	close_others((int[]){ OWN_SOCKET, tools->marks < 0 ? -1 : OWN_MARKS, tools->program },
		     OWN_FDS);
	if (chdir("/"))
		_exit(1);
	while (goes_on &&
	       recv(OWN_SOCKET, &question, sizeof(question), 0) == (ssize_t)sizeof(question)) {
		question.mapping.path = question.name;
		goes_on = serve(tools, &question, &node);
	}
	_exit(0);
}

int scout__start(const struct scout_tools *tools, pid_t *pid, int *socket)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	*pid = fork();
	if (!*pid)
		scout_on(tools, pair[1]);
	close(pair[1]);
	*socket = pair[0];
	if (*pid > 0)
		return 0;
	close(pair[0]);
	return -EAGAIN;
}

bool scout__ask(int socket, const struct scout_question *question)
{
	return send(socket, question, sizeof(*question), MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       sizeof(*question);
}

bool scout__receive(int socket, struct scout_answer *answer)
{
	struct iovec bytes = { answer, sizeof(*answer) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(FDS * sizeof(int))];
	} control;
	struct msghdr message = { .msg_iov = &bytes,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	int fds[FDS] = { -1, -1 };
	const struct cmsghdr *head;
	bool whole;

	whole = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) ==
		(ssize_t)sizeof(*answer);
	head = whole ? CMSG_FIRSTHDR(&message) : NULL;
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(fds)))
		memcpy(fds, CMSG_DATA(head), sizeof(fds));
	answer->node = fds[0];
	answer->content = fds[1];
	/* Where there was no room for descriptors, none came. */
	if (whole && !answer->code && answer->mark < 0 && fds[0] < 0)
		answer->code = -EMFILE;
	return whole;
}

void scout__let_go(struct scout_answer *answer)
{
	if (answer->node >= 0)
		close(answer->node);
	if (answer->content >= 0)
		close(answer->content);
	answer->node = answer->content = -1;
}

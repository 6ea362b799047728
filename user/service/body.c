// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/body.h"

/* What is larger goes to a file. */
#define IN_MEMORY (64 << 10)

static int open_file(struct body *body)
{
	body->fd = memfd_create("tmtrace-answer", MFD_CLOEXEC);
	return body->fd < 0 ? -errno : 0;
}

static int write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t written = write(fd, bytes, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -EIO;
		bytes += written;
		n -= (size_t)written;
	}
	return 0;
}

/* What is in memory goes where there is more room. */
static int move_to_file(struct body *body)
{
	int ret = open_file(body);

	if (!ret)
		ret = write_all(body->fd, body->bytes, (size_t)body->size);
	free(body->bytes);
	body->bytes = NULL;
	return ret;
}

static int add_bytes(struct body *body, const char *bytes, size_t n)
{
	size_t wanted = (size_t)body->size + n;
	char *grown;

	if (body->bytes && wanted <= body->room) {
		memcpy(body->bytes + body->size, bytes, n);
		return 0;
	}
	grown = realloc(body->bytes, wanted);
	if (!grown)
		return -ENOMEM;
	memcpy(grown + body->size, bytes, n);
	body->bytes = grown;
	body->room = wanted;
	return 0;
}

/* As fopencookie(3) wants it: 0 is a failure. */
static ssize_t take_bytes(void *context, const char *bytes, size_t n)
{
	struct body *body = context;
	int ret = body->failure;

	if (!ret && body->fd < 0 && (size_t)body->size + n > IN_MEMORY)
		ret = move_to_file(body);
	if (!ret)
		ret = body->fd < 0 ? add_bytes(body, bytes, n) : write_all(body->fd, bytes, n);
	body->failure = ret;
	if (ret) {
		errno = -ret;
		return 0;
	}
	body->size += (off_t)n;
	return (ssize_t)n;
}

/* The stream has a descriptor of its own, which ends with it. */
static FILE *stream_of_file(struct body *body)
{
	int fd = open_file(body) ? -1 : fcntl(body->fd, F_DUPFD_CLOEXEC, 0);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

int body__open(struct body *body, bool is_file, FILE **out, struct error *err)
{
	static const cookie_io_functions_t functions = { .write = take_bytes };

	*body = (struct body){ .fd = -1 };
	*out = is_file ? stream_of_file(body) : fopencookie(body, "w", functions);
	return *out ? 0 : error__set(err, -ENOMEM, "no memory for an answer");
}

int body__end(struct body *body, FILE *stream, struct error *err)
{
	struct stat st = { 0 };
	int ret = fclose(stream) ? -errno : 0;

	if (body->failure)
		ret = body->failure;
	if (!ret && body->fd >= 0) {
		ret = fstat(body->fd, &st) < 0 ? -errno : 0;
		body->size = st.st_size;
	}
	return ret ? error__set(err, ret, "no memory for an answer: %s", strerror(-ret)) : 0;
}

/* At once: each part that comes wakes who waits for it. */
static ssize_t send_from_memory(struct body *body, int fd, const char *header, size_t length,
				size_t *sent)
{
	char *rest = body->bytes ? body->bytes + body->sent : NULL;
	struct iovec parts[] = {
		{ .iov_base = (char *)header + *sent, .iov_len = length - *sent },
		{ .iov_base = rest, .iov_len = (size_t)(body->size - body->sent) },
	};
	const struct msghdr message = { .msg_iov = parts, .msg_iovlen = rest ? 2 : 1 };
	ssize_t n = sendmsg(fd, &message, MSG_NOSIGNAL);
	size_t of_header = n < 0 ? 0 : (size_t)n;

	if (of_header > length - *sent)
		of_header = length - *sent;
	*sent += of_header;
	body->sent += n < 0 ? 0 : n - (ssize_t)of_header;
	return n;
}

ssize_t body__send(struct body *body, int fd, const char *header, size_t length, size_t *sent)
{
	ssize_t n;

	if (*sent == length && body->sent == body->size)
		return 0;
	if (body->fd < 0)
		return send_from_memory(body, fd, header, length, sent);
	if (*sent == length)
		return sendfile(fd, body->fd, &body->sent, (size_t)(body->size - body->sent));
	n = send(fd, header + *sent, length - *sent, MSG_NOSIGNAL);
	*sent += n < 0 ? 0 : (size_t)n;
	return n;
}

void body__close(struct body *body)
{
	free(body->bytes);
	if (body->fd >= 0)
		close(body->fd);
	*body = (struct body){ .fd = -1 };
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <json-c/json.h>

#include "service/client.h"
#include "service/config.h"
#include "service/server.h"

static int no_service(const char *path, int code, struct error *err)
{
	if (code == -ENOENT || code == -ECONNREFUSED)
		return error__set(err, code,
				  "%s: no service of tmtrace runs here; it is begun by systemctl "
				  "start tmtrace, or by tmtrace service",
				  path);
	return error__set(err, code, "%s: %s", path, strerror(-code));
}

static int connect_to(const char *path, int seconds, struct error *err)
{
	const struct timeval patience = { .tv_sec = seconds };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd, ret;

	if (strlen(path) >= sizeof(to.sun_path))
		return error__set(err, -ENAMETOOLONG, "%s: too long for a socket", path);
	memcpy(to.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return no_service(path, -errno, err);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	ret = no_service(path, -errno, err);
	close(fd);
	return ret;
}

static int send_request(int fd, const struct request *request, struct error *err)
{
	char *line = request__line(request);
	size_t length = line ? strlen(line) : 0;
	ssize_t n = line ? send(fd, line, length, MSG_NOSIGNAL) : 0;

	free(line);
	if (!length)
		return error__set(err, -ENOMEM, "no memory");
	if (n != (ssize_t)length)
		return error__set(err, n < 0 ? -errno : -EIO, "the service cannot be asked: %s",
				  strerror(n < 0 ? errno : EIO));
	return 0;
}

/* The line that comes first: the bytes that follow, or why there are none. */
static int read_header(FILE *from, size_t *bytes, struct error *err)
{
	struct json_object *header = NULL, *value;
	char *line = NULL;
	size_t room = 0;
	int ret;

	if (getline(&line, &room, from) > 0)
		header = json_tokener_parse(line);
	if (json_object_object_get_ex(header, "text", &value))
		ret = error__set(err, -EPERM, "the service says: %s",
				 json_object_get_string(value));
	else if (json_object_object_get_ex(header, "bytes", &value))
		ret = 0;
	else
		ret = error__set(err, -EPROTO, "the service gave no answer");
	if (ret == 0)
		*bytes = (size_t)json_object_get_int64(value);
	json_object_put(header);
	free(line);
	return ret;
}

/* All of it, so that a part is not taken for the whole. */
static int copy(FILE *from, FILE *to, size_t bytes, struct error *err)
{
	char part[65536];

	while (bytes) {
		size_t n = fread(part, 1, bytes < sizeof(part) ? bytes : sizeof(part), from);

		if (!n)
			return error__set(err, -EPROTO, "the service's answer was cut off");
		if (fwrite(part, 1, n, to) != n)
			return error__set(err, -ENOMEM, "no memory for the service's answer");
		bytes -= n;
	}
	rewind(to);
	return 0;
}

static int take_answer(FILE **out, FILE *from, struct error *err)
{
	int fd = memfd_create("tmtrace-answer", MFD_CLOEXEC);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w+");
	size_t bytes = 0;
	int ret;

	if (!to) {
		if (fd >= 0)
			close(fd);
		return error__set(err, -ENOMEM, "no memory");
	}
	ret = read_header(from, &bytes, err);
	if (ret == 0)
		ret = copy(from, to, bytes, err);
	if (ret < 0)
		fclose(to);
	else
		*out = to;
	return ret;
}

int client__ask(FILE **out, const char *path, const struct request *request, struct error *err)
{
	return client__ask_within(out, path, request, SERVER_PATIENCE_S, err);
}

int client__ask_within(FILE **out, const char *path, const struct request *request, int seconds,
		       struct error *err)
{
	int fd = connect_to(path ? path : SERVICE_SOCKET, seconds, err), ret;
	FILE *from = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd < 0)
		return fd;
	if (!from) {
		close(fd);
		return error__set(err, -ENOMEM, "no memory");
	}
	ret = send_request(fd, request, err);
	if (ret == 0)
		ret = take_answer(out, from, err);
	fclose(from);
	return ret;
}

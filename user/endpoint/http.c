// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/types.h>
#include <microhttpd.h>

#include "base/clock.h"
#include "endpoint/accept.h"
#include "endpoint/http.h"
#include "service/client.h"

#define TYPE_OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define TYPE_PROMETHEUS	 "text/plain; version=0.0.4; charset=utf-8"
#define TYPE_TEXT	 "text/plain; charset=utf-8"

/* How often it is looked who takes too long. */
#define TICK_MS 1000

/* Who is connected; since when its request is awaited or answered. */
struct seat {
	int fd;	   /* -1: nobody */
	bool ends; /* it was let go */
	__u64 since_ns;
};

struct http {
	struct MHD_Daemon *daemons[LISTEN_MOST];
	int n;
	const char *socket;
	struct seat seats[LISTEN_MOST * HTTP_CLIENTS];
};

#define SEATS (LISTEN_MOST * HTTP_CLIENTS)

/* Takes over the response. */
static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned int status,
				     const char *type, struct MHD_Response *response)
{
	enum MHD_Result result = MHD_NO;

	if (response && MHD_add_response_header(response, "Content-Type", type) == MHD_YES) {
		if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
			MHD_add_response_header(response, "Allow", "GET, HEAD");
		result = MHD_queue_response(connection, status, response);
	}
	if (response)
		MHD_destroy_response(response);
	return result;
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned int status,
				 const char *text)
{
	return send_response(
		connection, status, TYPE_TEXT,
		MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result send_error(struct MHD_Connection *connection, const struct error *err)
{
	char line[sizeof(err->text) + 1];

	snprintf(line, sizeof(line), "%s\n", err->text);
	return send_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, line);
}

static enum MHD_Result send_metrics(struct http *http, struct MHD_Connection *connection)
{
	const char *accept =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	const struct request request = { .kind = REQUEST_METRICS,
					 .openmetrics = accept__openmetrics(accept) };
	struct MHD_Response *response = NULL;
	struct error err = { 0 };
	struct stat st;
	FILE *answer;
	int fd;

	if (client__ask_within(&answer, http->socket, &request, HTTP_SERVICE_S, &err) < 0)
		return send_error(connection, &err);
	fd = fcntl(fileno(answer), F_DUPFD_CLOEXEC, 0);
	if (fd >= 0 && fstat(fd, &st) == 0)
		response = MHD_create_response_from_fd64((uint64_t)st.st_size, fd);
	if (fd >= 0 && !response)
		close(fd);
	fclose(answer);
	return send_response(connection, MHD_HTTP_OK,
			     request.openmetrics ? TYPE_OPENMETRICS : TYPE_PROMETHEUS, response);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **state)
{
	static const char seen;

	(void)version;
	(void)upload;
	/* The first call is for the headers alone, then come bytes that nobody wants. */
	if (*state != &seen) {
		*state = (void *)&seen;
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET /metrics\n");
	if (strcmp(url, "/metrics") != 0)
		return send_text(connection, MHD_HTTP_NOT_FOUND, "/metrics is what is here\n");
	return send_metrics(context, connection);
}

static int fd_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

/* The library ends the connection as if the client had. */
static void let_go(struct seat *seat)
{
	shutdown(seat->fd, SHUT_RDWR);
	seat->ends = true;
}

static struct seat *seat_of(struct http *http, int fd)
{
	for (size_t i = 0; i < SEATS; i++)
		if (http->seats[i].fd == fd)
			return &http->seats[i];
	return NULL;
}

/* Who has waited longest makes place for another one, where there is little. */
static void make_place(struct http *http)
{
	struct seat *oldest = NULL;
	size_t taken = 0;

	for (size_t i = 0; i < SEATS; i++) {
		struct seat *seat = &http->seats[i];

		if (seat->fd < 0 || seat->ends)
			continue;
		taken++;
		if (!oldest || seat->since_ns < oldest->since_ns)
			oldest = seat;
	}
	if (oldest && taken > HTTP_CLIENTS - HTTP_SPARE)
		let_go(oldest);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **state,
			  enum MHD_ConnectionNotificationCode what)
{
	struct http *http = context;
	bool begins = what == MHD_CONNECTION_NOTIFY_STARTED;
	struct seat *seat = seat_of(http, begins ? -1 : fd_of(connection));

	(void)state;
	if (begins)
		make_place(http);
	if (seat)
		*seat = (struct seat){ .fd = begins ? fd_of(connection) : -1,
				       .since_ns = clock__ns(CLOCK_MONOTONIC) };
}

/* A request is answered: the next one gets its own time. */
static void on_completed(void *context, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode why)
{
	struct seat *seat = seat_of(context, fd_of(connection));

	(void)state;
	(void)why;
	if (seat)
		seat->since_ns = clock__ns(CLOCK_MONOTONIC);
}

/* Also of those that send a byte now and then. */
static void tend(struct http *http)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < SEATS; i++) {
		struct seat *seat = &http->seats[i];

		if (seat->fd >= 0 && now - seat->since_ns > HTTP_PATIENCE_S * NS_PER_S)
			let_go(seat);
	}
}

static int start_daemon(struct http *http, int listener, struct error *err)
{
	struct MHD_Daemon *daemon = MHD_start_daemon(
		MHD_NO_FLAG, 0, NULL, NULL, on_request, http, MHD_OPTION_LISTEN_SOCKET, listener,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned int)HTTP_CLIENTS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)HTTP_IDLE_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_MEMORY,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_NOTIFY_COMPLETED,
		on_completed, http, MHD_OPTION_END);

	if (!daemon)
		return error__set(err, -EIO, "libmicrohttpd cannot serve: %s",
				  errno ? strerror(errno) : "no reason is known");
	http->daemons[http->n++] = daemon;
	return 0;
}

int http__open(struct http **out, const struct listeners *listeners, const char *socket,
	       struct error *err)
{
	struct http *http = calloc(1, sizeof(*http));
	int ret = 0;

	if (!http)
		return error__set(err, -ENOMEM, "no memory");
	http->socket = socket;
	for (size_t i = 0; i < SEATS; i++)
		http->seats[i].fd = -1;
	for (int i = 0; i < listeners->n && !ret; i++)
		ret = start_daemon(http, listeners->fds[i], err);
	if (ret < 0)
		http__close(http);
	else
		*out = http;
	return ret;
}

/* Until which time it is to be called again, at the latest. */
static struct timeval timeout_of(const struct http *http)
{
	MHD_UNSIGNED_LONG_LONG ms, least = TICK_MS;

	for (int i = 0; i < http->n; i++)
		if (MHD_get_timeout(http->daemons[i], &ms) == MHD_YES && ms < least)
			least = ms;
	return (struct timeval){ .tv_sec = (time_t)(least / 1000),
				 .tv_usec = (suseconds_t)(least % 1000 * 1000) };
}

/* Descriptors that somebody waits for. */
struct waiting {
	fd_set reads, writes, errors;
	int most;
};

/*
 * select(2), which tells of what is there, and not only of what has come: the library's epoll
 * misses clients that end behind a part of a request.
 */
static int wait_for_any(const struct http *http, int until, struct waiting *out)
{
	struct timeval timeout = timeout_of(http);

	FD_ZERO(&out->reads);
	FD_ZERO(&out->writes);
	FD_ZERO(&out->errors);
	FD_SET(until, &out->reads);
	out->most = until;
	for (int i = 0; i < http->n; i++)
		MHD_get_fdset(http->daemons[i], &out->reads, &out->writes, &out->errors,
			      &out->most);
	if (select(out->most + 1, &out->reads, &out->writes, &out->errors, &timeout) >= 0)
		return 0;
	FD_ZERO(&out->reads);
	FD_ZERO(&out->writes);
	FD_ZERO(&out->errors);
	return errno == EINTR ? 0 : -errno;
}

int http__serve(struct http *http, int until, struct error *err)
{
	struct waiting waiting;

	do {
		int ret = wait_for_any(http, until, &waiting);

		if (ret < 0)
			return error__set(err, ret, "cannot wait for clients: %s", strerror(-ret));
		for (int i = 0; i < http->n; i++)
			MHD_run_from_select(http->daemons[i], &waiting.reads, &waiting.writes,
					    &waiting.errors);
		tend(http);
	} while (!FD_ISSET(until, &waiting.reads));
	return 0;
}

void http__close(struct http *http)
{
	if (!http)
		return;
	for (int i = 0; i < http->n; i++)
		MHD_stop_daemon(http->daemons[i]);
	free(http);
}

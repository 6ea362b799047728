// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>
#include <json-c/json.h>

#include "base/clock.h"
#include "service/body.h"
#include "service/server.h"

#define HEADER_MAX 2048

struct client {
	int fd; /* -1: nobody */
	uid_t uid;
	__u64 held_until_ns; /* CLOCK_MONOTONIC: it is refused, and told so then; 0: it is not */
	__u64 since_ns;	     /* CLOCK_MONOTONIC */
	char request[REQUEST_MAX];
	size_t n; /* of it, so far */
	/* Once there is an answer: */
	char header[HEADER_MAX];
	size_t header_size, header_sent;
	struct body body;
};

/* What answers to a user have cost lately. */
struct asker {
	uid_t uid;
	__u64 debt_ns, at_ns; /* that much at that time (CLOCK_MONOTONIC), 0: nobody */
};

struct server {
	int listener, epoll;
	int timer;
	__u64 rests_until_ns; /* CLOCK_MONOTONIC: nobody is taken before; 0: all are */
	char *path;
	server_answer answer;
	void *context;
	/* Those that are served, and those that have no place there. */
	struct client clients[SERVER_CLIENTS + SERVER_REFUSED];
	struct asker askers[SERVER_ASKERS];
};

/*
 * What was not read is: a client that wrote too much would be told of a broken connection instead
 * of what is wrong. Not without end.
 */
static void discard(int fd)
{
	char some[4096];

	for (int i = 0; i < 16 && recv(fd, some, sizeof(some), MSG_DONTWAIT) > 0; i++)
		;
}

static void drop(struct client *client)
{
	discard(client->fd);
	close(client->fd);
	body__close(&client->body);
	client->fd = -1;
}

/* A line about the answer, or about why there is none. */
static void set_header(struct client *client, int ret, const struct error *err)
{
	struct json_object *object = json_object_new_object();
	int n;

	json_object_object_add(object, "v", json_object_new_int(1));
	json_object_object_add(object, "type",
			       json_object_new_string(ret < 0 ? "error" : "answer"));
	if (ret < 0)
		json_object_object_add(object, "text", json_object_new_string(err->text));
	else
		json_object_object_add(object, "bytes", json_object_new_int64(client->body.size));
	n = snprintf(client->header, sizeof(client->header), "%s\n",
		     json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	client->header_size = n < (int)sizeof(client->header) ? (size_t)n : 0;
	json_object_put(object);
}

/* All of it, at once: a client that takes its time holds nothing up. */
static int make_body(struct server *server, struct client *client, const struct request *request,
		     struct error *err)
{
	struct error later;
	FILE *stream;
	int ret = body__open(&client->body, request->kind == REQUEST_REPORT, &stream, err), ended;

	if (ret < 0)
		return ret;
	ret = server->answer(server->context, request, client->uid, stream, err);
	ended = body__end(&client->body, stream, ret < 0 ? &later : err);
	return ret < 0 ? ret : ended;
}

static void note_earlier(__u64 *earliest, __u64 time_ns)
{
	if (time_ns && (!*earliest || time_ns < *earliest))
		*earliest = time_ns;
}

/* The timer goes off when the first of those that wait is due. */
static void set_timer(struct server *server)
{
	struct itimerspec wait = { 0 };
	__u64 earliest = 0, now = clock__ns(CLOCK_MONOTONIC), left;

	note_earlier(&earliest, server->rests_until_ns);
	for (size_t i = 0; i < SERVER_CLIENTS + SERVER_REFUSED; i++)
		if (server->clients[i].fd >= 0)
			note_earlier(&earliest, server->clients[i].held_until_ns);
	/* By what is left: the timer has the clock of the time namespace, the moment has not. */
	left = earliest > now ? earliest - now : !!earliest;
	wait.it_value.tv_sec = (time_t)(left / NS_PER_S);
	wait.it_value.tv_nsec = (long)(left % NS_PER_S);
	timerfd_settime(server->timer, 0, &wait, NULL);
}

/* Others wait a moment in the queue. */
static void take_rest(struct server *server)
{
	struct epoll_event event = { .events = 0 };

	server->rests_until_ns = clock__ns(CLOCK_MONOTONIC) + SERVER_REST_NS;
	epoll_ctl(server->epoll, EPOLL_CTL_MOD, server->listener, &event);
	set_timer(server);
}

/* Nothing is heard of the client until it is told what its header says. */
static void hold(struct server *server, struct client *client)
{
	client->held_until_ns = clock__ns(CLOCK_MONOTONIC) + SERVER_HOLD_NS;
	epoll_ctl(server->epoll, EPOLL_CTL_DEL, client->fd, NULL);
	set_timer(server);
}

/* With the debt of now; who asked least lately is forgotten for a new one. */
static struct asker *asker_of(struct server *server, uid_t uid)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC), paid;
	struct asker *asker = &server->askers[0];

	for (size_t i = 0; i < SERVER_ASKERS; i++) {
		if (server->askers[i].at_ns && server->askers[i].uid == uid) {
			asker = &server->askers[i];
			break;
		}
		if (server->askers[i].at_ns < asker->at_ns)
			asker = &server->askers[i];
	}
	if (!asker->at_ns || asker->uid != uid)
		*asker = (struct asker){ .uid = uid, .at_ns = now };
	paid = (now - asker->at_ns) / SERVER_SHARE;
	asker->debt_ns -= paid < asker->debt_ns ? paid : asker->debt_ns;
	asker->at_ns = now;
	return asker;
}

/* Makes the answer, as long as those to the user cost little enough. */
static int make_affordable(struct server *server, struct client *client,
			   const struct request *request, struct error *err)
{
	struct asker *asker = asker_of(server, client->uid);
	__u64 begin = clock__ns(CLOCK_THREAD_CPUTIME_ID), spent;
	int ret;

	if (client->uid != 0 && asker->debt_ns > SERVER_BURST_NS) {
		hold(server, client);
		return error__set(err, -EBUSY, "user %u asks too often; try again in a second",
				  client->uid);
	}
	ret = make_body(server, client, request, err);
	spent = clock__ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	asker->debt_ns += spent > SERVER_LEAST_NS ? spent : SERVER_LEAST_NS;
	return ret;
}

static void answer_line(struct server *server, struct client *client, size_t length)
{
	struct request request;
	struct error err = { 0 };
	int ret = request__parse(&request, client->request, length, &err);

	if (ret == 0)
		ret = make_affordable(server, client, &request, &err);
	if (ret < 0)
		body__close(&client->body);
	set_header(client, ret, &err);
}

/* What does not go now may go later. */
static bool failed(ssize_t n)
{
	return n < 0 && errno != EAGAIN && errno != EINTR;
}

/* true: the client is done with, one way or another. */
static bool send_answer(struct client *client)
{
	ssize_t n;

	do
		n = body__send(&client->body, client->fd, client->header, client->header_size,
			       &client->header_sent);
	while (n > 0);
	return n == 0 || failed(n);
}

/* The end of the line; NULL: it has not come yet. */
static const char *line_end(const struct client *client)
{
	return memchr(client->request, '\n', client->n);
}

static bool take_request(struct server *server, struct client *client)
{
	struct epoll_event event = { .events = EPOLLOUT, .data.ptr = client };
	const char *end;
	ssize_t n = recv(client->fd, client->request + client->n,
			 sizeof(client->request) - client->n, 0);

	if (n <= 0)
		return n == 0 || failed(n);
	client->n += (size_t)n;
	end = line_end(client);
	if (!end && client->n < sizeof(client->request))
		return false;
	if (end) {
		answer_line(server, client, (size_t)(end - client->request));
		if (client->held_until_ns)
			return false;
	} else {
		struct error err;

		set_header(client,
			   error__set(&err, -EINVAL, "not understood: the line is too long"), &err);
	}
	return epoll_ctl(server->epoll, EPOLL_CTL_MOD, client->fd, &event) < 0 ||
	       send_answer(client);
}

/* Of all, of all but root, and of one user. */
static bool has_room(const struct server *server, uid_t uid)
{
	size_t others = 0, own = 0;

	for (size_t i = 0; i < SERVER_CLIENTS; i++) {
		const struct client *client = &server->clients[i];

		others += client->fd >= 0 && client->uid != 0;
		own += client->fd >= 0 && client->uid == uid;
	}
	return uid == 0 || (others < SERVER_OF_OTHERS && own < SERVER_OF_ONE);
}

/* Gives a place from first to end - 1 to who has connected; NULL: none is free. */
static struct client *take_place(struct server *server, size_t first, size_t end, int fd, uid_t uid)
{
	struct client *client = &server->clients[first];

	while (client < &server->clients[end] && client->fd >= 0)
		client++;
	if (client == &server->clients[end])
		return NULL;
	client->fd = fd;
	client->body = (struct body){ .fd = -1 };
	client->uid = uid;
	client->since_ns = clock__ns(CLOCK_MONOTONIC);
	client->held_until_ns = 0;
	client->n = client->header_size = client->header_sent = 0;
	return client;
}

/* false: it cannot be served. */
static bool add_client(struct server *server, int fd, uid_t uid)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct client *client =
		has_room(server, uid) ? take_place(server, 0, SERVER_CLIENTS, fd, uid) : NULL;

	if (!client)
		return false;
	event.data.ptr = client;
	if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
		client->fd = -1;
		return false;
	}
	/* Who has connected has mostly asked by now, too. */
	if (take_request(server, client))
		drop(client);
	return true;
}

/* It is told so after a while; where too many are, at once, and all others wait. */
static void refuse(struct server *server, int fd, uid_t uid)
{
	struct client *client =
		take_place(server, SERVER_CLIENTS, SERVER_CLIENTS + SERVER_REFUSED, fd, uid);
	struct client none = { .fd = fd };
	struct error err;
	int ret = error__set(&err, -EBUSY, "too many ask at once; try again");

	set_header(client ? client : &none, ret, &err);
	if (client) {
		hold(server, client);
		return;
	}
	send(fd, none.header, none.header_size, MSG_NOSIGNAL | MSG_DONTWAIT);
	close(fd);
	take_rest(server);
}

static void accept_client(struct server *server)
{
	int fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	socklen_t size = sizeof(struct ucred);
	struct ucred peer;

	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		close(fd);
	else if (!add_client(server, fd, peer.uid))
		refuse(server, fd, peer.uid);
}

/* One that was held is told; what does not go at once may go later. */
static void release(struct server *server, struct client *client)
{
	struct epoll_event event = { .events = EPOLLOUT, .data.ptr = client };

	client->held_until_ns = 0;
	if (send_answer(client) || epoll_ctl(server->epoll, EPOLL_CTL_ADD, client->fd, &event) < 0)
		drop(client);
}

static void on_timer(struct server *server)
{
	struct epoll_event event = { .events = EPOLLIN };
	__u64 now = clock__ns(CLOCK_MONOTONIC), times;

	if (read(server->timer, &times, sizeof(times)) < 0)
		return;
	for (size_t i = 0; i < SERVER_CLIENTS + SERVER_REFUSED; i++) {
		struct client *client = &server->clients[i];

		if (client->fd >= 0 && client->held_until_ns && client->held_until_ns <= now)
			release(server, client);
	}
	if (server->rests_until_ns && server->rests_until_ns <= now) {
		server->rests_until_ns = 0;
		epoll_ctl(server->epoll, EPOLL_CTL_MOD, server->listener, &event);
	}
	set_timer(server);
}

void server__serve(struct server *server)
{
	struct epoll_event events[SERVER_CLIENTS + SERVER_REFUSED + 2];
	int n = epoll_wait(server->epoll, events, SERVER_CLIENTS + SERVER_REFUSED + 2, 0);

	for (int i = 0; i < n; i++) {
		struct client *client = events[i].data.ptr;

		if (!client)
			accept_client(server);
		else if (events[i].data.ptr == server)
			on_timer(server);
		else if (client->header_size ? send_answer(client) : take_request(server, client))
			drop(client);
	}
}

void server__tend(struct server *server)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < SERVER_CLIENTS + SERVER_REFUSED; i++) {
		struct client *client = &server->clients[i];

		if (client->fd >= 0 && now - client->since_ns > SERVER_PATIENCE_S * NS_PER_S)
			drop(client);
	}
}

/* What is left of a service that was killed; nothing else is removed. */
static int remove_stale(const char *path, struct error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0 && errno == ENOENT)
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return error__set(err, -EEXIST, "%s: is there and no socket; name another path",
				  path);
	return unlink(path) < 0 ? error__set(err, -errno, "%s: %s", path, strerror(errno)) : 0;
}

/* Everybody may connect: what is answered depends on who it is. */
static int listen_at(struct server *server, const char *path, struct error *err)
{
	struct epoll_event event = { .events = EPOLLIN },
			   timed = { .events = EPOLLIN, .data.ptr = server };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int ret;

	if (strlen(path) >= sizeof(address.sun_path))
		return error__set(err, -ENAMETOOLONG, "%s: too long for a socket, which has %zu",
				  path, sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, path, strlen(path));
	ret = remove_stale(path, err);
	if (ret < 0)
		return ret;
	server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	server->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (server->listener < 0 || server->epoll < 0 || server->timer < 0 ||
	    bind(server->listener, (struct sockaddr *)&address, sizeof(address)) < 0)
		return error__set(err, -errno, "%s: cannot be listened at: %s", path,
				  strerror(errno));
	server->path = strdup(path);
	if (!server->path)
		return error__set(err, -ENOMEM, "no memory");
	if (chmod(path, 0666) < 0 || listen(server->listener, SERVER_CLIENTS) < 0 ||
	    epoll_ctl(server->epoll, EPOLL_CTL_ADD, server->listener, &event) < 0 ||
	    epoll_ctl(server->epoll, EPOLL_CTL_ADD, server->timer, &timed) < 0)
		return error__set(err, -errno, "%s: cannot be listened at: %s", path,
				  strerror(errno));
	return 0;
}

int server__open(struct server **out, const char *path, server_answer answer, void *context,
		 struct error *err)
{
	struct server *server = calloc(1, sizeof(*server));
	int ret;

	if (!server)
		return error__set(err, -ENOMEM, "no memory");
	server->answer = answer;
	server->context = context;
	server->listener = server->epoll = server->timer = -1;
	for (size_t i = 0; i < SERVER_CLIENTS + SERVER_REFUSED; i++)
		server->clients[i].fd = -1;
	ret = listen_at(server, path, err);
	if (ret < 0)
		server__close(server);
	else
		*out = server;
	return ret;
}

void server__close(struct server *server)
{
	if (!server)
		return;
	for (size_t i = 0; i < SERVER_CLIENTS + SERVER_REFUSED; i++)
		if (server->clients[i].fd >= 0)
			drop(&server->clients[i]);
	if (server->path)
		unlink(server->path);
	if (server->listener >= 0)
		close(server->listener);
	if (server->epoll >= 0)
		close(server->epoll);
	if (server->timer >= 0)
		close(server->timer);
	free(server->path);
	free(server);
}

int server__fd(const struct server *server)
{
	return server->epoll;
}

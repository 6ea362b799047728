// SPDX-License-Identifier: GPL-2.0-only
/*
 * motr-server: does the files for libmotr's clients.
 *
 *   motr-server --dir DIR --socket NAME              runs until SIGTERM; "@name": abstract
 *   motr-server --dir DIR --listen FD --lifeline FD  as a client starts it: ends with the lifeline
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "motr.h"
#include "motr_chain.h"
#include "motr_store.h"

struct server {
	struct store *store;
	pthread_mutex_t lock;
	pthread_cond_t idle;
	int connections;
};

struct connection {
	struct server *server;
	int fd;
};

/* A request being served. Ids are of this process, as Motr gives them out. */
struct fom {
	struct wire_request req;
	uint64_t item, phase, state, stob, bulk, tx; /* 0: there is none */
	int fd;
	void *body;
	size_t length; /* of that */
	struct wire_reply reply;
	void *out; /* the reply's body */
};

static uint64_t next_id(void)
{
	static _Atomic uint64_t last;

	return ++last;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The object's file, with the records that a Motr server makes around it. */
static void execute_storage(struct server *s, struct fom *f)
{
	const struct wire_request *req = &f->req;
	uint64_t begin = now_ns();

	f->stob = next_id();
	M0_ADDB2_ADD(M0_AVI_FOM_TO_STIO, f->phase, f->stob);
	M0_ADDB2_ADD(M0_AVI_STOB_IO_REQ, f->stob, STOB_IO_LAUNCH);
	M0_ADDB2_ADD(M0_AVI_STOB_IO_LAUNCH, req->id[0], req->id[1], req->nr, req->nr, req->nr, 0);
	M0_ADDB2_PUSH(M0_AVI_STOB_IO_LAUNCH, req->id[0], req->id[1], req->nr, req->nr, req->nr, 0);
	M0_ADDB2_ADD(M0_AVI_STOB_IO_REQ, f->stob, STOB_LIO_LAUNCH);
	stack_delay_here(&req->delay, STACK_DISK);
	store_execute(s->store, req, f->body, &f->reply, &f->out);
	M0_ADDB2_ADD(M0_AVI_STOB_IO_REQ, f->stob, STOB_LIO_ENDIO);
	M0_ADDB2_ADD(M0_AVI_STOB_IO_END, req->id[0], req->id[1], now_ns() - begin,
		     (uint64_t)f->reply.rc, req->nr, 1);
	m0_addb2_pop(M0_AVI_STOB_IO_LAUNCH);
}

/* What comes behind the request. */
static int receive_body(struct fom *f)
{
	int rc;

	if (chain_has_bulk(&f->req)) {
		f->bulk = next_id();
		M0_ADDB2_ADD(M0_AVI_FOM_TO_BULK, f->phase, f->bulk);
	}
	chain_bulk_step(f->bulk, BULK_INITIATE);
	rc = wire_receive(f->fd, f->body, f->length);
	chain_bulk_step(f->bulk, BULK_FINISH);
	return rc;
}

/* Until it is closed; it is done when the reply has gone. */
static void begin_transaction(struct fom *f)
{
	if (!chain_has_tx(&f->req))
		return;
	f->tx = next_id();
	M0_ADDB2_ADD(M0_AVI_FOM_TO_TX, f->phase, f->tx);
}

static int execute(struct server *s, struct fom *f)
{
	const struct wire_request *req = &f->req;
	uint32_t opcode = chain_opcode(req);
	int rc;

	f->phase = next_id();
	f->state = next_id();
	M0_ADDB2_PUSH(M0_AVI_FOM, (uint64_t)(uintptr_t)f, opcode, 0, 0);
	M0_ADDB2_ADD(M0_AVI_FOM_DESCR, 0, 0, req->session, opcode, chain_reply_opcode(req), 0,
		     f->item, f->phase, f->state);
	M0_ADDB2_ADD(M0_AVI_STATE, f->state, 2, 2);
	rc = receive_body(f);
	begin_transaction(f);
	stack_delay_here(&req->delay, STACK_SERVER);
	if (!rc && req->type == M0_ET_OBJ)
		execute_storage(s, f);
	else if (!rc)
		store_execute(s->store, req, f->body, &f->reply, &f->out);
	chain_tx_states(f->tx, TX_PREPARE, TX_CLOSED);
	M0_ADDB2_ADD(M0_AVI_STATE, f->state, 5, 4);
	m0_addb2_pop(M0_AVI_FOM);
	return rc;
}

static int serve_one(struct server *s, int fd)
{
	struct fom f = { .fd = fd };
	int rc = wire_receive(fd, &f.req, sizeof(f.req));

	if (rc)
		return rc;
	if (f.req.nr > WIRE_MAX_ITEMS || f.req.data_length > WIRE_MAX_BODY)
		return -EPROTO;
	f.length = f.req.nr * sizeof(struct wire_item) + f.req.data_length;
	f.body = malloc(f.length + 1);
	if (!f.body)
		return -ENOMEM;
	f.item = next_id();
	chain_fetch(f.item, chain_opcode(&f.req), &f.req);
	rc = execute(s, &f);
	if (!rc) {
		chain_assign(next_id(), chain_reply_opcode(&f.req), &f.req);
		rc = wire_send(fd, &f.reply, sizeof(f.reply));
	}
	if (!rc)
		rc = wire_send(fd, f.out, store_reply_size(&f.reply));
	chain_tx_states(f.tx, TX_CLOSED, TX_DONE);
	free(f.body);
	free(f.out);
	return rc;
}

static void *serve(void *arg)
{
	struct connection *c = arg;
	struct server *s = c->server;

	m0_thread_tls()->tls_addb2_mach = m0_addb2_mach_init(NULL, NULL);
	while (!serve_one(s, c->fd))
		;
	m0_addb2_mach_fini(m0_thread_tls()->tls_addb2_mach);
	m0_thread_tls()->tls_addb2_mach = NULL;
	close(c->fd);
	free(c);
	pthread_mutex_lock(&s->lock);
	s->connections--;
	pthread_cond_signal(&s->idle);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void accept_one(struct server *s, int listener)
{
	struct connection *c = malloc(sizeof(*c));
	pthread_t thread;

	if (!c)
		return;
	c->server = s;
	c->fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (c->fd < 0) {
		free(c);
		return;
	}
	pthread_mutex_lock(&s->lock);
	s->connections++;
	pthread_mutex_unlock(&s->lock);
	if (!pthread_create(&thread, NULL, serve, c))
		pthread_detach(thread);
	else
		serve(c);
}

/* Ends when the lifeline's other end is closed and all connections are. */
static void run(struct server *s, int listener, int lifeline)
{
	struct pollfd fds[] = { { .fd = listener, .events = POLLIN }, { .fd = lifeline } };

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			accept_one(s, listener);
		else if (fds[1].revents)
			break;
	}
	pthread_mutex_lock(&s->lock);
	while (s->connections)
		pthread_cond_wait(&s->idle, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

static int listen_at(const char *name)
{
	struct sockaddr_un address;
	socklen_t length;
	int fd, rc = wire_address(name, &address, &length);

	if (rc) {
		errno = -rc;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && (bind(fd, (struct sockaddr *)&address, length) || listen(fd, 64))) {
		close(fd);
		return -1;
	}
	return fd;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "dir", 1, NULL, 'd' },
						 { "socket", 1, NULL, 's' },
						 { "listen", 1, NULL, 'l' },
						 { "lifeline", 1, NULL, 'n' },
						 { 0 } };
	struct server s = { .lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER };
	const char *dir = ".", *direct = getenv("STACK_DIRECT");
	int listener = -1, lifeline = -1, opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == 'd')
			dir = optarg;
		else if (opt == 's')
			listener = listen_at(optarg);
		else if (opt == 'l')
			listener = atoi(optarg);
		else if (opt == 'n')
			lifeline = atoi(optarg);
		else
			return 2;
	}
	if (listener < 0) {
		fprintf(stderr, "motr-server: no socket: %s\n", strerror(errno));
		return 1;
	}
	s.store = store_open(dir, direct && *direct == '1');
	if (!s.store) {
		fprintf(stderr, "motr-server: %s: %s\n", dir, strerror(errno));
		return 1;
	}
	run(&s, listener, lifeline);
	store_close(s.store);
	return 0;
}

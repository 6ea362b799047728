// SPDX-License-Identifier: GPL-2.0-only
/* The threads that carry launched operations to the server, and complete them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motr_chain.h"
#include "motr_client.h"
#include "motr_inject.h"

#define TRUTH_LAYER "m0"
#include "truth.h"

/* A request with its body in one piece of memory. */
struct message {
	struct wire_request head;
	size_t length; /* of the body */
	char *body;
};

/* What m0_rpc_post_sync() sends and gets, and over what; opaque to the application. */
struct m0_fop {
	const struct message *request;
	uint64_t item; /* its id */
	uint64_t bulk; /* that of its data; 0: none go */
	struct wire_reply *reply;
	void *body; /* of the reply; the caller's to free */
};

struct m0_rpc_session {
	int fd;
};

void motr_submit(struct operation *o)
{
	struct m0_client *c = o->client;

	o->references++;
	pthread_mutex_lock(&c->lock);
	o->next = NULL;
	*c->last = o;
	c->last = &o->next;
	pthread_cond_signal(&c->work);
	pthread_mutex_unlock(&c->lock);
}

static struct operation *next_operation(struct m0_client *c)
{
	struct operation *o;

	pthread_mutex_lock(&c->lock);
	while (!c->first && !c->stopping)
		pthread_cond_wait(&c->work, &c->lock);
	o = c->first;
	if (o) {
		c->first = o->next;
		if (!c->first)
			c->last = &c->first;
	}
	pthread_mutex_unlock(&c->lock);
	return o;
}

static char *pack(char *at, const struct m0_bufvec *v, uint32_t nr)
{
	for (uint32_t i = 0; v && i < nr; i++) {
		if (v->ov_vec.v_count[i])
			memcpy(at, v->ov_buf[i], v->ov_vec.v_count[i]);
		at += v->ov_vec.v_count[i];
	}
	return at;
}

static uint64_t length_of(const struct m0_bufvec *v, uint32_t nr)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; v && i < nr; i++)
		sum += v->ov_vec.v_count[i];
	return sum;
}

static int build(struct operation *o, struct message *m)
{
	const struct m0_entity *e = o->op.op_entity;
	bool is_index = e->en_type == M0_ET_IDX;
	bool sends = is_index || o->op.op_code == M0_OC_WRITE;
	bool sends_values = is_index && o->op.op_code == M0_IC_PUT;
	struct wire_item *items;
	uint32_t nr = 0;

	if (is_index && o->data)
		nr = o->data->ov_vec.v_nr;
	else if (!is_index && o->ext)
		nr = o->ext->iv_vec.v_nr;
	m->head = (struct wire_request){ .code = o->op.op_code, .type = e->en_type, .nr = nr };
	m->head.id[0] = e->en_id.u_hi;
	m->head.id[1] = e->en_id.u_lo;
	m->head.flags = o->flags;
	m->head.xid = ++o->client->next_xid;
	m->head.session = o->client->session;
	m->head.delay = o->delay;
	m->head.data_length = (sends ? length_of(o->data, nr) : 0) +
			      (sends_values ? length_of(o->values, nr) : 0);
	m->length = nr * sizeof(*items) + m->head.data_length;
	if (nr > WIRE_MAX_ITEMS || m->head.data_length > WIRE_MAX_BODY)
		return -E2BIG;
	items = malloc(m->length + 1);
	if (!items)
		return -ENOMEM;
	m->body = (char *)items;
	for (uint32_t i = 0; i < nr; i++) {
		items[i].a = is_index ? o->data->ov_vec.v_count[i] : o->ext->iv_index[i];
		items[i].b = !is_index	    ? o->ext->iv_vec.v_count[i]
			     : sends_values ? o->values->ov_vec.v_count[i]
					    : 0;
	}
	if (sends)
		pack(pack((char *)(items + nr), o->data, nr), sends_values ? o->values : NULL, nr);
	return 0;
}

/* Results of GET and NEXT land in buffers that the caller frees, as in Motr. */
static void deliver_pair(struct m0_bufvec *v, uint32_t i, const char *bytes, uint64_t length)
{
	free(v->ov_buf[i]);
	v->ov_buf[i] = malloc(length + 1);
	if (v->ov_buf[i] && length)
		memcpy(v->ov_buf[i], bytes, length);
	v->ov_vec.v_count[i] = v->ov_buf[i] ? length : 0;
}

static void deliver_index(struct operation *o, const struct wire_reply *reply, const char *body)
{
	const struct wire_item *items = (const struct wire_item *)body;
	const char *bytes = (const char *)(items + reply->nr);
	bool pairs = o->op.op_code == M0_IC_NEXT;

	for (uint32_t i = 0; i < reply->nr; i++) {
		uint32_t k = pairs ? i / 2 : i;
		struct m0_bufvec *v = pairs && i % 2 == 0 ? o->data : o->values;

		if (o->rcs)
			o->rcs[k] = (int32_t)items[i].b;
		if (o->op.op_code == M0_IC_GET || pairs)
			deliver_pair(v, k, bytes, items[i].a);
		bytes += items[i].a;
	}
}

static void deliver_object(struct operation *o, const char *bytes)
{
	struct m0_bufvec *v = o->data;

	for (uint32_t i = 0; i < v->ov_vec.v_nr; i++) {
		memcpy(v->ov_buf[i], bytes, v->ov_vec.v_count[i]);
		bytes += v->ov_vec.v_count[i];
	}
}

/* Sends a request and waits for its reply; in the real library, too, the network is in here. */
int m0_rpc_post_sync(struct m0_fop *fop, struct m0_rpc_session *session, const void *ri_ops,
		     uint64_t deadline)
{
	TRUTH();
	const struct message *m = fop->request;
	int rc;

	(void)ri_ops;
	(void)deadline;
	chain_assign(fop->item, chain_opcode(&m->head), &m->head);
	stack_delay_here(&m->head.delay, STACK_NETWORK);
	rc = wire_send(session->fd, &m->head, sizeof(m->head));
	if (!rc)
		rc = wire_send(session->fd, m->body, m->length);
	if (!rc)
		rc = wire_receive(session->fd, fop->reply, sizeof(*fop->reply));
	if (!rc) {
		fop->body = malloc(store_reply_size(fop->reply) + 1);
		rc = fop->body ? wire_receive(session->fd, fop->body, store_reply_size(fop->reply))
			       : -ENOMEM;
	}
	if (!rc) {
		chain_bulk_step(fop->bulk, BULK_FINISH);
		chain_fetch(motr_next_id(), chain_reply_opcode(&m->head), &m->head);
	}
	return TRUTH_ERRNO(rc);
}

static int ask_server(const struct operation *o, int *fd, const struct message *m,
		      struct wire_reply *reply, void **body)
{
	const struct m0_client *c = o->client;
	struct m0_fop fop = { .request = m, .reply = reply };
	struct m0_rpc_session session;
	int rc;

	if (*fd < 0) {
		*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (*fd < 0 || connect(*fd, (struct sockaddr *)&c->address, c->address_length) < 0)
			return -errno;
	}
	session.fd = *fd;
	fop.item = chain_client(o->op.op_sm.sm_id, &m->head, motr_next_id);
	fop.bulk = chain_bulk(fop.item, &m->head, motr_next_id);
	rc = m0_rpc_post_sync(&fop, &session, NULL, 0);
	*body = fop.body;
	if (rc) {
		close(*fd);
		*fd = -1;
	}
	return rc;
}

static int32_t execute(struct operation *o, int *fd)
{
	struct wire_reply reply = { 0 };
	struct message m = { 0 };
	void *body = NULL;
	int rc = build(o, &m);

	if (!rc)
		rc = stack_injected(m.head.code);
	if (!rc) {
		if (o->client->store)
			store_execute(o->client->store, &m.head, m.body, &reply, &body);
		else
			rc = ask_server(o, fd, &m, &reply, &body);
	}
	if (!rc)
		rc = reply.rc;
	if (!rc && m.head.type == M0_ET_IDX)
		deliver_index(o, &reply, body);
	else if (!rc && m.head.code == M0_OC_READ)
		deliver_object(o, body);
	free(m.body);
	free(body);
	return rc;
}

void *motr_worker(void *client)
{
	struct m0_client *c = client;
	struct operation *o;
	int fd = -1;

	m0_thread_tls()->tls_addb2_mach = m0_addb2_mach_init(NULL, NULL);
	M0_ADDB2_PUSH(M0_AVI_NODE, 0x3d1219c7c4c5404a, 0xaa1f6d2a48adfda4);
	M0_ADDB2_PUSH(M0_AVI_PID, (uint64_t)getpid());
	M0_ADDB2_PUSH(M0_AVI_THREAD, (uint64_t)pthread_self());
	while ((o = next_operation(c)) != NULL) {
		motr_complete(o, execute(o, &fd));
		motr_put(o);
	}
	m0_addb2_pop(M0_AVI_THREAD);
	m0_addb2_pop(M0_AVI_PID);
	m0_addb2_pop(M0_AVI_NODE);
	m0_addb2_mach_fini(m0_thread_tls()->tls_addb2_mach);
	m0_thread_tls()->tls_addb2_mach = NULL;
	if (fd >= 0)
		close(fd);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/array.h"
#include "base/clock.h"
#include "service/state.h"
#include "session/continuity.h"
#include "session/layers.h"
#include "session/session_state.h"

struct continuity {
	struct session *session;
	struct pins *pins;
	bool has_state;		    /* that can be gone on with */
	bool readable;		    /* the session has its table, and its structs are ours */
	bool started;		    /* counting, and what is kept is whole */
	struct service_state state; /* as it was found */
	char own_epoch[32];
	struct continuity_epoch epoch;
	size_t n_known; /* files that were taken over */
	struct pack pack;
};

static bool reads(const struct continuity *continuity)
{
	return continuity && continuity->has_state;
}

/* Damaged or of another version: it cannot be gone on with. */
static int read_state(struct continuity *continuity, struct error *err)
{
	void *bytes = NULL;
	size_t n = 0;
	int ret = pins__read_state(continuity->pins, &bytes, &n);

	if (ret == -ENOENT)
		return continuity__renew(continuity, NULL, err);
	if (!ret)
		ret = service_state__decode(&continuity->state, bytes, n);
	free(bytes);
	if (ret == -ENOMEM)
		return error__set(err, ret, "no memory");
	if (ret < 0)
		return continuity__renew(
			continuity, "what is known of them is damaged, or of another version", err);
	continuity->has_state = true;
	return 0;
}

int continuity__open(struct continuity **out, const char *dir, struct session *session,
		     struct error *err)
{
	struct continuity *continuity;
	struct pins *pins;
	int ret = pins__open(&pins, dir, err);

	*out = NULL;
	if (ret == -ENOTSUP) {
		note_list__add(&session->notes,
			       "%s; counters begin anew with each start (mount -t bpf bpf "
			       "/sys/fs/bpf, or pins: none)",
			       err->text);
		return 0;
	}
	if (ret < 0)
		return ret;
	continuity = calloc(1, sizeof(*continuity));
	if (!continuity) {
		pins__close(pins);
		return error__set(err, -ENOMEM, "no memory");
	}
	continuity->pins = pins;
	continuity->session = session;
	*out = continuity;
	return read_state(continuity, err);
}

void continuity__close(struct continuity *continuity)
{
	if (!continuity)
		return;
	service_state__free(&continuity->state);
	pack__free(&continuity->pack);
	pins__close(continuity->pins);
	free(continuity);
}

struct pins *continuity__pins(const struct continuity *continuity)
{
	return continuity ? continuity->pins : NULL;
}

__u64 continuity__layout(const struct continuity *continuity)
{
	return reads(continuity) ? continuity->state.layout : 0;
}

const char *continuity__hierarchy(const struct continuity *continuity)
{
	return reads(continuity) ? continuity->state.hierarchy : NULL;
}

static void put_patterns(struct pack *pack, const char *const *patterns, size_t n)
{
	pack__u64(pack, n);
	for (size_t i = 0; i < n; i++)
		pack__string(pack, patterns[i]);
}

static void put_bytes(struct pack *pack, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < n; i++)
		pack__u64(pack, at[i]);
}

static void put_layer(struct pack *pack, const struct catalogue_layer *layer)
{
	put_patterns(pack, layer->sonames, layer->n_sonames);
	put_patterns(pack, layer->marks.exports, layer->marks.n_exports);
	put_patterns(pack, layer->marks.imports, layer->marks.n_imports);
	for (size_t i = 0; i < layer->n_functions; i++) {
		const struct catalogue_function *function = &layer->functions[i];

		pack__string(pack, function->name);
		pack__u64(pack, function->pattern | function->enabled << 1 | function->brief << 2);
		put_patterns(pack, function->only, function->n_only);
		put_bytes(pack, &function->spec, sizeof(function->spec));
	}
	for (size_t i = 0; i < layer->n_operations; i++)
		put_bytes(pack, &layer->operations[i].fields, sizeof(struct tm_fields));
}

/* Of all that probes on libraries follow from. */
static __u64 hash_catalogue(const struct session *session)
{
	struct pack pack = { 0 };
	__u64 hash;

	for (size_t i = 0; i < catalogue__n_layers(session->catalogue); i++) {
		const struct catalogue_layer *layer = catalogue__layer(session->catalogue, i);

		pack__string(&pack, layer->name);
		pack__u64(&pack, session->layers[i] | session->full[i] << 1);
		if (session->layers[i])
			put_layer(&pack, layer);
	}
	hash = pack__hash(&pack);
	pack__free(&pack);
	return hash;
}

/* A probe as it was, under the number that it had; its spec is in the kernel. */
static int restore_probe(struct probe_table *table, const struct probe *probe,
			 const struct tm_probe *in_kernel)
{
	struct probe copy = *probe;
	int id = probe_table__function_id(table, probe->layer_id, probe->function);

	if (id == -ENOMEM)
		return id;
	if (id < 0 || (__u32)id != probe->function_id)
		return -ESTALE;
	copy.spec = in_kernel->spec;
	id = probe_table__add(table, &copy);
	return id < 0 ? id : 0;
}

/* Functions get the numbers that they had, also those of which no probe is left. */
static int restore_names(const struct continuity *continuity)
{
	const struct service_state *state = &continuity->state;
	int ret = 0;

	for (size_t i = 0; ret >= 0 && i < state->n_names; i++)
		ret = probe_table__function_id(continuity->session->probes,
					       state->names[i].layer_id, state->names[i].name);
	return ret < 0 ? ret : 0;
}

static int restore_probes(const struct continuity *continuity)
{
	const struct service_state *state = &continuity->state;
	int map = pins__get(continuity->pins, PIN_MAP, "tm_probes");
	int ret = map < 0 ? map : restore_names(continuity);
	struct tm_probe in_kernel;

	for (__u32 i = 0; !ret && i < state->n_probes; i++) {
		ret = bpf_map_lookup_elem(map, &i, &in_kernel);
		if (!ret)
			ret = restore_probe(continuity->session->probes, &state->probes[i],
					    &in_kernel);
		if (!ret && state->moved)
			ret = probe_table__move(continuity->session->probes, TM_PROBE_USER + i,
						&state->moved[i]);
	}
	if (map >= 0)
		close(map);
	return ret;
}

/* Numbers of layers are then the same. */
static bool has_same_layers(const struct continuity *continuity)
{
	const struct service_state *state = &continuity->state;
	const struct catalogue *cat = continuity->session->catalogue;

	for (size_t i = 0; i < state->n_layers && i < catalogue__n_layers(cat); i++)
		if (strcmp(state->layers[i], catalogue__layer(cat, i)->name) != 0)
			return false;
	return state->n_layers == catalogue__n_layers(cat);
}

int continuity__restore(struct continuity *continuity, struct error *err)
{
	const struct service_state *state = &continuity->state;
	struct session *session = continuity->session;
	int ret;

	if (state->version != kernel__version() || !has_same_layers(continuity))
		return error__set(err, -ESTALE, "they are of another version");
	ret = restore_probes(continuity);
	if (ret < 0)
		return error__set(err, ret == -ENOMEM ? ret : -ESTALE,
				  "what is known of them does not fit what is kept");
	continuity->readable = true;
	continuity->epoch = (struct continuity_epoch){
		.name = state->epoch,
		.start_ns = state->start_ns,
		.restarts = state->restarts + 1,
		.continued = true,
	};
	session->choice = state->choice;
	session->mechanism = state->choice.mechanism;
	session->proven = state->proven;
	if (state->catalogue != hash_catalogue(session))
		return error__set(err, -ESTALE, "they are of other layers or functions");
	return 0;
}

bool continuity__is_readable(const struct continuity *continuity)
{
	return continuity->readable;
}

int continuity__renew(struct continuity *continuity, const char *reason, struct error *err)
{
	struct session *session = continuity->session;

	if (reason)
		note_list__add(&session->notes,
			       "the probes and counters of the service before were removed, a new "
			       "epoch begins: %s",
			       reason);
	continuity->has_state = continuity->readable = false;
	continuity->epoch = (struct continuity_epoch){ 0 };
	service_state__free(&continuity->state);
	pins__empty(continuity->pins);
	/* It may have got some of the old ones. */
	probe_table__free(session->probes);
	session->probes = NULL;
	return probe_table__new(&session->probes, session->catalogue) < 0
		       ? error__set(err, -ENOMEM, "no memory")
		       : 0;
}

void continuity__give_up(struct continuity *continuity, const char *reason)
{
	note_list__add(&continuity->session->notes, "counters begin anew with each start: %s",
		       reason);
	pins__clear(continuity->pins);
}

bool continuity__keeps(const struct continuity *continuity)
{
	return continuity && pins__keep(continuity->pins);
}

int continuity__adopt(struct continuity *continuity, struct attach *attach, struct error *err)
{
	int ret;

	if (!reads(continuity))
		return 0;
	ret = attach__adopt(attach, continuity->state.files, continuity->state.n_files, err);
	continuity->n_known = attach__n_files(attach);
	continuity->epoch.files = continuity->n_known;
	return ret;
}

/* Had the service before probed a file of that name? */
static bool was_known(const struct continuity *continuity, const char *path)
{
	for (size_t i = 0; i < continuity->state.n_files; i++)
		if (!strcmp(continuity->state.files[i].path, path))
			return continuity->state.files[i].n_links;
	return false;
}

void continuity__note_new(struct continuity *continuity, const struct attach *attach)
{
	if (!reads(continuity))
		return;
	for (size_t i = continuity->n_known; i < attach__n_files(attach); i++) {
		const struct seen_file *file = attach__file(attach, i);

		if (!file->n_probes)
			continue;
		note_list__add(
			&continuity->session->notes,
			was_known(continuity, file->path)
				? "%s was probed anew when the service was started again, as "
				  "some of its probes were parked or gone: calls before "
				  "that are missing"
				: "%s was first seen when the service was started again: "
				  "calls before that are missing",
			file->path);
	}
}

/* What is true now. */
static void describe(const struct continuity *continuity, struct service_state *out)
{
	const struct session *session = continuity->session;
	size_t n = probe_table__n(session->probes);

	*out = (struct service_state){
		.version = kernel__version(),
		.layout = kernel__layout(session->kernel),
		.catalogue = hash_catalogue(session),
		.epoch = continuity->epoch.name,
		.start_ns = continuity->epoch.start_ns,
		.restarts = continuity->epoch.restarts,
		.hierarchy =
			session->hierarchy.root ? cgroup__hierarchy(session->hierarchy.root) : NULL,
		.choice = session->choice,
		.proven = session->proven,
		.n_probes = n - TM_PROBE_USER,
		.probes =
			n > TM_PROBE_USER ? probe_table__at(session->probes, TM_PROBE_USER) : NULL,
		.n_files = session->attach ? attach__n_files(session->attach) : 0,
	};
	if (n > TM_PROBE_USER && *probe_table__moved(session->probes))
		out->moved = *probe_table__moved(session->probes) + TM_PROBE_USER;
	if (out->n_files)
		out->files = attach__file(session->attach, 0);
	memcpy(out->missed,
	       continuity->has_state ? continuity->state.missed
				     : kernel__missed_before(session->kernel),
	       sizeof(out->missed));
}

/* The names of functions of libraries; NULL: no memory. */
static struct service_name *list_names(const struct probe_table *table, size_t n_layers, size_t *n)
{
	struct service_name *names = NULL;
	size_t room = 0;
	const char *name;

	*n = 0;
	for (size_t layer = TM_LAYER_USER; layer < TM_LAYER_USER + n_layers; layer++)
		for (__u32 id = 0; (name = probe_table__function_name(table, (__u8)layer, id));
		     id++) {
			if (array__grow((void **)&names, &room, *n, sizeof(*names)) < 0) {
				free(names);
				return NULL;
			}
			names[(*n)++] = (struct service_name){ (__u8)layer, name };
		}
	return names ? names : calloc(1, sizeof(*names));
}

static int write_state(struct continuity *continuity)
{
	const struct session *session = continuity->session;
	size_t n_layers = catalogue__n_layers(session->catalogue);
	const char **layers = calloc(n_layers + 1, sizeof(*layers));
	struct service_name *names;
	struct service_state state;
	int ret = -ENOMEM;

	if (!layers)
		return ret;
	for (size_t i = 0; i < n_layers; i++)
		layers[i] = catalogue__layer(session->catalogue, i)->name;
	describe(continuity, &state);
	names = list_names(session->probes, n_layers, &state.n_names);
	state.names = names;
	state.layers = layers;
	state.n_layers = n_layers;
	service_state__encode(&state, &continuity->pack);
	if (names && !continuity->pack.failed)
		ret = pins__write_state(continuity->pins, continuity->pack.bytes,
					continuity->pack.n);
	free(names);
	free((void *)layers);
	return ret;
}

void continuity__changed(void *context)
{
	struct continuity *continuity = context;
	int ret;

	/* Before the start, what is kept is not whole anyway; or it is as it was found. */
	if (!continuity || !(continuity->started || continuity->has_state))
		return;
	ret = write_state(continuity);
	if (ret == 0)
		return;
	/* Better none than one that does not know what a number stands for. */
	pins__invalidate(continuity->pins);
	note_list__add(&continuity->session->notes,
		       "the next service will begin anew: what is known of the probes cannot be "
		       "kept: %s",
		       strerror(-ret));
}

/* A number that nobody had before. */
static void name_epoch(struct continuity *continuity)
{
	continuity->epoch.start_ns = clock__ns(CLOCK_REALTIME);
	snprintf(continuity->own_epoch, sizeof(continuity->own_epoch), "%llx-%x",
		 (unsigned long long)continuity->epoch.start_ns, (unsigned int)getpid());
	continuity->epoch.name = continuity->own_epoch;
}

static int count(void *context, const char *name, int fd)
{
	size_t *n = context;

	(void)name;
	close(fd);
	(*n)++;
	return 0;
}

int continuity__start(struct continuity *continuity, struct session *session, struct error *err)
{
	int ret;

	if (!continuity) {
		kernel__start(session->kernel);
		return 0;
	}
	pins__each(continuity->pins, PIN_LINK, count, &continuity->epoch.links);
	if (!continuity->has_state)
		name_epoch(continuity);
	/* First, so that what is counted is never without its state. */
	ret = write_state(continuity);
	if (!ret && continuity->has_state) {
		kernel__resume(session->kernel, continuity->state.missed);
	} else if (!ret) {
		kernel__start(session->kernel);
		ret = write_state(continuity); /* with what was missed before */
	}
	if (ret < 0)
		return error__set(err, ret, "what is known of the probes cannot be kept: %s",
				  strerror(-ret));
	continuity->started = true;
	return 0;
}

struct continuity_epoch continuity__epoch(const struct continuity *continuity)
{
	return continuity->epoch;
}

void continuity__end(struct continuity *continuity, bool keep)
{
	if (!continuity || (keep && continuity->started) ||
	    (continuity->has_state && !continuity->started))
		return;
	pins__clear(continuity->pins);
}

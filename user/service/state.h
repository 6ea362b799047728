/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a service knows of its probes, beside what the kernel keeps (kernel/pins.h): enough for the
 * next one to go on where this one ends, however it ends. As bytes that are checked when read:
 * damaged ones are refused, never followed.
 */
#ifndef USER_SERVICE_STATE_H
#define USER_SERVICE_STATE_H

#include "attach/seen_files.h"
#include "base/pack.h"
#include "base/strings.h"
#include "kernel/misses.h"
#include "probe/probe_table.h"
#include "selftest/choice.h"

/* A function of libraries; those of a layer in the order of their numbers. */
struct service_name {
	__u8 layer_id;
	const char *name;
};

struct service_state {
	__u64 version;	 /* of programs and maps (kernel__version()) */
	__u64 layout;	 /* of the kernel side (kernel__layout()) */
	__u64 catalogue; /* the same of the layers and functions that are traced */
	const char *epoch;
	__u64 start_ns;	       /* of the epoch; CLOCK_REALTIME */
	__u64 restarts;	       /* since */
	const char *hierarchy; /* of cgroups, by which jobs are told; NULL: none */
	struct choice choice;
	struct trial_result proven;
	__u64 missed[MISSED_KINDS]; /* before the start */
	/* The catalogue's layers, by number less TM_LAYER_USER. */
	const char *const *layers;
	size_t n_layers;
	const struct service_name *names;
	size_t n_names;
	const struct probe *probes; /* by number less TM_PROBE_USER; without spec */
	size_t n_probes;
	const struct probe_counts *moved; /* the same numbers; NULL: nothing is */
	/* Libraries: what is not made of the kernel (watches) is not there. */
	const struct seen_file *files;
	size_t n_files;
	struct strings strings; /* of one that was read */
};

/* Puts it together; pack->failed: no memory. */
void service_state__encode(const struct service_state *state, struct pack *pack);

/* 0 and *out, to be freed; -EBADMSG: they are no state, or one of another version; -ENOMEM. */
int service_state__decode(struct service_state *out, const void *bytes, size_t n);
void service_state__free(struct service_state *state);

#endif

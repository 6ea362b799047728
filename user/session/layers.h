/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the catalogue of a session, and chooses which layers are traced. */
#ifndef USER_SESSION_LAYERS_H
#define USER_SESSION_LAYERS_H

#include "session/session_state.h"

/* The shipped catalogue and the files of --probes. */
int layers__open_catalogue(struct session *session, struct error *err);

/* From --layer, --lib and --mechanism; an error is one of the command line. */
int layers__choose(struct session *session, struct error *err);

/* Is any layer of the catalogue traced? */
bool layers__have_libraries(const struct session *session);

/* Has any of them functions that ADDB2 records are taken at? */
bool layers__tell_addb(const struct session *session);
/* Is any of these one that a record is added by, which may be of a thread without a machine? */
bool layers__see_adds(const struct session *session);

/* Have any of them objects that are known by handle? */
bool layers__know_handles(const struct session *session);
/* Do its calls tell of storage pools? */
bool layers__know_pools(const struct session *session);

#endif

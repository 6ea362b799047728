/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts probes on the libraries of a session: on those that are there, and on those to come. */
#ifndef USER_SESSION_PROBING_H
#define USER_SESSION_PROBING_H

#include "session/session_state.h"

/*
 * Sets session->attach and session->late. program: the file of the command to run, NULL without
 * one. Without layers of libraries this does nothing.
 */
int probing__attach(struct session *session, const char *program, struct error *err);

/* Probes libraries that were found meanwhile in folders of the dynamic linker, and within ms. */
void probing__go_on(struct session *session, int ms);

/*
 * Has what comes into view probed from the loop, and files given up that nobody maps any more: once
 * there are probes. 0, or a negative errno.
 */
int probing__watch(struct session *session, struct loop *loop);

#endif

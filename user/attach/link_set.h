/* SPDX-License-Identifier: GPL-2.0-only */
/* The links that hold the probes: made for one file after the other, released together. */
#ifndef USER_ATTACH_LINK_SET_H
#define USER_ATTACH_LINK_SET_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "attach/exit_list.h"
#include "attach/site_list.h"
#include "kernel/kernel.h"

struct link_set;

/*
 * apart: each place gets a link of its own, so that it can be taken away by itself. To make them
 * takes no longer; to take all away does, as the kernel waits at each.
 */
int link_set__new(struct link_set **out, const struct kernel *kernel,
		  enum uprobe_mechanism mechanism, bool apart);

/*
 * Takes all probes away but those that are kept, under 0.1 s per file. Of perf uprobes, which take
 * that long each, the kernel is told in a process in the background: its number, *probes: how many;
 * else 0.
 */
pid_t link_set__free(struct link_set *set, size_t *probes); /* NULL is fine */

/*
 * Takes over the links that are kept of all groups (kernel__pins()), before any is made. 0, or a
 * negative errno.
 */
int link_set__adopt(struct link_set *set);
/* How many links a group has. */
size_t link_set__count(const struct link_set *set, unsigned int group);
/* Removes the groups that wanted() refuses. */
void link_set__sift(struct link_set *set, bool (*wanted)(void *context, unsigned int group),
		    void *context);

/*
 * What is linked from now on is of this group: a new one for 0. Its number, which is not 0.
 */
unsigned int link_set__begin(struct link_set *set, unsigned int group);

/*
 * Links are made by a process that can be abandoned from now on, on a file that is open as node and
 * must stay so, and not for long by itself; -1: by this one again. See linker.h.
 */
void link_set__far(struct link_set *set, int node);
/* Was it abandoned? What was to be linked since then has failed with -EAGAIN. */
bool link_set__is_lost(const struct link_set *set);

/*
 * Takes over a descriptor that is closed once the group's probes are gone, by who takes them away;
 * at once where there is no memory.
 */
void link_set__close_after(struct link_set *set, unsigned int group, int fd);

/* Takes a group's probes away, kept or not, as link_set__free() does. */
pid_t link_set__remove(struct link_set *set, unsigned int group, size_t *probes);

/*
 * The same, in a thread: they count as gone. Without memory, it waits, or leaves them.
 */
void link_set__remove_soon(struct link_set *set, unsigned int group);

/* A place in the file of a group, where links are apart. */
struct link_place {
	bool exit;    /* where functions return, not where one begins */
	__u64 offset; /* in the file */
	__u64 cookie;
};

/*
 * Takes a place's links out of the set. Descriptors that are to be closed, which takes the probe
 * away, go to fds (room for LINK_PLACE_FDS): how many; 0 where the kernel does that already.
 */
#define LINK_PLACE_FDS 2
size_t link_set__take(struct link_set *set, unsigned int group, const struct link_place *place,
		      int *fds);
/* Probes such a place of a file, again. 0, or a negative errno. */
int link_set__put(struct link_set *set, unsigned int group, const char *path,
		  const struct link_place *place);

/*
 * Probes all sites of a file, with one link where the mechanism can; site->error says for each how
 * it went. A site that the kernel refuses does not keep the others away.
 */
void link_set__add(struct link_set *set, const char *path, struct site_list *sites);

/*
 * Probes where the sites return, before they are probed themselves; for mechanisms without return
 * probes. What is refused is dropped: site->untimed.
 */
void link_set__add_exits(struct link_set *set, const char *path, const struct exit_list *exits,
			 struct site_list *sites);

/*
 * Protects open calls from what the program does: probes the unwinder, which must find return
 * addresses, and makecontext(), where they are in this file.
 */
void link_set__guard(struct link_set *set, const char *path, const struct elf_file *elf);

#endif

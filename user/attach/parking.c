// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/closing.h"
#include "attach/parking.h"
#include "base/array.h"
#include "base/path.h"

enum parking_state {
	PARKING_NONE, /* it cannot be parked */
	PARKING_ARMED,
	PARKING_BEGUN, /* its hits count nothing any more */
	PARKING_PARKED,
};

/* The probes where a function returns. */
enum exits_state {
	EXITS_NONE,  /* its calls are not timed by such, or not at all */
	EXITS_IN,    /* its calls are timed */
	EXITS_BEGUN, /* new calls are only counted */
	EXITS_OUT,
};

/* An instruction by which functions return. */
struct parked_exit {
	__u64 offset, cookie;
	unsigned int users; /* functions that hold it */
};

struct parked_file {
	unsigned int group;
	int fd; /* -1: gone for good, another one may have its place */
	bool far;
	struct parked_exit *exits;
	size_t n_exits, exits_room;
};

struct parked_site {
	enum parking_state state;
	size_t file;
	struct link_place place;
	enum exits_state timing;
	bool holds_exits; /* is one of their users */
	size_t *exits;	  /* of the file's */
	size_t n_exits, room;
};

struct parking {
	struct link_set *links;
	struct tm_probe *probes;
	struct parked_file *files;
	size_t n_files, files_room;
	struct parked_site *sites; /* by number */
	size_t n_sites, sites_room;
	struct closings closings;
};

int parking__new(struct parking **out, struct link_set *links, struct tm_probe *probes)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->links = links;
	(*out)->probes = probes;
	return 0;
}

void parking__free(struct parking *parking)
{
	if (!parking)
		return;
	closings__reap(&parking->closings, true);
	for (size_t i = 0; i < parking->n_files; i++) {
		if (parking->files[i].fd >= 0)
			close(parking->files[i].fd);
		free(parking->files[i].exits);
	}
	for (size_t i = 0; i < parking->n_sites; i++)
		free(parking->sites[i].exits);
	free(parking->files);
	free(parking->sites);
	free(parking);
}

/* The probe's element, with all before it; NULL: no memory. */
static struct parked_site *make_site(struct parking *parking, int number)
{
	while (parking->n_sites <= (size_t)number) {
		if (array__grow((void **)&parking->sites, &parking->sites_room, parking->n_sites,
				sizeof(*parking->sites)) < 0)
			return NULL;
		parking->sites[parking->n_sites++] = (struct parked_site){ 0 };
	}
	return &parking->sites[number];
}

/* The place of a file that is gone, or a new one; SIZE_MAX: no memory. */
static size_t find_place(struct parking *parking)
{
	for (size_t i = 0; i < parking->n_files; i++)
		if (parking->files[i].fd < 0)
			return i;
	if (array__grow((void **)&parking->files, &parking->files_room, parking->n_files,
			sizeof(*parking->files)) < 0)
		return SIZE_MAX;
	parking->files[parking->n_files] = (struct parked_file){ .fd = -1 };
	return parking->n_files++;
}

static int add_file(struct parking *parking, unsigned int group, int fd, bool far, size_t *out)
{
	struct parked_file *file;
	char path[PATH_OF_FD];

	*out = find_place(parking);
	if (*out == SIZE_MAX)
		return -ENOMEM;
	file = &parking->files[*out];
	/* By its path alone: to close a file that is open may wait for its file system (FUSE). */
	file->fd = open(path__of_fd(path, fd), O_PATH | O_CLOEXEC);
	if (file->fd < 0)
		return -errno;
	file->group = group;
	file->far = far;
	return 0;
}

static int add_site(struct parking *parking, size_t file, const struct site *site)
{
	struct parked_site *known = make_site(parking, site->number);

	if (!known)
		return -ENOMEM;
	known->state = PARKING_ARMED;
	known->file = file;
	known->timing = EXITS_NONE;
	known->holds_exits = true;
	known->n_exits = 0;
	known->place = (struct link_place){
		.offset = site->offset + site->entry.moved,
		.cookie = site__cookie(site),
	};
	return 0;
}

static struct parked_exit *exit_of(const struct parking *parking, const struct parked_site *site,
				   size_t i)
{
	return &parking->files[site->file].exits[site->exits[i]];
}

/* The element of an instruction by which functions return, which come in ascending order. */
static int make_exit(struct parked_file *file, __u64 offset, __u64 cookie, size_t *out)
{
	size_t n = file->n_exits;

	*out = n - 1;
	if (n && file->exits[n - 1].offset == offset)
		return 0;
	if (array__grow((void **)&file->exits, &file->exits_room, n, sizeof(*file->exits)) < 0)
		return -ENOMEM;
	*out = n;
	file->exits[file->n_exits++] = (struct parked_exit){ .offset = offset, .cookie = cookie };
	return 0;
}

static int add_exit(struct parking *parking, const struct site *site, __u64 offset, __u64 cookie)
{
	struct parked_site *known = &parking->sites[site->number];
	size_t exit;

	if (make_exit(&parking->files[known->file], offset, cookie, &exit) < 0 ||
	    array__grow((void **)&known->exits, &known->room, known->n_exits,
			sizeof(*known->exits)) < 0)
		return -ENOMEM;
	known->exits[known->n_exits++] = exit;
	exit_of(parking, known, known->n_exits - 1)->users++;
	/* One that the kernel refuses a probe at an exit has others all the same. */
	if (parking->probes[site->number - TM_PROBE_USER].entry_only == TM_ENTRY_ONLY_NO)
		known->timing = EXITS_IN;
	return 0;
}

int parking__know(struct parking *parking, unsigned int group, int fd, bool far,
		  struct site_list *sites, const struct exit_list *exits)
{
	size_t file;
	int ret = add_file(parking, group, fd, far, &file);

	for (size_t i = 0; !ret && i < site_list__n(sites); i++) {
		const struct site *site = site_list__at(sites, i);

		if (!site->error)
			ret = add_site(parking, file, site);
	}
	for (size_t i = 0; !ret && i < exit_list__n_uses(exits); i++) {
		size_t at;
		__u64 cookie, offset = exit_list__use(exits, i, &at, &cookie);
		const struct site *site = site_list__at(sites, at);

		if (!site->error)
			ret = add_exit(parking, site, offset, cookie);
	}
	return ret;
}

/* Its sites are no sites any more; their numbers may be another file's. */
static void forget_file(struct parking *parking, size_t i)
{
	struct parked_file *file = &parking->files[i];

	for (size_t at = 0; at < parking->n_sites; at++) {
		struct parked_site *site = &parking->sites[at];

		if (site->file != i || site->state == PARKING_NONE)
			continue;
		free(site->exits);
		*site = (struct parked_site){ .state = PARKING_NONE };
	}
	free(file->exits);
	*file = (struct parked_file){ .fd = -1 };
}

int parking__forget(struct parking *parking, unsigned int group)
{
	for (size_t i = 0; i < parking->n_files; i++) {
		int fd = parking->files[i].fd;

		if (fd < 0 || parking->files[i].group != group)
			continue;
		forget_file(parking, i);
		return fd;
	}
	return -1;
}

static struct parked_site *site_of(const struct parking *parking, int number)
{
	return number >= 0 && (size_t)number < parking->n_sites ? &parking->sites[number] : NULL;
}

bool parking__can(const struct parking *parking, int number)
{
	const struct parked_site *site = site_of(parking, number);

	return site && site->state == PARKING_ARMED;
}

bool parking__has_exits(const struct parking *parking, int number)
{
	const struct parked_site *site = site_of(parking, number);

	return site && site->state != PARKING_NONE && site->timing != EXITS_NONE;
}

bool parking__can_untime(const struct parking *parking, int number)
{
	return parking__can(parking, number) && parking->sites[number].timing == EXITS_IN;
}

/* From now on hits of another generation count. */
static void next_generation(struct parking *parking, int number)
{
	__u8 *generation = &parking->probes[number - TM_PROBE_USER].generation;

	__atomic_add_fetch(generation, 1, __ATOMIC_SEQ_CST);
}

static void set_entry_only(struct parking *parking, int number, enum tm_entry_only how)
{
	__u8 *entry_only = &parking->probes[number - TM_PROBE_USER].entry_only;

	__atomic_store_n(entry_only, (__u8)how, __ATOMIC_SEQ_CST);
}

int parking__begin(struct parking *parking, int number)
{
	if (!parking__can(parking, number))
		return -EINVAL;
	next_generation(parking, number);
	parking->sites[number].state = PARKING_BEGUN;
	return 0;
}

int parking__untime(struct parking *parking, int number)
{
	if (!parking__can_untime(parking, number))
		return -EINVAL;
	set_entry_only(parking, number, TM_ENTRY_ONLY_FOR_NOW);
	parking->sites[number].timing = EXITS_BEGUN;
	return 0;
}

/* Room for what the site's probes are held by; NULL: no memory. */
static struct closing *prepare_closing(const struct parked_site *site)
{
	return closing__new((site->n_exits + 1) * LINK_PLACE_FDS);
}

/* Lets go of the exits: those that it was the last to need are to be closed. */
static void release_exits(struct parking *parking, struct parked_site *site,
			  struct closing *closing)
{
	unsigned int group = parking->files[site->file].group;

	for (size_t i = 0; site->holds_exits && i < site->n_exits; i++) {
		struct parked_exit *exit = exit_of(parking, site, i);
		struct link_place place = { .exit = true,
					    .offset = exit->offset,
					    .cookie = exit->cookie };

		if (!--exit->users)
			closing->n += link_set__take(parking->links, group, &place,
						     closing->fds + closing->n);
	}
	site->holds_exits = false;
}

/* Links of a file are made again: begin, and end. */
static void begin_links(const struct parking *parking, const struct parked_site *site)
{
	const struct parked_file *file = &parking->files[site->file];

	if (file->far)
		link_set__far(parking->links, file->fd);
}

static void end_links(const struct parking *parking, const struct parked_site *site)
{
	if (parking->files[site->file].far)
		link_set__far(parking->links, -1);
}

/* Puts those back that nobody else needs. 0, or what the kernel said of the last it refused. */
static int hold_exits(struct parking *parking, struct parked_site *site)
{
	const struct parked_file *file = &parking->files[site->file];
	char path[PATH_OF_FD];
	int ret = 0;

	path__of_fd(path, file->fd);
	for (size_t i = 0; !site->holds_exits && i < site->n_exits; i++) {
		struct parked_exit *exit = exit_of(parking, site, i);
		struct link_place place = { .exit = true,
					    .offset = exit->offset,
					    .cookie = exit->cookie };
		int refused = exit->users++
				      ? 0
				      : link_set__put(parking->links, file->group, path, &place);

		ret = refused ? refused : ret;
	}
	site->holds_exits = true;
	return ret;
}

/* Takes a probe away, and its exits. 0, or -ENOMEM. */
static int take_away(struct parking *parking, struct parked_site *site)
{
	struct closing *closing = prepare_closing(site);

	if (!closing)
		return -ENOMEM;
	closing->n = link_set__take(parking->links, parking->files[site->file].group, &site->place,
				    closing->fds);
	release_exits(parking, site, closing);
	site->state = PARKING_PARKED;
	if (site->timing == EXITS_BEGUN)
		site->timing = EXITS_OUT;
	closings__start(&parking->closings, closing);
	return 0;
}

/* Takes its exits away alone. 0, or -ENOMEM. */
static int take_exits_away(struct parking *parking, struct parked_site *site)
{
	struct closing *closing = prepare_closing(site);

	if (!closing)
		return -ENOMEM;
	release_exits(parking, site, closing);
	site->timing = EXITS_OUT;
	closings__start(&parking->closings, closing);
	return 0;
}

size_t parking__go_on(struct parking *parking, __u64 (*open)(void *context, int number),
		      void *context, bool force)
{
	size_t left = 0;

	closings__reap(&parking->closings, false);
	for (size_t i = 0; i < parking->n_sites; i++) {
		struct parked_site *site = &parking->sites[i];
		bool whole = site->state == PARKING_BEGUN;

		if (!whole && (site->state != PARKING_ARMED || site->timing != EXITS_BEGUN))
			continue;
		/* Without memory there is a next time. */
		if ((!force && open(context, (int)i)) ||
		    (whole ? take_away : take_exits_away)(parking, site) < 0)
			left++;
	}
	return left;
}

int parking__end(struct parking *parking, int number)
{
	struct parked_site *site = site_of(parking, number);
	const struct parked_file *file;
	char path[PATH_OF_FD];
	int ret = 0;

	if (!site || site->state == PARKING_NONE)
		return -ENOENT;
	if (site->state == PARKING_ARMED)
		return 0;
	/* One that is still there has to be made anew, too: its cookie is of before. */
	if (site->state == PARKING_BEGUN && take_away(parking, site) < 0)
		return -ENOMEM;
	file = &parking->files[site->file];
	path__of_fd(path, file->fd);
	next_generation(parking, number);
	site->place.cookie &= ~(0xffULL << TM_COOKIE_BITS);
	site->place.cookie |= (__u64)parking->probes[number - TM_PROBE_USER].generation
			      << TM_COOKIE_BITS;
	/* One that the kernel refused before it refuses again. */
	begin_links(parking, site);
	if (site->timing != EXITS_OUT)
		hold_exits(parking, site);
	ret = link_set__put(parking->links, file->group, path, &site->place);
	end_links(parking, site);
	site->state = ret ? PARKING_NONE : PARKING_ARMED;
	return ret;
}

int parking__time(struct parking *parking, int number)
{
	struct parked_site *site = site_of(parking, number);
	struct closing *closing;
	int ret = 0;

	if (!parking__has_exits(parking, number))
		return -ENOENT;
	if (site->timing == EXITS_IN)
		return 0;
	closing = prepare_closing(site);
	if (!closing)
		return -ENOMEM;
	/* Those of a function that is parked come back with it. */
	begin_links(parking, site);
	if (site->state == PARKING_ARMED)
		ret = hold_exits(parking, site);
	end_links(parking, site);
	if (ret) {
		release_exits(parking, site, closing);
		site->timing = EXITS_OUT;
	} else {
		site->timing = EXITS_IN;
		set_entry_only(parking, number, TM_ENTRY_ONLY_NO);
	}
	closings__start(&parking->closings, closing);
	return ret;
}

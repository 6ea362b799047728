// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "attach/attach_state.h"
#include "attach/site_list.h"
#include "base/path.h"
#include "elf/elf_file.h"
#include "host/reach.h"

/* Why a call of a session's function would be in danger. */
static const char calls_back[] =
	"it calls the program back, and an exception thrown there would not "
	"survive a return probe on this kernel";

static const char go_code[] =
	"it is made by Go, which moves stacks: a call that returns is not known again";

/* Is there nothing left to look for in a file? */
static bool is_done(const struct attach *attach, const struct seen_file *seen, const char *forced)
{
	int layer;

	if (!seen || !forced)
		return seen && seen->complete;
	layer = catalogue__find_layer(attach->options.catalogue, forced);
	return layer < 0 || seen->probed[layer];
}

/* Can the stack be repaired for an exception that passes a return probe? */
static bool repairs_stacks(const struct attach *attach)
{
	return attach->options.kernel &&
	       kernel__program_fd(attach->options.kernel, KERNEL_UNWIND) >= 0;
}

bool attach__on_ret(const struct attach *attach)
{
	return attach->options.choice.on_ret ||
	       (attach->options.kernel && kernel__jumps_back(attach->options.kernel));
}

/*
 * Which calls can be timed, and by what: probes where the functions return, which are placed here
 * (*exits, else NULL), or a session's return probe.
 */
static int prepare_returns(struct attach *attach, struct site_list *sites,
			   const struct elf_file *elf, const struct open_file *file,
			   const char *shown, struct exit_list **exits, struct error *err)
{
	char path[PATH_OF_FD];
	int ret;

	*exits = NULL;
	for (size_t i = 0; i < site_list__n(sites) && elf_file__is_go(elf); i++)
		site_list__at(sites, i)->untimed = go_code;
	if (attach->options.mechanism == UPROBE_SESSION) {
		for (size_t i = 0; i < site_list__n(sites) && !repairs_stacks(attach); i++)
			if (site_list__at(sites, i)->spec.calls_back &&
			    !site_list__at(sites, i)->untimed)
				site_list__at(sites, i)->untimed = calls_back;
		return 0;
	}
	ret = exit_list__find(exits, sites, file->fd, elf, shown, attach__on_ret(attach), err);
	if (!ret && attach->links)
		link_set__add_exits(attach->links, path__of_fd(path, file->node), *exits, sites);
	return ret;
}

/* Probes the sites, which have numbers, and notes how it went: how many are probed. */
static int link_sites(struct attach *attach, struct seen_file *seen, struct site_list *sites,
		      const struct exit_list *exits, const struct open_file *file,
		      const char *shown, struct error *err)
{
	size_t i, n = site_list__n(sites), placed = 0;
	char path[PATH_OF_FD];

	attach__tell(attach);
	link_set__add(attach->links, path__of_fd(path, file->node), sites);
	if (attach->parking &&
	    parking__know(attach->parking, seen->group, file->node, file->far, sites, exits) < 0)
		return error__set(err, -ENOMEM, "%s: no memory", shown);
	for (i = 0; i < n; i++) {
		const struct site *site = site_list__at(sites, i);

		if (seen_file__add_probe(seen, site->number) < 0)
			return error__set(err, -ENOMEM, "%s: no memory", shown);
		if (site->error)
			probe_table__set_state(attach->options.table, site->number, PROBE_FAILED,
					       site->refused ?: strerror(-site->error));
		else
			placed++;
	}
	return placed;
}

static int place(struct attach *attach, struct seen_file *seen, struct site_list *sites,
		 const struct elf_file *elf, const struct open_file *file, const char *shown,
		 struct error *err)
{
	size_t n = site_list__n(sites);
	struct exit_list *exits;
	int ret;

	ret = prepare_returns(attach, sites, elf, file, shown, &exits, err);
	if (ret < 0)
		return ret;
	ret = attach__number_sites(attach, sites, shown);
	if (ret < 0) {
		attach__undo(attach, seen, sites);
		error__set(err, ret, "%s: cannot probe %zu functions: %s", shown, n,
			   ret == -ENOSPC ? "there are as many probes as there can be"
					  : strerror(-ret));
	} else if (!attach->links) {
		ret = (int)n;
	} else {
		ret = link_sites(attach, seen, sites, exits, file, shown, err);
	}
	exit_list__free(exits);
	return ret;
}

/* The functions of a file that is left alone are told, with the reason. 0, or a negative errno. */
static int refuse_sites(struct attach *attach, struct seen_file *seen, struct site_list *sites,
			const char *shown, struct error *err)
{
	int ret = attach__number_sites(attach, sites, shown);

	for (size_t i = 0; !ret && i < site_list__n(sites); i++) {
		const struct site *site = site_list__at(sites, i);

		ret = seen_file__add_probe(seen, site->number);
		if (!ret)
			ret = probe_table__set_state(attach->options.table, (size_t)site->number,
						     PROBE_FAILED, seen->alone);
	}
	return ret < 0 ? error__set(err, ret, "%s: %s", shown, strerror(-ret)) : 0;
}

/* Probes a file that is open and read: the number of probes, or a negative errno. */
static int probe_elf(struct attach *attach, struct seen_file *seen, const struct elf_file *elf,
		     const struct attach_request *request, const struct open_file *file,
		     struct error *err)
{
	struct site_list *sites = NULL;
	struct error ignored;
	char path[PATH_OF_FD];
	int ret;

	if (attach->links)
		seen->group = link_set__begin(attach->links, seen->group);
	ret = site_list__new(&sites);
	if (!ret)
		ret = attach__leave_by_rules(attach, seen, attach__file_name(elf, request));
	if (!ret)
		ret = attach__collect(attach, seen, elf, request, sites);
	if (ret < 0)
		error__set(err, ret, "%s: %s", request->shown, strerror(-ret));
	if (ret >= 0 && seen->alone) {
		/* What does not fit into the share is not even told. */
		if (attach__charge(attach, seen, file, site_list__n(sites), &ignored) == 0)
			ret = refuse_sites(attach, seen, sites, request->shown, err);
	} else if (ret >= 0 && site_list__n(sites)) {
		ret = attach__charge(attach, seen, file, site_list__n(sites), err);
		if (ret < 0)
			goto out;
		/* What cannot be examined is probed at its entry. */
		site_list__find_entries(sites, file->fd, request->shown, elf,
					&attach->options.choice, &ignored);
		ret = place(attach, seen, sites, elf, file, request->shown, err);
	}
	if (ret >= 0 && attach->links && !seen->alone && !seen->complete &&
	    (request->program || attach__is_guarded(attach, attach__file_name(elf, request)))) {
		if (attach__charge(attach, seen, file, 1, &ignored) == 0)
			link_set__guard(attach->links, path__of_fd(path, file->node), elf);
		seen->guarded = true;
	}
out:
	site_list__free(sites);
	return ret;
}

/* Notes what is known of a file once it has been looked at. */
static void settle(struct attach *attach, struct seen_file *seen, struct file_watch *watch)
{
	if (seen->alone || !(seen->n_numbers || seen->guarded))
		return;
	if (file_watch__is_set(watch))
		seen->watch = *watch;
	*watch = FILE_WATCH_NONE;
	if (attach->links)
		seen->n_links = link_set__count(attach->links, seen->group);
	attach__tell(attach);
}

/* One that is far may go with its file system. */
static enum seen_stay stay_of(const struct open_file *file)
{
	return file->far ? SEEN_STAYS_LONG : attach__stay_of(file->fd);
}

/* Its file system answered, and does not any more. */
static int give_up(const struct attach_request *request, struct error *err)
{
	reach__lose();
	return error__set(err, -EAGAIN,
			  "%s: its file system does not answer any more: what is on it is not "
			  "traced until it does",
			  request->shown);
}

/* The file at path is open: reads it, and probes what there is. As attach__probe_file(). */
static int probe_open(struct attach *attach, struct seen_file *seen, const struct tm_file *id,
		      const struct attach_request *request, const struct open_file *file,
		      struct error *err)
{
	struct elf_file *elf = NULL;
	struct file_watch watch = FILE_WATCH_NONE;
	bool is_new = !seen;
	int ret;

	/* From before it is read: what changes then changes what was read. */
	if (attach->watcher && !(seen && file_watch__is_set(&seen->watch)))
		watch = attach__watch(attach, file);
	if (watch.mark == -EAGAIN)
		return give_up(request, err);
	ret = elf_file__open_library(&elf, file->fd, request->shown, &attach->marks_list, err);
	if (ret < 0)
		goto out;
	if (is_new)
		seen = seen_files__add(attach->files, id, request->shown);
	if (!seen) {
		ret = error__set(err, -ENOMEM, "%s: no memory", request->shown);
		goto out;
	}
	attach__version(file, &seen->version);
	if (request->expected)
		seen->stay = stay_of(file);
	ret = probe_elf(attach, seen, elf, request, file, err);
	if (ret == -EDQUOT || ret == -EALREADY) {
		/* It is looked at again when it is mapped again, maybe by somebody else. */
		if (is_new)
			seen_files__remove(attach->files, seen_files__n(attach->files) - 1);
		goto out;
	}
	if (ret > 0)
		seen->n_probes += ret;
	seen->complete |= !request->layer;
	settle(attach, seen, &watch);
out:
	if (attach->watcher)
		file_watcher__remove(attach->watcher, &watch);
	elf_file__close(elf);
	return ret;
}

/* Not all of a far file's links could be made: none is left. */
static void undo_links(struct attach *attach, const struct tm_file *id)
{
	const struct seen_file *seen = seen_files__find(attach->files, id);

	for (size_t i = 0; seen && i < seen_files__n(attach->files); i++)
		if (seen_files__at(attach->files, i) == seen) {
			attach__give_up(attach, i, "its file system does not answer");
			attach__tell(attach);
			return;
		}
}

/* Where a file system ceases to answer just now, another process waits for it. */
static int probe_far(struct attach *attach, struct seen_file *seen, const struct tm_file *id,
		     const struct attach_request *request, const struct open_file *file,
		     struct error *err)
{
	bool is_lost;
	int ret;

	link_set__far(attach->links, file->node);
	ret = probe_open(attach, seen, id, request, file, err);
	is_lost = link_set__is_lost(attach->links);
	link_set__far(attach->links, -1);
	if (!is_lost)
		return ret;
	undo_links(attach, id);
	return give_up(request, err);
}

int attach__probe_file(struct attach *attach, const struct attach_request *request,
		       struct error *err)
{
	struct seen_file *seen;
	struct open_file file;
	struct tm_file id;
	int ret = attach__open(attach, request->path, &file, &id);

	if (ret < 0)
		return error__set(err, ret, "%s: %s", request->shown, strerror(-ret));
	seen = attach__meet(attach, seen_files__find(attach->files, &id), &file);
	if (seen && request->expected)
		seen->stay = stay_of(&file);
	if (!is_done(attach, seen, request->layer))
		ret = (file.far && attach->links ? probe_far : probe_open)(attach, seen, &id,
									   request, &file, err);
	attach__close(&file);
	return ret;
}

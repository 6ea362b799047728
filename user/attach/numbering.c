// SPDX-License-Identifier: GPL-2.0-only
/* The numbers of a file's probes, and whose share they are of. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "attach/attach_state.h"
#include "host/process.h"

/* Steps of operations that are not traced themselves would never be over. */
static void choose_role(const struct attach *attach, struct tm_role *role)
{
	if (role->kind == TM_ROLE_STEP && !attach->options.layers[role->layer - TM_LAYER_USER])
		role->kind = TM_ROLE_NONE;
}

/* What a site gets in the table of probes. */
static struct probe describe(const struct attach *attach, const struct site *site,
			     const char *shown)
{
	struct probe probe = {
		.layer = probe_table__layer_name(attach->options.table, site->layer),
		.layer_id = site->layer,
		.function = site->symbol,
		.spec = site->spec,
		.library = shown,
		.site = site->offset + site->entry.moved,
		.entry = site->entry,
		.exits = site->untimed ? EXIT_UNKNOWN : site->exits,
		.mechanism = uprobe_mechanism_names[attach->options.mechanism],
		.state = PROBE_ARMED,
		.entry_only = site->untimed != NULL,
	};

	return probe;
}

/*
 * Describes a probe in the kernel. One that has the number of another gets a generation of its own:
 * where links of that are still there, their hits count nothing.
 */
static void describe_in_kernel(const struct attach *attach, struct site *site, __u32 function,
			       bool is_new)
{
	struct tm_probe *to;
	__u8 generation;

	if (!attach->options.kernel)
		return;
	to = &kernel__probes(attach->options.kernel)[site->number - TM_PROBE_USER];
	generation = is_new ? to->generation : (__u8)((to->generation | 1) + 1);
	__atomic_store_n(&to->generation, (__u8)(generation - 1), __ATOMIC_SEQ_CST);
	*to = (struct tm_probe){
		.function = function,
		.own_span = (__u16)site->own_span,
		.layer = site->layer,
		.entry_only = site->untimed != NULL,
		.tail_calls = site->tail_calls,
		.generation = (__u8)(generation - 1),
		.spec = site->spec,
	};
	__atomic_store_n(&to->generation, generation, __ATOMIC_SEQ_CST);
	site->generation = generation;
}

int attach__number_sites(struct attach *attach, struct site_list *sites, const char *shown)
{
	char reason[256];
	size_t i;

	for (i = 0; i < site_list__n(sites); i++) {
		struct site *site = site_list__at(sites, i);
		struct probe probe;
		size_t before = probe_table__n(attach->options.table);
		int id = probe_table__function_id(attach->options.table, site->layer, site->symbol);

		if (id < 0)
			return id;
		choose_role(attach, &site->spec.role);
		probe = describe(attach, site, shown);
		probe.function_id = id;
		if (site->untimed)
			snprintf(reason, sizeof(reason), "counted, not timed: %s", site->untimed);
		probe.reason = site->untimed ? reason : NULL;
		site->number = probe_table__place(attach->options.table, &probe);
		if (site->number == -ENOSPC && attach->options.counts)
			site->number = probe_table__recycle(attach->options.table, &probe,
							    attach->options.counts,
							    attach->options.counts_context);
		if (site->number < 0)
			return site->number;
		describe_in_kernel(attach, site, (__u32)id, (size_t)site->number == before);
	}
	return 0;
}

void attach__undo(struct attach *attach, const struct seen_file *seen, struct site_list *sites)
{
	for (size_t i = 0; i < site_list__n(sites); i++)
		if (site_list__at(sites, i)->number > 0)
			probe_table__release(attach->options.table,
					     (size_t)site_list__at(sites, i)->number,
					     "there is no room for all of its file");
	if (attach->links && !seen->n_numbers)
		link_set__remove_soon(attach->links, seen->group);
}

/* Whose share a file is of. */
static uid_t user_of(const struct attach *attach, const struct open_file *file)
{
	struct stat st;
	uid_t user = 0;

	/* Whose process it was is not known any more where that is gone. */
	if (attach->mapped_by && (process__user(attach->mapped_by, &user) < 0 || !user) &&
	    attach__stat(file, &st) == 0)
		user = st.st_uid;
	return user;
}

int attach__charge(struct attach *attach, struct seen_file *seen, const struct open_file *file,
		   size_t n, struct error *err)
{
	bool told;
	int ret;

	if (!seen->charged)
		seen->user = seen->stay == SEEN_GOES ? user_of(attach, file) : 0;
	told = shares__is_full(attach->shares, seen->user);
	ret = shares__take(attach->shares, seen->user, n);
	if (!ret)
		seen->charged += n;
	else if (ret == -EDQUOT && !told)
		error__set(err, ret,
			   "further libraries of user %u get no probes: those that the user's "
			   "processes map now have as many as one user may have, %zu; those of "
			   "others are traced as before",
			   (unsigned int)seen->user, attach->options.share);
	else if (ret == -EDQUOT)
		ret = -EALREADY;
	return ret;
}

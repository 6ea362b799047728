// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "report/names.h"
#include "top/cells.h"
#include "top/header.h"

/* The least of a job's name in the line that says where one is. */
#define JOB_LEAST 8

#define TITLE_ROOM 512

/* What is looked at, and the order of the rows. */
static void describe(char *out, size_t room, const struct top_page *page)
{
	const struct top_control *control = page->control;
	const struct top_view *view = &control->view;
	const char *what = view->level == TOP_LEVEL_JOBS     ? top_page__view(page->run, view)
			   : view->level == TOP_LEVEL_LAYERS ? "layers"
							     : "functions";

	if (view->level == TOP_LEVEL_FUNCTION)
		snprintf(out, room, "one function");
	else
		snprintf(out, room, "%s by %s%s", what, top_column__key(control->place.sort),
			 control->place.reverse ? ", reversed" : "");
}

/* Adds a part of the title, if there is room for it. */
static bool add_part(char title[TITLE_ROOM], const struct top_writer *writer, const char *part)
{
	size_t used = strlen(title);

	if (writer->width && cells__width(title) + cells__width(part) + 2 > writer->width)
		return false;
	snprintf(title + used, TITLE_ROOM - used, "  %s", part);
	return true;
}

/* What does not fit is left out, from the end on. */
static void write_title(struct top_writer *writer, const struct top_page *page)
{
	const struct report_run *run = page->run;
	char title[TITLE_ROOM], part[TITLE_ROOM], day[32];

	clock__local(day, sizeof(day), page->time_ns, "%H:%M:%S");
	snprintf(title, sizeof(title), "tmtrace top  %s", day);
	/* Plain text is to be set against other clocks. */
	if (!page->height)
		snprintf(title, sizeof(title), "tmtrace top  %s.%03u", day,
			 (unsigned int)(page->time_ns % NS_PER_S / NS_PER_MS));
	snprintf(part, sizeof(part), "%.*f s", page->height ? 2 : 3, page->seconds);
	add_part(title, writer, part);
	clock__local(day, sizeof(day), page->control->frozen_ns, "%H:%M:%S");
	snprintf(part, sizeof(part), "FROZEN since %s", day);
	if (page->control->frozen_ns && !add_part(title, writer, part))
		add_part(title, writer, "FROZEN");
	describe(part, sizeof(part), page);
	add_part(title, writer, part);
	snprintf(part, sizeof(part), "notes %zu", run->n_notes);
	if (run->n_notes)
		add_part(title, writer, part);
	snprintf(part, sizeof(part), "%s on %s", run->scope, run->hostname);
	if (!add_part(title, writer, part))
		add_part(title, writer, run->hostname);
	top_writer__line(writer, TOP_TITLE, "%s", title);
}

void top_header__title(struct top_writer *writer, const struct top_page *page)
{
	if (page->control->asking)
		top_writer__line(writer, TOP_TITLE, "interval in seconds: %s_",
				 page->control->answer);
	else
		write_title(writer, page);
}

static void write_sums(struct top_writer *writer, const struct top_page *page, const char *what,
		       const char *operations, const struct top_row *row)
{
	double seconds = top_page__seconds(page);
	char read[UNITS_ROOM], written[UNITS_ROOM], count[UNITS_ROOM];

	units__bytes(read, (__u64)((double)row->flows[TOP_READ].bytes / seconds));
	units__bytes(written, (__u64)((double)row->flows[TOP_WRITE].bytes / seconds));
	units__count(count, (__u64)((double)row->operations / seconds + 0.5));
	top_writer__line(writer, TOP_TEXT, "%-8s read %s/s  write %s/s  %s %s/s", what, read,
			 written, count, operations);
}

/* Of what is asked for, if that is one job. n: how many there are. */
static const struct top_job *find_chosen(const struct top_interval *interval, size_t *n)
{
	const struct top_job *job = NULL;

	*n = 0;
	for (size_t i = 0; i < interval->n_jobs; i++) {
		if (!interval->jobs[i].chosen)
			continue;
		job = &interval->jobs[i];
		++*n;
	}
	return *n == 1 ? job : NULL;
}

/* What is known of the job that one is in, now or the last time that something came of it. */
static const struct top_job *find_job(const struct top_page *page, size_t *n)
{
	const struct top_view *view = &page->control->view;
	const struct top_job *job = NULL;

	*n = 0;
	if (!page->history || view->whose == TOP_OF_ALL)
		return NULL;
	for (size_t i = top_history__n(page->history); i-- > 0 && !job && *n < 2;) {
		const struct top_interval *interval = top_history__at(page->history, i);

		if (view->whose == TOP_OF_CHOSEN)
			job = find_chosen(interval, n);
		else
			job = top_interval__job(interval, view->job);
	}
	return job;
}

static const struct top_leaf *find_function(const struct top_page *page)
{
	for (size_t i = page->history ? top_history__n(page->history) : 0; i-- > 0;) {
		const struct top_interval *interval = top_history__at(page->history, i);

		for (size_t k = 0; k < interval->n_leaves; k++)
			if (top_view__has(&page->control->view, interval, &interval->leaves[k]))
				return &interval->leaves[k];
	}
	return NULL;
}

static const char *whose_name(const struct top_page *page)
{
	const struct top_job *job;
	size_t n;

	if (page->control->view.whose == TOP_OF_ALL)
		return "all jobs";
	if (page->control->view.whose == TOP_OF_CHOSEN)
		return page->whose;
	job = find_job(page, &n);
	return job ? job->name : "?";
}

/* What is behind the job: "  > vfs  > read". */
static void describe_below(char *out, size_t room, const struct top_page *page)
{
	const struct top_view *view = &page->control->view;
	const struct top_leaf *leaf =
		view->level == TOP_LEVEL_FUNCTION ? find_function(page) : NULL;

	out[0] = '\0';
	if (view->level >= TOP_LEVEL_FUNCTIONS)
		snprintf(out, room, " > %s%s%s", top_page__view(page->run, view), leaf ? " > " : "",
			 leaf ? leaf->name : "");
}

/* Where one is. Of a job's name that does not fit the end tells more. */
static void write_place(struct top_writer *writer, const struct top_page *page)
{
	const char *name = whose_name(page);
	char below[512], *fitted;
	unsigned int used;

	describe_below(below, sizeof(below), page);
	used = (unsigned int)strlen("jobs > ") + cells__width(below);
	fitted = top_writer__fit_end(writer, name,
				     page->width && page->width > used + JOB_LEAST
					     ? page->width - used
				     : page->width ? JOB_LEAST
						   : 0);
	top_writer__line(writer, TOP_TITLE, "jobs > %s%s", fitted ? fitted : "?", below);
	free(fitted);
}

/* What a job has used; of all of them, what they do on files. */
static void write_job(struct top_writer *writer, const struct top_page *page)
{
	char text[128] = "", bytes[UNITS_ROOM], day[32];
	size_t n, used = 0;
	const struct top_job *job = find_job(page, &n);

	if (page->control->view.whose == TOP_OF_ALL) {
		write_sums(writer, page, "files", "operations", &page->rows->files);
		return;
	}
	if (n > 1)
		snprintf(text, sizeof(text), "  %zu cgroups", n);
	if (job && job->processors >= 0)
		used += (size_t)snprintf(text, sizeof(text), "  CPU %.0f %%",
					 100 * job->processors);
	if (job && job->memory_bytes != JOB_UNKNOWN)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "  memory %s at most",
					 units__bytes(bytes, job->memory_bytes));
	if (job && job->start_ns)
		snprintf(text + used, sizeof(text) - used, "  since %s",
			 clock__local(day, sizeof(day), job->start_ns, "%F %T"));
	top_writer__line(writer, TOP_TEXT, "job    %s",
			 text[0] ? text : "  CPU and memory are not known");
}

static void write_answer(struct top_writer *writer, const struct top_cost *cost)
{
	char memory[UNITS_ROOM], time[UNITS_ROOM], bytes[UNITS_ROOM];

	units__bytes(memory, cost->memory_bytes);
	units__time(time, (__u64)(cost->answer_s * NS_PER_S));
	units__bytes(bytes, cost->answer_bytes);
	top_writer__line(writer, TOP_TEXT,
			 "tmtrace  %.2f %% CPU  %s  the service answered in %s with %s",
			 100 * cost->own_share, memory, time, bytes);
}

static void write_cost(struct top_writer *writer, const struct top_page *page)
{
	const struct top_cost *cost = page->cost;
	char memory[UNITS_ROOM], hits[UNITS_ROOM], lost[UNITS_ROOM], probes[UNITS_ROOM] = "?";

	if (cost->is_asked) {
		write_answer(writer, cost);
		return;
	}
	units__bytes(memory, cost->memory_bytes);
	if (cost->probes_share >= 0)
		snprintf(probes, sizeof(probes), "%.2f", 100 * cost->probes_share);
	units__short_count(hits, cost->hits_per_s);
	units__count(lost, cost->lost);
	top_writer__line(writer, TOP_TEXT,
			 "tmtrace  %.2f %% CPU  %s  probes %s %% CPU  %s hits/s of %zu  lost %s",
			 100 * cost->own_share, memory, probes, hits, cost->probes, lost);
}

size_t top_header__lines(const struct top_page *page)
{
	const struct top_view *view = &page->control->view;
	size_t lines = 2 + (page->trouble != NULL);

	if (view->level == TOP_LEVEL_JOBS)
		return lines + view->vfs + view->block;
	return lines + 2;
}

void top_header__write(struct top_writer *writer, const struct top_page *page)
{
	const struct top_view *view = &page->control->view;

	top_header__title(writer, page);
	if (view->level != TOP_LEVEL_JOBS) {
		write_place(writer, page);
		write_job(writer, page);
	} else {
		if (view->vfs)
			write_sums(writer, page, "files", "operations", &page->rows->files);
		if (view->block)
			write_sums(writer, page, "devices", "requests", &page->rows->devices);
	}
	write_cost(writer, page);
	if (page->trouble)
		top_writer__line(writer, TOP_TITLE, "%s", page->trouble);
}

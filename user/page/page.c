// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "drain/roll_up.h"
#include "page/document.h"
#include "page/html.h"
#include "page/jobs.h"
#include "page/layers.h"
#include "page/objects.h"
#include "page/page.h"
#include "page/page_files.h"
#include "page/probes.h"
#include "page/processes.h"
#include "page/room.h"
#include "page/runs.h"
#include "page/series.h"
#include "page/times.h"
#include "page/volumes.h"
#include "report/notes.h"
#include "sink/record_tree.h"

struct page {
	FILE *out;
	const struct page_input *input;
	struct page_document document;
};

static void put_plain(const struct page *page, const char *text)
{
	fputs(text, page->out);
}

/* What is said of the page itself. The clock that times are told by is that of who made it. */
static void put_about(struct page_document *document)
{
	time_t start = (time_t)(document->common.origin_ns / NS_PER_S);
	struct tm local;
	char text[24];

	if (!localtime_r(&start, &local))
		memset(&local, 0, sizeof(local));
	snprintf(text, sizeof(text), "%llu", document->common.origin_ns);
	record__u64(page_document__member(document, "page"), NULL, 1);
	record__string(page_document__member(document, "program"), NULL, TMTRACE_VERSION);
	record__string(page_document__member(document, "origin_ns"), NULL, text);
	record__i64(page_document__member(document, "utc_offset_s"), NULL, local.tm_gmtoff);
	record__string(page_document__member(document, "zone"), NULL, local.tm_zone);
}

static int put_snapshot(struct page *page, const struct snapshot *folded)
{
	struct page_document *document = &page->document;
	const struct report_part *whole = page->input->whole;
	const struct snapshot *snapshot = whole->snapshot;
	struct record_tree layers = record_tree__new(NULL);
	struct page_jobs *jobs = NULL;
	int ret;

	page_layers__add(&layers.record, NULL, whole->run, snapshot, 0, snapshot->n_series);
	page_document__put_array(document, "layers", record_tree__take(&layers), ROOM_LAYERS);
	page_layers__add_outermost(page_document__member(document, "libraries"), NULL, whole->run,
				   snapshot, 0, snapshot->n_series);
	ret = page_jobs__write(&jobs, document, whole->run, snapshot);
	if (!ret)
		ret = page_runs__write(document, jobs, whole, page->input->parts, page->input->n);
	if (!ret)
		ret = page_series__write(document, whole->run, folded, jobs);
	if (!ret)
		ret = page_times__write(document, whole->run, snapshot, jobs);
	if (!ret)
		ret = page_processes__write(document, jobs, whole, page->input->parts,
					    page->input->n);
	if (!ret)
		ret = page_objects__write(document, whole->run, folded, jobs);
	if (!ret)
		ret = page_probes__write(document, whole->run, snapshot);
	if (!ret)
		ret = page_calls__write(document, &page->input->calls);
	page_volumes__write(document, page->input->volumes);
	page_jobs__free(jobs);
	return ret;
}

static int make_document(struct page *page)
{
	struct page_document *document = &page->document;
	struct roll_up *roll_up;
	struct snapshot snapshot;
	int ret, ended;

	put_about(document);
	ret = roll_up__processes(&roll_up, page->input->whole->snapshot, &snapshot);
	if (!ret)
		ret = put_snapshot(page, &snapshot);
	roll_up__free(roll_up);
	ended = page_document__end(document);
	return ret ? ret : ended;
}

/* Of a title, so many bytes of who was traced. */
#define SCOPE_SHOWN 200

static void put_title(const struct page *page)
{
	const struct report_run *run = page->input->whole->run;
	const char *scope = run->scope ? run->scope : "several runs";
	char cut[SCOPE_SHOWN + 1];

	snprintf(cut, sizeof(cut), "%s", scope);
	html__text(page->out, cut);
	put_plain(page, strlen(scope) > SCOPE_SHOWN ? "... on " : " on ");
	html__text(page->out, run->hostname ? run->hostname : "several nodes");
}

static void put_head(const struct page *page)
{
	put_plain(page, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			"<meta http-equiv=\"Content-Security-Policy\" content=\"");
	put_plain(page, page_policy);
	put_plain(page,
		  "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		  "<meta name=\"generator\" content=\"tmtrace " TMTRACE_VERSION "\">\n<title>");
	put_title(page);
	put_plain(page, " - tmtrace</title>\n<style>");
	put_plain(page, page_style);
	put_plain(page, "</style>\n</head>\n");
}

/* A line, if there is so much room for it in the page; false: there is not. */
static bool put_line(const struct page *page, const char *line, size_t n, size_t *room)
{
	char *escaped = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&escaped, &size);
	bool fits;

	if (!out)
		return false;
	html__escape(out, line, n);
	fits = !fclose(out) && size <= *room;
	if (fits)
		fwrite(escaped, 1, size, page->out);
	*room -= fits ? size : 0;
	free(escaped);
	return fits;
}

/* Lines from text to end, as long as there is room; how many of its bytes that were. */
static size_t put_lines(const struct page *page, const char *text, const char *end, size_t room)
{
	const char *at = text;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *next = newline ? newline + 1 : end;

		if (!put_line(page, at, (size_t)(next - at), &room))
			break;
		at = next;
	}
	return (size_t)(at - text);
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

/* What a report says first, of each recording and of the run, up to its first table. */
static void put_heading(const struct page *page)
{
	const char *text = page->input->text, *end = strstr(text, "\n\n");

	put_plain(page, "<pre class=\"heading\">");
	put_lines(page, text, end ? end + 1 : text + strlen(text), ROOM_HEADING);
	put_plain(page, "</pre>\n");
}

static void put_notes(const struct page *page)
{
	const struct report_part *whole = page->input->whole;
	struct note_list notes = { 0 };
	size_t room = ROOM_NOTES, n;

	notes__collect(&notes, whole->run, whole->snapshot);
	put_plain(page, "<h3>Notes</h3>\n<ul class=\"notes\">\n");
	for (n = 0; n < notes.n; n++) {
		size_t most = HTML_ESCAPED * strlen(notes.lines[n]);

		if (most > room)
			break;
		room -= most;
		put_plain(page, "<li>");
		html__text(page->out, notes.lines[n]);
		put_plain(page, "</li>\n");
	}
	if (n < notes.n)
		fprintf(page->out, "<li>and %zu more: tmtrace report prints them</li>\n",
			notes.n - n);
	if (!notes.n)
		put_plain(page, "<li class=\"none\">nothing is missing or degraded</li>\n");
	put_plain(page, "</ul>\n");
	note_list__clear(&notes);
}

static void put_text(const struct page *page)
{
	const char *text = page->input->text, *rest;

	put_plain(page, "<section id=\"text\">\n<details open>\n"
			"<summary><h2>As text</h2> what tmtrace report prints</summary>\n"
			"<pre tabindex=\"0\">");
	rest = text + put_lines(page, text, text + strlen(text), ROOM_TEXT);
	if (*rest)
		fprintf(page->out, "and %zu lines more: tmtrace report prints them\n",
			count_lines(rest));
	put_plain(page, "</pre>\n</details>\n</section>\n");
}

static void put_body(const struct page *page)
{
	put_plain(page, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n"
			"<header>\n<h1>");
	put_title(page);
	put_plain(page,
		  "</h1>\n</header>\n<div id=\"layout\">\n<main id=\"main\" tabindex=\"-1\">\n"
		  "<section id=\"run\">\n<h2>Run</h2>\n");
	put_heading(page);
	put_notes(page);
	put_plain(page,
		  "</section>\n"
		  "<noscript><p class=\"noscript\">Charts and tables of this page are drawn by its "
		  "script, which is not run here. What tmtrace report prints is below.</p>"
		  "</noscript>\n<div id=\"figures\"></div>\n");
	put_text(page);
	put_plain(page, "</main>\n</div>\n<script type=\"application/json\" id=\"data\">");
	html__json(page->out, page->document.text.bytes, page->document.text.n);
	put_plain(page, "</script>\n<script>");
	put_plain(page, page_script);
	put_plain(page, "</script>\n</body>\n</html>\n");
}

int page__write(FILE *out, const struct page_input *input, struct error *err)
{
	struct page page = {
		.out = out,
		.input = input,
		.document = page_document__new((struct page_common){
			.origin_ns = input->whole->run->start_ns,
			.hostname = input->whole->run->hostname,
		}),
	};
	int ret = make_document(&page);

	if (ret) {
		free(page.document.text.bytes);
		return error__set(err, ret, "no memory");
	}
	put_head(&page);
	put_body(&page);
	free(page.document.text.bytes);
	errno = 0;
	if (fflush(out) || ferror(out))
		return error__set(err, errno ? -errno : -EIO, "writing the page: %s",
				  strerror(errno ? errno : EIO));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addb/names.h"
#include "base/units.h"
#include "report/grid.h"
#include "report/title.h"
#include "story/story_layers.h"
#include "story/story_print.h"
#include "tmtrace/number.h"

/* Characters of the time axis. */
#define AXIS_MOST  60
#define AXIS_LEAST 16
/* Of a line, for what stands before it. */
#define OTHERS 60

enum { WHAT, PROCESS, NODE, BEGINS, TIME, AXIS };

static const struct grid_column columns[] = {
	[WHAT] = { .title = "what", .align = GRID_LEFT, .least = 20 },
	[PROCESS] = { .title = "process", .drop = 2 },
	[NODE] = { .title = "node", .align = GRID_LEFT, .least = 8, .drop = 1 },
	[BEGINS] = { .title = "begins", .drop = 3 },
	[TIME] = { .title = "time" },
	[AXIS] = { .title = "", .align = GRID_LEFT },
};

struct tree {
	const struct story *story;
	struct grid *grid;
	unsigned int axis; /* characters */
	int ret;	   /* the first failure */
};

static const struct story_node *root_of(const struct story *story)
{
	return &story->nodes[story->root];
}

static void print_heading(FILE *out, const struct story *story)
{
	const struct story_operation *operation = story->operation;
	const struct story_node *root = root_of(story);
	char time[UNITS_ROOM], bytes[UNITS_ROOM], moment[UNITS_ROOM];

	title__text(out, operation->layer);
	fputc(' ', out);
	title__text(out, operation->kind);
	if (operation->has_seqno)
		fprintf(out, " #%llu", operation->seqno);
	fprintf(out, ", process %d on ", tm_number(operation->pid));
	title__text(out, story_input__hostname(story->input, story->host));
	fprintf(out, ": %s, at %s", units__time(time, root->end_ns - root->start_ns),
		units__moment(moment, operation->launch_ns));
	if (operation->has_object)
		fprintf(out, ", object 0x%llx:0x%llx", operation->object[0], operation->object[1]);
	if (operation->has_bytes)
		fprintf(out, ", %s", units__bytes(bytes, operation->bytes));
	if (operation->has_rc && operation->rc < 0)
		fprintf(out, ", failed with %lld", operation->rc);
	if (!operation->complete)
		fputs(", never complete", out);
	fputc('\n', out);
}

static int print_layers(FILE *out, const struct story *story)
{
	struct story_times times;
	char time[UNITS_ROOM], share[UNITS_ROOM];
	enum story_layer most;
	int ret = story_layers__of(&times, story);

	if (ret)
		return ret;
	most = story_layers__most(&times);
	fprintf(out, "most of the time: %s, %s (%s%%)\n", story_layer_names[most],
		units__time(time, times.ns[most]),
		units__share(share, times.ns[most], times.total_ns));
	for (enum story_layer layer = STORY_MIDDLEWARE; layer < STORY_LAYERS; layer++)
		fprintf(out, "%s%s %s", layer ? ", " : "  ", story_layer_names[layer],
			times.ns[layer] ? units__time(time, times.ns[layer]) : "-");
	fputs("\n\n", out);
	return 0;
}

static const char *opcode_of(const struct story_node *node, char out[32])
{
	const char *name = addb_names__find(&addb_opcodes, node->opcode);
	size_t length;

	if (!name) {
		snprintf(out, 32, "opcode %llu", node->opcode);
		return out;
	}
	/* "M0_IOSERVICE_WRITEV_OPCODE": what is the same in all is left out. */
	name += strncmp(name, "M0_", 3) ? 0 : 3;
	length = strlen(name);
	if (length > 7 && !strcmp(name + length - 7, "_OPCODE"))
		length -= 7;
	snprintf(out, 32, "%.*s", (int)length, name);
	return out;
}

static void describe(const struct story_node *node, char *out, size_t room)
{
	char opcode[32], bytes[UNITS_ROOM], queued[UNITS_ROOM];

	switch (node->kind) {
	case STORY_CALL:
		snprintf(out, room, "%s()", node->name);
		break;
	case STORY_OPERATION:
		snprintf(out, room, "%s %s #%llu", node->layer, node->name, node->id);
		break;
	case STORY_STEP:
		snprintf(out, room, "%s %s %llu", node->layer, node->name, node->id);
		break;
	case STORY_REQUEST:
		snprintf(out, room, "%s %llu", node->name, node->id);
		break;
	case STORY_RPC:
		snprintf(out, room, "rpc %llu %s", node->id, opcode_of(node, opcode));
		break;
	case STORY_FOM:
		snprintf(out, room, "server %llu %s", node->id, opcode_of(node, opcode));
		break;
	case STORY_BULK:
		snprintf(out, room, "bulk %llu", node->id);
		break;
	case STORY_TX:
		snprintf(out, room, "transaction %llu", node->id);
		break;
	case STORY_STORAGE:
		snprintf(out, room, "storage I/O %llu", node->id);
		break;
	case STORY_FILE:
		snprintf(out, room, "%s%s", node->name, node->cached ? ", no block request" : "");
		break;
	case STORY_BLOCK:
		snprintf(out, room, "%s %s %s, queued %s", node->device, node->name,
			 units__bytes(bytes, node->bytes), units__time(queued, node->queue_ns));
		break;
	}
}

/* A time of the operation as a place on the axis. */
static unsigned int place(const struct tree *tree, __u64 time_ns)
{
	const struct story_node *root = root_of(tree->story);
	double whole = (double)(root->end_ns - root->start_ns);

	if (time_ns <= root->start_ns || whole <= 0)
		return 0;
	if (time_ns >= root->end_ns)
		return tree->axis;
	return (unsigned int)((double)(time_ns - root->start_ns) / whole * tree->axis);
}

/* What lies outside the operation's time is cut, and says so. */
static void draw(const struct tree *tree, const struct story_node *node, char *out)
{
	const struct story_node *root = root_of(tree->story);
	unsigned int from = place(tree, node->start_ns), to = place(tree, node->end_ns);

	if (from >= tree->axis)
		from = tree->axis - 1;
	if (to <= from)
		to = from + 1;
	memset(out, ' ', from);
	memset(out + from, node->end_ns - node->start_ns ? '=' : '|', to - from);
	out[to] = '\0';
	if (node->start_ns < root->start_ns)
		out[from] = '<';
	if (node->end_ns > root->end_ns || node->open)
		out[to - 1] = '>';
}

static void set_cell(struct tree *tree, size_t column, const char *text)
{
	if (!tree->ret && *text)
		tree->ret = grid__set(tree->grid, column, text);
}

static void put_node(struct tree *tree, const struct story_node *node)
{
	const struct story *story = tree->story;
	__u64 origin = root_of(story)->start_ns;
	char text[256], time[UNITS_ROOM], axis[AXIS_MOST + 1];
	int indent = 2 * node->depth < 100 ? 2 * node->depth : 100;

	if (!tree->ret)
		tree->ret = grid__row(tree->grid);
	memset(text, ' ', (size_t)indent);
	describe(node, text + indent, sizeof(text) - (size_t)indent);
	set_cell(tree, WHAT, text);
	snprintf(text, sizeof(text), "%d", tm_number(node->pid));
	set_cell(tree, PROCESS, text);
	if (story_input__n_hosts(story->input) > 1)
		set_cell(tree, NODE, story_input__hostname(story->input, node->host));
	snprintf(text, sizeof(text), "%s%s", node->start_ns < origin ? "-" : "",
		 units__time(time, node->start_ns < origin ? origin - node->start_ns
							   : node->start_ns - origin));
	set_cell(tree, BEGINS, text);
	set_cell(tree, TIME, node->open ? "?" : units__time(time, node->end_ns - node->start_ns));
	draw(tree, node, axis);
	set_cell(tree, AXIS, axis);
}

static void print_faults(FILE *out, const struct story *story)
{
	char text[UNITS_ROOM];

	if (story->unlinked)
		fprintf(out,
			"note: of %s steps no ADDB2 records are there, so that what is below "
			"them is the client's: record with --addb, and the servers too\n",
			units__count(text, story->unlinked));
	if (story->unserved)
		fprintf(out,
			"note: of %s requests the server's records are not there, so that its "
			"time is in the network's: give its recording too (-i)\n",
			units__count(text, story->unserved));
	if (story->unanswered)
		fprintf(out, "note: of %s requests no reply was seen\n",
			units__count(text, story->unanswered));
	if (story->circles)
		fprintf(out,
			"note: %s records were left out, by which something would work for "
			"itself\n",
			units__count(text, story->circles));
	if (story->cut)
		fprintf(out, "note: there is more than is shown: %s parts were left out\n",
			units__count(text, story->cut));
}

static unsigned int axis_width(unsigned int width)
{
	if (!width || width >= OTHERS + AXIS_MOST)
		return AXIS_MOST;
	return width > OTHERS + AXIS_LEAST ? width - OTHERS : AXIS_LEAST;
}

int story_print__tree(FILE *out, unsigned int width, const struct story *story)
{
	struct tree tree = { .story = story, .axis = axis_width(width) };

	print_heading(out, story);
	tree.ret = print_layers(out, story);
	tree.grid = grid__new(columns, sizeof(columns) / sizeof(*columns));
	if (!tree.grid)
		return -ENOMEM;
	for (size_t i = 0; i < story->n && !tree.ret; i++)
		put_node(&tree, &story->nodes[i]);
	if (!tree.ret)
		tree.ret = grid__print(tree.grid, out, width);
	print_faults(out, story);
	grid__free(tree.grid);
	return tree.ret;
}

static void print_offset(FILE *out, const char *reference, const struct story_offset *offset)
{
	__u64 ns = (__u64)(offset->ahead_ns < 0 ? -offset->ahead_ns : offset->ahead_ns);
	char text[UNITS_ROOM];

	if (!offset->known) {
		fputs("no request says how far it is from that of ", out);
		title__text(out, reference);
		fputs("; they are taken to agree\n", out);
		return;
	}
	fprintf(out, "%s %s that of ", units__time(text, ns),
		offset->ahead_ns < 0 ? "behind" : "ahead of");
	title__text(out, reference);
	fprintf(out, ", within %s", units__time(text, offset->error_ns));
	fprintf(out, " (%s requests%s)\n", units__count(text, offset->n),
		offset->drifts ? "; they drift apart, so that the fastest alone counts" : "");
}

void story_print__clocks(FILE *out, const struct story_input *input,
			 const struct story_clock *clock)
{
	size_t n = story_input__n_hosts(input);

	for (__u32 host = 1; host < n; host++) {
		struct story_offset offset = story_clock__offset(clock, host, 0);

		fputs("clock of ", out);
		title__text(out, story_input__hostname(input, host));
		fputs(": ", out);
		print_offset(out, story_input__hostname(input, 0), &offset);
	}
	if (n > 1)
		fputc('\n', out);
}

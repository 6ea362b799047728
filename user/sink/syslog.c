// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/clock.h"
#include "sink/json_cut.h"
#include "sink/record_sink.h"
#include "sink/record_tree.h"
#include "sink/selfie.h"
#include "sink/syslog.h"
#include "sink/syslog_socket.h"
#include "tmtrace/number.h"

#define COOKIE "@cee: "
#define NAME   "tmtrace"
#define SELFIE "selfie"

/* https://systemd.io/JOURNAL_NATIVE_PROTOCOL: a datagram of fields. */
#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define SYSLOG_SOCKET  "/dev/log"

const char *const syslog_type_names[SYSLOG_TYPES] = {
	[SYSLOG_RUN] = "run",
	[SYSLOG_FUNCTION] = "function",
	[SYSLOG_OP] = "op",
	[SYSLOG_BY_SIZE] = "by_size",
	[SYSLOG_ASSOCIATION] = "association",
	[SYSLOG_POOL] = "pool",
	[SYSLOG_DEVICE] = "device",
	[SYSLOG_PROBE] = "probe",
	[SYSLOG_LOSS] = "loss",
	[SYSLOG_CALL] = "call",
	[SYSLOG_OPERATION] = "operation",
	[SYSLOG_OBJECT] = "object",
	[SYSLOG_ADDB] = "addb",
	[SYSLOG_ADDB_STATE] = "addb_state",
	[SYSLOG_ADDB_VALUE] = "addb_value",
	[SYSLOG_JOB] = "job",
	[SYSLOG_PROCESS] = "process",
	[SYSLOG_SELFIE] = "selfie",
};

struct sink_syslog {
	struct record_sink base;
	struct record_tree tree; /* of the record that is made */
	bool is_admitted;	 /* it is to be sent */
	struct syslog_options options;
	struct syslog_socket *socket;
	double allowance; /* lines that may be sent now */
	double allowed_s; /* CLOCK_MONOTONIC: when that was so */
	__u64 held_back;
	__u64 unmade; /* lost for want of memory, or too long */
};

static double now_s(void)
{
	return (double)clock__ns(CLOCK_MONOTONIC) / NS_PER_S;
}

void sink_syslog__choose(struct sink_syslog *sink, unsigned int types, unsigned int rate)
{
	sink->options.types = types;
	sink->options.rate = rate;
}

/* May a line be sent now? */
static bool is_allowed(struct sink_syslog *sink)
{
	double now = now_s(), rate = sink->options.rate;

	sink->allowance += (now - sink->allowed_s) * rate;
	sink->allowed_s = now;
	if (sink->allowance > rate)
		sink->allowance = rate;
	if (sink->allowance < 1)
		return false;
	sink->allowance -= 1;
	return true;
}

/* What syslog(3) puts before a line of that program; its length. */
static size_t put_header(char *to, size_t room, const char *program, __u32 pid)
{
	char date[32];

	clock__local(date, sizeof(date), clock__ns(CLOCK_REALTIME), "%h %e %T");
	return (size_t)snprintf(to, room, "<%d>%s %s[%d]: ", LOG_USER | LOG_INFO, date, program,
				tm_number(pid));
}

static int send_syslog(struct sink_syslog *sink, struct json_object *record)
{
	char line[SYSLOG_LINE + 1];
	size_t used = put_header(line, sizeof(line), NAME, (__u32)getpid()), length;
	const char *text;

	used = (size_t)(stpcpy(line + used, COOKIE) - line);
	text = json_cut__text(record, SYSLOG_LINE - used, &length);
	if (!text)
		return -EMSGSIZE;
	memcpy(line + used, text, length);
	syslog_socket__send(sink->socket, line, used + length);
	return 0;
}

/* A field that may have any bytes: its length stands before it. */
static void put_field(FILE *out, const char *name, const char *value, size_t length)
{
	__le64 size = htole64(length);

	fprintf(out, "%s\n", name);
	fwrite(&size, sizeof(size), 1, out);
	fwrite(value, 1, length, out);
	fputc('\n', out);
}

static void put_member(FILE *out, const char *name, struct json_object *record, const char *member)
{
	struct json_object *value;

	if (json_object_object_get_ex(record, member, &value) && value)
		put_field(out, name, json_object_get_string(value),
			  strlen(json_object_get_string(value)));
}

/* The line, and what it can be looked for by. */
static void put_fields(FILE *out, struct json_object *record, const char *text, size_t length)
{
	char message[SYSLOG_LINE + 1];
	int n = snprintf(message, sizeof(message), COOKIE "%.*s", (int)length, text);

	put_field(out, "MESSAGE", message, (size_t)n);
	fprintf(out, "PRIORITY=%d\nSYSLOG_FACILITY=%d\nSYSLOG_IDENTIFIER=" NAME "\n", LOG_INFO,
		LOG_FAC(LOG_USER));
	put_member(out, "TMTRACE_TYPE", record, "type");
	put_member(out, "TMTRACE_LAYER", record, "layer");
	put_member(out, "TMTRACE_FUNCTION", record, "function");
	put_member(out, "TMTRACE_CGROUP", record, "cgroup");
	put_member(out, "TMTRACE_DEVICE", record, "device");
	put_member(out, "TMTRACE_EPOCH", record, "epoch");
}

static int send_journal(struct sink_syslog *sink, struct json_object *record)
{
	char *datagram = NULL;
	size_t size, length;
	const char *text = json_cut__text(record, SYSLOG_LINE - strlen(COOKIE), &length);
	FILE *out = text ? open_memstream(&datagram, &size) : NULL;
	int ret = text ? -ENOMEM : -EMSGSIZE;

	if (out) {
		put_fields(out, record, text, length);
		ret = fclose(out) ? -ENOMEM : 0;
		if (!ret)
			syslog_socket__send(sink->socket, datagram, size);
	}
	free(datagram);
	return ret;
}

static void send_record(struct sink_syslog *sink, struct json_object *record)
{
	int ret = -ENOMEM;

	if (record)
		ret = sink->options.journal ? send_journal(sink, record)
					    : send_syslog(sink, record);
	sink->unmade += ret != 0;
}

static bool is_chosen(const struct sink_syslog *sink, struct json_object *record)
{
	struct json_object *type;

	if (!json_object_object_get_ex(record, "type", &type))
		return false;
	for (enum syslog_type i = 0; i < SYSLOG_TYPES; i++)
		if (!strcmp(json_object_get_string(type), syslog_type_names[i]))
			return sink->options.types >> i & 1;
	return false;
}

/* A record has been made, or could not be. */
static void take(struct record *to)
{
	struct record_tree *tree = (struct record_tree *)to;
	struct sink_syslog *sink = (void *)((char *)tree - offsetof(struct sink_syslog, tree));
	struct json_object *record = record_tree__take(tree);

	if (sink->is_admitted) {
		send_record(sink, record);
	} else if (!record || is_chosen(sink, record)) {
		if (is_allowed(sink))
			send_record(sink, record);
		else
			sink->held_back++;
	}
	json_object_put(record);
	sink->is_admitted = false;
}

/* What is lost is counted. */
static int report(struct record_sink *base, struct error *err)
{
	(void)base;
	(void)err;
	return 0;
}

static int put_snapshot(struct sink *base, const struct snapshot *snapshot, bool final,
			struct error *err)
{
	struct sink_syslog *sink = (struct sink_syslog *)base;

	sink->base.without_series = !(sink->options.types & SYSLOG_SERIES);
	return record_sink__snapshot(base, snapshot, final, err);
}

/* Records are made only of as many as may be sent. */
static int put_calls(struct sink *base, const struct call_batch *batch, struct error *err)
{
	struct sink_syslog *sink = (struct sink_syslog *)base;
	size_t n_calls = sink->options.types >> SYSLOG_CALL & 1 ? batch->n_calls : 0;
	size_t n = sink->options.types >> SYSLOG_OPERATION & 1 ? batch->n_operations : 0;
	struct call_batch one = *batch;

	n += n_calls;
	for (size_t i = 0; i < n; i++) {
		sink->is_admitted = is_allowed(sink);
		if (!sink->is_admitted) {
			sink->held_back += n - i;
			break;
		}
		one.n_calls = i < n_calls;
		one.n_operations = i >= n_calls;
		if (one.n_calls)
			one.calls = &batch->calls[i];
		else
			one.operations = &batch->operations[i - n_calls];
		sink->unmade += record_sink__calls(base, &one, err) != 0;
		sink->is_admitted = false;
	}
	return 0;
}

static int put_addb(struct sink *base, const struct addb_record *record,
		    const struct addb_origin *origin, struct error *err)
{
	struct sink_syslog *sink = (struct sink_syslog *)base;

	if (!(sink->options.types >> SYSLOG_ADDB & 1))
		return 0;
	sink->is_admitted = is_allowed(sink);
	if (sink->is_admitted)
		return record_sink__addb(base, record, origin, err);
	sink->held_back++;
	return 0;
}

/* A line of selFIe's, as from the process itself. */
static int send_selfie_line(struct sink_syslog *sink, __u32 pid, const char *text)
{
	char line[SYSLOG_LINE + 1];
	size_t used;

	used = put_header(line, sizeof(line), SELFIE, pid);
	used += (size_t)snprintf(line + used, sizeof(line) - used, "%s", text);
	if (used >= sizeof(line))
		return -EMSGSIZE;
	syslog_socket__send(sink->socket, line, used);
	return 0;
}

static int send_selfie_fields(struct sink_syslog *sink, __u32 pid, const char *text)
{
	char *datagram = NULL;
	size_t size;
	FILE *out = open_memstream(&datagram, &size);
	int ret = -ENOMEM;

	if (out) {
		put_field(out, "MESSAGE", text, strlen(text));
		fprintf(out,
			"PRIORITY=%d\nSYSLOG_FACILITY=%d\nSYSLOG_IDENTIFIER=" SELFIE
			"\nSYSLOG_PID=%d\n",
			LOG_INFO, LOG_FAC(LOG_USER), tm_number(pid));
		ret = fclose(out) ? -ENOMEM : 0;
		if (!ret)
			syslog_socket__send(sink->socket, datagram, size);
	}
	free(datagram);
	return ret;
}

/* So much of a line syslog's own header takes at most. */
#define HEADER_MAX 64

static void send_selfie(struct sink_syslog *sink, const struct process_account *account)
{
	char *text = selfie__line(sink->base.run, account, SYSLOG_LINE - HEADER_MAX);
	__u32 pid = account->info.pid;
	int ret = -ENOMEM;

	if (text)
		ret = sink->options.journal ? send_selfie_fields(sink, pid, text)
					    : send_selfie_line(sink, pid, text);
	free(text);
	sink->unmade += ret != 0;
}

static int put_process(struct sink *base, const struct process_account *account, struct error *err)
{
	struct sink_syslog *sink = (struct sink_syslog *)base;

	if (sink->options.types >> SYSLOG_PROCESS & 1)
		record_sink__process(base, account, err);
	/* selFIe tells of a process when it ends. */
	if (!(sink->options.types >> SYSLOG_SELFIE & 1) || !account->info.end_ns)
		return 0;
	if (is_allowed(sink))
		send_selfie(sink, account);
	else
		sink->held_back++;
	return 0;
}

/* What did not arrive is said in any case. */
static void tell_counts(struct sink_syslog *sink)
{
	struct record *record = sink->base.to;
	struct syslog_counts counts;

	sink_syslog__counts(sink, &counts);
	if (!counts.held_back && !counts.lost)
		return;
	sink->is_admitted = true;
	record__begin(record, sink->base.run, "syslog", clock__ns(CLOCK_REALTIME),
		      sink->base.run->hostname);
	record__u64(record, "sent", counts.sent);
	record__u64(record, "held_back", counts.held_back);
	record__u64(record, "lost", counts.lost);
	record__end(record);
}

/* The same on standard error. */
static void tell_user(const struct sink_syslog *sink)
{
	struct syslog_counts counts;

	sink_syslog__counts(sink, &counts);
	if (counts.held_back)
		fprintf(stderr,
			"tmtrace: --syslog: %llu of %llu records were held back; --syslog-rate "
			"lets more through\n",
			counts.held_back, counts.held_back + counts.lost + counts.sent);
	if (counts.lost)
		fprintf(stderr,
			"tmtrace: --syslog: %llu records were lost: the daemon was gone or "
			"did not keep up\n",
			counts.lost);
}

static int put_end(struct sink *base, const struct snapshot *snapshot, struct error *err)
{
	struct sink_syslog *sink = (struct sink_syslog *)base;

	record_sink__end(base, snapshot, err);
	syslog_socket__finish(sink->socket);
	tell_counts(sink);
	sink_syslog__finish(sink);
	return 0;
}

void sink_syslog__flush(struct sink_syslog *sink)
{
	syslog_socket__flush(sink->socket);
}

void sink_syslog__finish(struct sink_syslog *sink)
{
	syslog_socket__finish(sink->socket);
	tell_user(sink);
}

int sink_syslog__fd(const struct sink_syslog *sink)
{
	return syslog_socket__fd(sink->socket);
}

void sink_syslog__counts(const struct sink_syslog *sink, struct syslog_counts *out)
{
	const struct syslog_socket_counts socket = syslog_socket__counts(sink->socket);

	*out = (struct syslog_counts){
		.sent = socket.sent,
		.held_back = sink->held_back,
		.lost = sink->unmade + socket.lost,
		.waiting = socket.waiting,
	};
}

struct output_state *sink_syslog__state(struct sink_syslog *sink)
{
	return syslog_socket__state(sink->socket);
}

static int close_sink(struct sink *base, struct error *err)
{
	struct sink_syslog *sink = (struct sink_syslog *)base;

	(void)err;
	record_sink__clear(&sink->base);
	syslog_socket__close(sink->socket);
	free(sink);
	return 0;
}

static const struct sink_ops ops = {
	.start = record_sink__start,
	.snapshot = put_snapshot,
	.calls = put_calls,
	.addb = put_addb,
	.process = put_process,
	.end = put_end,
	.close = close_sink,
};

int sink_syslog__open(struct sink_syslog **out, const struct syslog_options *options,
		      const struct report_run *run, struct error *err)
{
	struct sink_syslog *sink = calloc(1, sizeof(*sink));
	int ret;

	if (!sink)
		return error__set(err, -ENOMEM, "no memory");
	sink->options = *options;
	sink->tree = record_tree__new(take);
	sink->base = (struct record_sink){
		.sink = { &ops },
		.to = &sink->tree.record,
		.run = run,
		.report = report,
	};
	sink->allowance = options->rate;
	sink->allowed_s = now_s();
	if (!options->path) {
		sink->options.journal = access(JOURNAL_SOCKET, W_OK) == 0;
		sink->options.path = sink->options.journal ? JOURNAL_SOCKET : SYSLOG_SOCKET;
	}
	ret = syslog_socket__open(&sink->socket, sink->options.path, options->patient, err);
	if (ret < 0) {
		free(sink);
		return error__prefix(err, "--syslog");
	}
	*out = sink;
	return 0;
}

struct sink *sink_syslog__sink(struct sink_syslog *sink)
{
	return &sink->base.sink;
}

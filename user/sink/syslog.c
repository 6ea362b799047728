// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/clock.h"
#include "sink/json_addb.h"
#include "sink/json_call.h"
#include "sink/json_cut.h"
#include "sink/json_process.h"
#include "sink/json_value.h"
#include "sink/records.h"
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
	struct syslog_options options;
	const struct report_run *run;
	struct syslog_socket *socket;
	struct json_calls *calls; /* NULL: there were none yet */
	struct json_addb *addb;	  /* the same */
	double allowance;	  /* lines that may be sent now */
	double allowed_s;	  /* CLOCK_MONOTONIC: when that was so */
	__u64 held_back;
	__u64 unmade; /* lost for want of memory, or too long */
};

static double now_s(void)
{
	return (double)clock__ns(CLOCK_MONOTONIC) / NS_PER_S;
}

int sink_syslog__open(struct sink_syslog **out, const struct syslog_options *options,
		      const struct report_run *run, struct error *err)
{
	struct sink_syslog *sink = calloc(1, sizeof(*sink));
	int rc;

	if (!sink)
		return error__set(err, -ENOMEM, "no memory");
	sink->options = *options;
	sink->run = run;
	sink->allowance = options->rate;
	sink->allowed_s = now_s();
	if (!options->path) {
		sink->options.journal = access(JOURNAL_SOCKET, W_OK) == 0;
		sink->options.path = sink->options.journal ? JOURNAL_SOCKET : SYSLOG_SOCKET;
	}
	rc = syslog_socket__open(&sink->socket, sink->options.path, options->patient, err);
	if (rc < 0) {
		free(sink);
		return error__prefix(err, "--syslog");
	}
	*out = sink;
	return 0;
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
	int rc = text ? -ENOMEM : -EMSGSIZE;

	if (out) {
		put_fields(out, record, text, length);
		rc = fclose(out) ? -ENOMEM : 0;
		if (!rc)
			syslog_socket__send(sink->socket, datagram, size);
	}
	free(datagram);
	return rc;
}

static void send_record(struct sink_syslog *sink, struct json_object *record)
{
	int rc = -ENOMEM;

	if (record)
		rc = sink->options.journal ? send_journal(sink, record) : send_syslog(sink, record);
	sink->unmade += rc != 0;
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

static void put(void *context, struct json_object *record)
{
	struct sink_syslog *sink = context;

	if (!record || is_chosen(sink, record)) {
		if (is_allowed(sink))
			send_record(sink, record);
		else
			sink->held_back++;
	}
	json_object_put(record);
}

static void put_text(void *context, const struct json_text *record)
{
	put(context, json_text__object(record));
}

void sink_syslog__run_start(struct sink_syslog *sink)
{
	records__run_start(&(struct records_sink){ put, put_text, sink }, sink->run);
}

void sink_syslog__snapshot(struct sink_syslog *sink, const struct snapshot *snapshot, bool final)
{
	const struct records_sink records = {
		.put = put,
		.put_text = put_text,
		.context = sink,
		.without_series = !(sink->options.types & SYSLOG_SERIES),
	};

	records__snapshot(&records, sink->run, snapshot, final);
}

/* A batch of one call or operation. */
static void send_call(struct sink_syslog *sink, const struct call_batch *one)
{
	struct json_object *record;
	const char *text;
	size_t length;

	if (!sink->calls || json_calls__text(sink->calls, one, &text, &length) < 0) {
		sink->unmade++;
		return;
	}
	record = json_tokener_parse(text);
	send_record(sink, record);
	json_object_put(record);
}

/* Of many calls only as many are put into JSON as may be sent. */
void sink_syslog__calls(struct sink_syslog *sink, const struct call_batch *batch)
{
	size_t n_calls = sink->options.types >> SYSLOG_CALL & 1 ? batch->n_calls : 0;
	size_t n = sink->options.types >> SYSLOG_OPERATION & 1 ? batch->n_operations : 0;
	struct call_batch one = *batch;

	n += n_calls;
	if (n && !sink->calls)
		sink->calls = json_calls__new(sink->run);
	for (size_t i = 0; i < n; i++) {
		bool is_call = i < n_calls;

		if (!is_allowed(sink)) {
			sink->held_back += n - i;
			return;
		}
		one.n_calls = is_call;
		one.n_operations = !is_call;
		if (is_call)
			one.calls = &batch->calls[i];
		else
			one.operations = &batch->operations[i - n_calls];
		send_call(sink, &one);
	}
}

/* A record of ADDB2 as JSON; NULL: no memory. */
static struct json_object *addb_record(struct sink_syslog *sink, const struct addb_record *record,
				       const struct addb_origin *origin)
{
	struct json_object *parsed = NULL;
	char *text = NULL;
	size_t length;
	FILE *out;

	if (!sink->addb)
		sink->addb = json_addb__new(sink->run);
	out = sink->addb ? open_memstream(&text, &length) : NULL;
	if (!out)
		return NULL;
	json_addb__put(sink->addb, out, record, origin);
	if (!fclose(out))
		parsed = json_tokener_parse(text);
	free(text);
	return parsed;
}

void sink_syslog__addb(struct sink_syslog *sink, const struct addb_record *record,
		       const struct addb_origin *origin)
{
	struct json_object *parsed;

	if (!(sink->options.types >> SYSLOG_ADDB & 1))
		return;
	if (!is_allowed(sink)) {
		sink->held_back++;
		return;
	}
	parsed = addb_record(sink, record, origin);
	send_record(sink, parsed);
	json_object_put(parsed);
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
	int rc = -ENOMEM;

	if (out) {
		put_field(out, "MESSAGE", text, strlen(text));
		fprintf(out,
			"PRIORITY=%d\nSYSLOG_FACILITY=%d\nSYSLOG_IDENTIFIER=" SELFIE
			"\nSYSLOG_PID=%d\n",
			LOG_INFO, LOG_FAC(LOG_USER), tm_number(pid));
		rc = fclose(out) ? -ENOMEM : 0;
		if (!rc)
			syslog_socket__send(sink->socket, datagram, size);
	}
	free(datagram);
	return rc;
}

/* So much of a line syslog's own header takes at most. */
#define HEADER_MAX 64

static void send_selfie(struct sink_syslog *sink, const struct process_account *account)
{
	char *text = selfie__line(sink->run, account, SYSLOG_LINE - HEADER_MAX);
	__u32 pid = account->info.pid;
	int rc = -ENOMEM;

	if (text)
		rc = sink->options.journal ? send_selfie_fields(sink, pid, text)
					   : send_selfie_line(sink, pid, text);
	free(text);
	sink->unmade += rc != 0;
}

void sink_syslog__process(struct sink_syslog *sink, const struct process_account *account)
{
	if (sink->options.types >> SYSLOG_PROCESS & 1)
		put(sink, json_process__record(sink->run, account));
	/* selFIe tells of a process when it ends. */
	if (!(sink->options.types >> SYSLOG_SELFIE & 1) || !account->info.end_ns)
		return;
	if (is_allowed(sink))
		send_selfie(sink, account);
	else
		sink->held_back++;
}

/* What did not arrive is said in any case. */
static void tell_counts(struct sink_syslog *sink)
{
	struct json_object *record;
	struct syslog_counts counts;

	sink_syslog__counts(sink, &counts);
	if (!counts.held_back && !counts.lost)
		return;
	record = json_value__record(sink->run, "syslog", clock__ns(CLOCK_REALTIME));
	if (record) {
		json_value__add_u64(record, "sent", counts.sent);
		json_value__add_u64(record, "held_back", counts.held_back);
		json_value__add_u64(record, "lost", counts.lost);
	}
	send_record(sink, record);
	json_object_put(record);
}

void sink_syslog__run_end(struct sink_syslog *sink, const struct snapshot *snapshot)
{
	records__run_end(&(struct records_sink){ put, put_text, sink }, sink->run, snapshot);
	syslog_socket__finish(sink->socket);
	tell_counts(sink);
	syslog_socket__finish(sink->socket);
}

void sink_syslog__flush(struct sink_syslog *sink)
{
	syslog_socket__flush(sink->socket);
}

void sink_syslog__finish(struct sink_syslog *sink)
{
	syslog_socket__finish(sink->socket);
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

void sink_syslog__close(struct sink_syslog *sink)
{
	if (!sink)
		return;
	json_calls__free(sink->calls);
	json_addb__free(sink->addb);
	syslog_socket__close(sink->socket);
	free(sink);
}

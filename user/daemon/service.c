// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/identity.h"
#include "base/utf8.h"
#include "daemon/past_epoch.h"
#include "daemon/service.h"
#include "daemon/service_answers.h"
#include "daemon/service_clean.h"
#include "daemon/service_setup.h"
#include "governor/governing.h"
#include "governor/own_bound.h"
#include "options/option_values.h"
#include "output/output.h"
#include "output/recorder.h"
#include "service/config_file.h"
#include "service/lock.h"
#include "service/notify.h"
#include "session/continuity.h"
#include "session/trapped.h"

/* Of memory that is free, kept for later. */
#define KEPT_BYTES (64 << 10)
/* How often what lies between what is used is given back, in seconds. */
#define TRIM_S 10

struct service {
	const char *file; /* of --config; NULL: none was named */
	bool check, clean;
	bool interrupted; /* by SIGINT: nothing is to stay */
	char *moved_to;	  /* the hierarchy of cgroups in which jobs live; NULL: it is not known */
	bool moves;	  /* there the service begins anew */
	int lock;
	struct service_config config;
	struct options options;
	struct session session;
	struct output *output;
	struct service_answers *answers;
	struct governing *governing;
	struct loop *loop;
	int log_timer;	  /* of the intervals of the log */
	int record_timer; /* of the history */
	struct own_bound own;
	unsigned int factor; /* so many times as long are the intervals of the history */
	size_t n_told;	     /* of the session's notes */
};

enum {
	OPT_CONFIG = 256,
	OPT_CHECK,
	OPT_CLEAN,
};

static const struct argp_option argp_options[] = {
	{ "config", OPT_CONFIG, "FILE", 0, "what to do (default: " SERVICE_CONFIG ")", 1 },
	{ "check", OPT_CHECK, NULL, 0, "only say whether that file is right", 1 },
	{ "clean", OPT_CLEAN, NULL, 0, "only remove what a service that ended has left", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct service *service = state->input;

	switch (key) {
	case OPT_CONFIG:
		service->file = arg;
		return 0;
	case OPT_CHECK:
		service->check = true;
		return 0;
	case OPT_CLEAN:
		service->clean = true;
		return 0;
	case ARGP_KEY_ARG:
		option_values__refuse("service %s: what it does is said by its file, see --config",
				      arg);
	case ARGP_KEY_INIT:
		option_values__silence(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void say(const char *text)
{
	char *line = utf8__printable(text);

	fprintf(stderr, "tmtrace: %s\n", line ? line : "no memory");
	free(line);
}

/* Degradations that are new. */
static void tell_notes(struct service *service)
{
	const struct note_list *notes = &service->session.notes;

	for (; service->n_told < notes->n; service->n_told++)
		say(notes->lines[service->n_told]);
}

static void on_interval(void *context)
{
	struct service *service = context;
	struct error err;

	session__follow(&service->session);
	trapped__note(&service->session);
	/* Where the log gets nothing, no copy of all figures is kept for it either. */
	if (!(service->config.log.types & SYSLOG_PERIODIC))
		live_run__note_told(output__live(service->output), clock__ns(CLOCK_REALTIME));
	else if (output__print(service->output, false, &err) < 0)
		say(err.text);
	governing__set_kernel_costs(service->governing, service_answers__cost(service->answers));
	tell_notes(service);
}

static void on_record(void *context)
{
	struct service *service = context;
	struct error err;

	/* A history that cannot be written says so itself, once. */
	if (output__record(service->output, false, &err) < 0)
		say(err.text);
}

/*
 * The history is what is written most often, and nothing is lost where that is done later. A
 * manager that had no room for what it was to be told may have some now.
 */
static void on_own(void *context)
{
	struct service *service = context;
	unsigned int factor;

	notify__flush();
	service->own.bound = service->config.max_service_overhead;
	factor = own_bound__read(&service->own, clock__ns(CLOCK_MONOTONIC),
				 clock__ns(CLOCK_PROCESS_CPUTIME_ID),
				 (unsigned int)sysconf(_SC_NPROCESSORS_ONLN));
	if (!service->config.history || factor == service->factor)
		return;
	service->factor = factor;
	loop__tend_at(service->loop, service->record_timer, factor * RECORDER_INTERVAL_S);
	service_answers__tell_history(service->answers, factor * RECORDER_INTERVAL_S);
}

static void on_trim(void *context)
{
	(void)context;
	malloc_trim(0);
}

static void on_watchdog(void *context)
{
	(void)context;
	notify__watchdog();
}

static void tell_reloading(void)
{
	char text[64];

	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%llu",
		 (unsigned long long)clock__ns(CLOCK_MONOTONIC) / 1000);
	notify__send(text);
}

/* Those that the service has begun without need a restart. */
static void choose_kernel_layers(struct service *service, const struct service_config *config)
{
	for (enum kernel_layer layer = 0; layer < KERNEL_LAYERS; layer++)
		governing__leave_out(service->governing, layer,
				     !service_setup__has_layer(config, ladder__layer(layer)));
}

/* What can be changed while tracing goes on is changed. */
static void reload(struct service *service)
{
	struct service_config config;
	struct error err;

	tell_reloading();
	if (service_config__load(&config, service->file, &err) < 0) {
		say(err.text);
		say("the service goes on as before");
	} else if (!service_setup__follows(&service->config, &config)) {
		service_config__free(&config);
		say("the new configuration has other layers, files or sockets, which need a "
		    "restart; the service goes on as before");
	} else {
		loop__reset(service->loop, service->log_timer, config.interval_s);
		output__choose_log(service->output, config.log.types, config.log.rate);
		/* The session goes on with the strings of the one that it began with. */
		service->config.interval_s = config.interval_s;
		service->config.log.types = config.log.types;
		service->config.log.rate = config.log.rate;
		service->config.bounds = config.bounds;
		service->config.max_service_overhead = config.max_service_overhead;
		governing__set_bounds(service->governing, config.bounds);
		choose_kernel_layers(service, &config);
		/* Whoever asks for this may have mended one. */
		output__hurry(service->output);
		service_answers__hurry(service->answers);
		service_answers__choose_metrics(service->answers, &config);
		service_config__free(&config);
		say("the configuration was read again");
	}
	notify__send("READY=1");
}

static void on_signal(void *context, const struct signalfd_siginfo *info)
{
	struct service *service = context;

	if (info->ssi_signo == SIGHUP)
		reload(service);
	else if (info->ssi_signo != SIGCHLD) {
		service->interrupted = info->ssi_signo == SIGINT;
		loop__stop(service->loop);
	}
}

/*
 * Jobs that live elsewhere, as when their scheduler was started after the service: where there are
 * none in its own hierarchy, it goes there, once.
 */
static bool on_others(void *context, const struct hierarchy *other, const struct hierarchy *own)
{
	struct service *service = context;

	if (service->moved_to || (own && own->n_jobs))
		return false;
	service->moved_to = strdup(cgroup__hierarchy(other->root));
	if (!service->moved_to)
		return false;
	fprintf(stderr,
		"tmtrace: jobs live in cgroups of %s (%s): the service begins a new epoch, in "
		"which they are told by them\n",
		service->moved_to, other->root->mount);
	service->moves = true;
	loop__stop(service->loop);
	return true;
}

static int start_service(struct service *service, char **argv, struct error *err)
{
	int ret = service_answers__open(&service->answers, &service->config, err);
	struct governing_parts parts;

	if (!ret && service->config.pins)
		ret = continuity__open(&service->session.continuity, service->config.pins,
				       &service->session, err);
	if (!ret)
		ret = output__open(&service->output, &service->options, &service->session, argv,
				   err);
	if (!ret)
		ret = session__start(&service->session, NULL, err);
	if (!ret)
		ret = output__start(service->output, err);
	if (!ret)
		ret = service_answers__start(service->answers, &service->session, service->output,
					     err);
	if (ret)
		return ret;
	parts = session__governed(&service->session);
	ret = governing__open(&service->governing, &parts,
			      live_run__report(output__live(service->output)), GOVERNING_PROBES,
			      err);
	return ret;
}

static int watch(struct service *service, struct error *err)
{
	struct loop *loop = service->loop;
	int ret = session__watch(&service->session, loop);

	if (!ret)
		ret = output__watch(service->output, loop);
	live_run__tell_with(output__live(service->output), on_interval, service);
	if (!ret)
		ret = service_answers__watch(service->answers, loop);
	if (!ret)
		ret = governing__watch(service->governing, loop);
	if (!ret)
		ret = loop__timer(loop, service->config.interval_s, true, on_interval, service,
				  &service->log_timer);
	if (!ret && service->config.history)
		ret = loop__tend(loop, RECORDER_INTERVAL_S, on_record, service,
				 &service->record_timer);
	if (!ret)
		ret = loop__tend(loop, OWN_BOUND_S, on_own, service, NULL);
	if (!ret)
		ret = loop__tend(loop, TRIM_S, on_trim, NULL, NULL);
	if (!ret)
		ret = loop__tend(loop, notify__watchdog_s(), on_watchdog, service, NULL);
	return ret ? error__set(err, ret, "cannot wait for what happens: %s", strerror(-ret)) : 0;
}

/* Do the probes stay, so that the next service goes on with their counters? */
static bool stays(const struct service *service)
{
	return continuity__keeps(service->session.continuity) && !service->interrupted;
}

static int finish_service(struct service *service, struct error *err)
{
	session__stop(&service->session);
	return output__print(service->output, true, err);
}

static int pause_output(struct service *service, struct error *err)
{
	int ret = output__print(service->output, false, err);

	output__hurry(service->output);
	if (ret >= 0 && service->config.history)
		ret = output__record(service->output, true, err);
	output__finish_log(service->output);
	if (!service->moves)
		fprintf(stderr,
			"tmtrace: the probes go on counting, for the next service: %s; tmtrace "
			"service --clean removes them\n",
			service->config.pins);
	return ret;
}

static int follow(struct service *service, struct error *err)
{
	int ret;

	tell_notes(service);
	/* Setting up took more memory than what follows. */
	malloc_trim(0);
	notify__send("READY=1");
	ret = loop__run(service->loop);
	/* One that is to follow is ready as after a reload. */
	if (service->moves)
		tell_reloading();
	else
		notify__send("STOPPING=1");
	notify__watchdog();
	if (ret < 0)
		return error__set(err, ret, "cannot wait for what happens: %s", strerror(-ret));
	session__follow(&service->session);
	if (stays(service)) {
		governing__release(service->governing);
		continuity__changed(service->session.continuity);
	}
	ret = stays(service) ? pause_output(service, err) : finish_service(service, err);
	tell_notes(service);
	return ret;
}

static int trace(struct service *service, char **argv, struct error *err)
{
	int ret;

	service->lock = lock__take(service->config.socket, err);
	if (service->lock < 0)
		return service->lock;
	ret = loop__open(&service->loop, on_signal, service, err);
	if (!ret)
		ret = start_service(service, argv, err);
	if (!ret)
		ret = watch(service, err);
	return ret ? ret : follow(service, err);
}

static int run(struct service *service, char **argv, struct error *err)
{
	int ret = service_config__load(&service->config, service->file, err);

	if (!ret)
		ret = service_setup__options(&service->options, &service->config, err);
	service->session.options = &service->options;
	service->session.record_past = past_epoch__record;
	service->session.on_others = on_others;
	service->session.others_context = service;
	service->options.moved_to = service->moved_to;
	if (!ret)
		ret = service_setup__layers(&service->session, &service->config, err);
	if (ret < 0)
		return ret;
	if (service->clean)
		return service_clean(&service->config, err);
	if (!service->check)
		return trace(service, argv, err);
	printf("%s: right\n", service->config.file ? service->config.file : "the defaults");
	return 0;
}

static void close_service(struct service *service)
{
	governing__close(service->governing);
	service_answers__close(service->answers);
	output__close(service->output);
	continuity__end(service->session.continuity, stays(service));
	session__close(&service->session);
	continuity__close(service->session.continuity);
	loop__close(service->loop);
	options__free(&service->options);
	service_config__free(&service->config);
	if (service->lock >= 0)
		close(service->lock);
}

/* One service; another one follows where jobs have moved. */
static int run_once(struct service *service, char **argv)
{
	struct error err = { 0 };
	int ret = run(service, argv, &err);

	if (ret < 0)
		say(err.text);
	close_service(service);
	return ret;
}

int service__main(int argc, char **argv)
{
	static const struct argp argp = {
		argp_options, parse, NULL,
		"Traces the whole machine, as a service, until it is told to end.\v"
		"SIGHUP lets it read its file again."
	};
	struct service service = { 0 };
	struct error err;
	int ret;

	option_values__parse(&argp, argc, argv, "tmtrace service", &service);
	/* What is large and needed for a moment goes back at once; else the C library waits. */
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	/* What is named is read as whoever started it. */
	if (service.file && identity__keep_caller(&err) < 0) {
		fprintf(stderr, "tmtrace: %s\n", err.text);
		return EXIT_RUN;
	}
	/* What it writes is the machine's, whoever started it, and names everybody's jobs. */
	unsetenv("SUDO_UID");
	umask(0077);
	do {
		service = (struct service){ .file = service.file,
					    .check = service.check,
					    .clean = service.clean,
					    .moved_to = service.moved_to,
					    .factor = 1,
					    .lock = -1 };
		ret = run_once(&service, argv);
	} while (!ret && service.moves);
	free(service.moved_to);
	if (!ret)
		return 0;
	return ret == -EINVAL ? EXIT_USAGE : EXIT_RUN;
}

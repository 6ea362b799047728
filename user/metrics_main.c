// SPDX-License-Identifier: GPL-2.0-only
/*
 * tmtrace-metrics: metrics of the service by HTTP. It has no privileges, so that whoever can reach
 * it talks to nothing that has; it asks the service as everybody does.
 */
#include <argp.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "endpoint/http.h"
#include "options/options.h"
#include "service/config_file.h"
#include "service/notify.h"

const char *argp_program_version = "tmtrace-metrics " TMTRACE_VERSION;

struct asked {
	const char *config; /* NULL: the machine's */
	const char *listen; /* NULL: as the configuration says it */
};

enum {
	OPT_CONFIG = 256,
	OPT_LISTEN,
};

static const struct argp_option argp_options[] = {
	{ "config", OPT_CONFIG, "FILE", 0, "of the service (default: " SERVICE_CONFIG ")", 1 },
	{ "listen", OPT_LISTEN, "ADDRESS", 0,
	  "a port, of 127.0.0.1, or ADDRESS:PORT (default: metrics: of the configuration)", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct asked *asked = state->input;

	switch (key) {
	case OPT_CONFIG:
		asked->config = arg;
		return 0;
	case OPT_LISTEN:
		asked->listen = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "%s: it takes no arguments", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int open_listeners(struct listeners *out, const struct asked *asked,
			  const struct service_config *config, struct error *err)
{
	int ret = listeners__inherit(out, err);

	if (ret < 0 || out->n)
		return ret;
	if (!asked->listen && !config->metrics)
		return error__set(err, -EINVAL,
				  "%s has metrics: none, so that the service tells none; with "
				  "metrics: 9750 it does, at port 9750 of 127.0.0.1",
				  config->file ? config->file : "the configuration");
	return listeners__open(out, asked->listen ? asked->listen : config->metrics_listen, err);
}

/* Root becomes the user that the service tells metrics. */
static int drop_privileges(const struct service_config *config, struct error *err)
{
	const struct passwd *entry;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (geteuid() != 0)
		return 0;
	errno = 0;
	entry = getpwnam(config->metrics_user);
	if (!entry)
		return error__set(
			err, -ENOENT,
			"there is no user %s, who asks the service: useradd --system %s, "
			"or name another one as metrics: {user: NAME} in the configuration",
			config->metrics_user, config->metrics_user);
	if (setgroups(0, NULL) < 0 || setresgid(entry->pw_gid, entry->pw_gid, entry->pw_gid) < 0 ||
	    setresuid(entry->pw_uid, entry->pw_uid, entry->pw_uid) < 0)
		return error__set(err, -errno, "cannot become user %s: %s", config->metrics_user,
				  strerror(errno));
	return 0;
}

/* A descriptor that can be read once it is to end; negative: -errno. */
static int watch_signals(void)
{
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

#define READY_TRIES 100
#define READY_US    10000

/* It serves a moment later where the manager has no room just now, and also if that stays so. */
static void tell_ready(void)
{
	int ret = notify__send("READY=1");

	for (int i = 0; ret == -EAGAIN && i < READY_TRIES; i++) {
		usleep(READY_US);
		ret = notify__flush();
	}
}

static int serve(const struct asked *asked, const struct service_config *config, struct error *err)
{
	struct listeners listeners;
	struct http *http = NULL;
	int ret = open_listeners(&listeners, asked, config, err), until;

	if (!ret)
		ret = drop_privileges(config, err);
	if (ret < 0)
		return ret;
	until = watch_signals();
	if (until < 0)
		return error__set(err, until, "cannot wait for signals: %s", strerror(-until));
	ret = http__open(&http, &listeners, config->socket, err);
	if (!ret) {
		listeners__say(&listeners);
		tell_ready();
		ret = http__serve(http, until, err);
	}
	http__close(http);
	close(until);
	return ret;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		argp_options, parse, NULL,
		"Serves the metrics of tmtrace's service by HTTP, for Prometheus and the like.\v"
		"Sockets that systemd hands over are used in place of an own one."
	};
	struct service_config config;
	struct asked asked = { 0 };
	struct error err = { 0 };
	int ret;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &asked);
	ret = service_config__load(&config, asked.config, &err);
	if (!ret) {
		ret = serve(&asked, &config, &err);
		service_config__free(&config);
	}
	if (ret < 0)
		fprintf(stderr, "tmtrace-metrics: %s\n", err.text);
	if (!ret)
		return 0;
	return ret == -EINVAL ? EXIT_USAGE : EXIT_RUN;
}

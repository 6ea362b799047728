// SPDX-License-Identifier: GPL-2.0-only
/* Every function of the stack that does not block, in several threads. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "maestro.h"
#include "mio.h"
#include "sample.h"

struct worker {
	const struct load *l;
	int who;
	int rounds;
};

static long leaf(void *arg)
{
	return sample_leaf((long)(intptr_t)arg);
}

void load_round_sample(const struct load *l, int who)
{
	static const char text[100];
	struct sample_iov iov[] = { { .length = l->size }, { .length = 100 }, { .length = 1 } };
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	CHECK(sample_call(leaf, (void *)(intptr_t)who) == who + 1);
	CHECK(sample_call_cxx(leaf, (void *)(intptr_t)who) == who + 1);
	CHECK(sample_recurse(5) == 5);
	CHECK(sample_tail(who) == who + 1);
	sample_sleep(1000);
	sample_spin(1000);
	CHECK(sample_write(fd, text, sizeof(text)) == sizeof(text));
	CHECK(sample_write(-1, text, sizeof(text)) == -1);
	CHECK(sample_fail(0) == 0);
	CHECK(sample_fail(-ENOENT) == -ENOENT);
	CHECK(sample_fail(-EIO) == -EIO);
	CHECK(sample_sum(iov, 3) == l->size + 101);
	close(fd);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < w->rounds; i++) {
		int who = w->who * 1000000 + i;

		load_round_sample(w->l, who);
		load_round_mio(w->l, who);
		load_round_kvs(who);
		load_round_mio_helpers();
		load_round_mstro(w->l, who);
	}
	return NULL;
}

/* --how addb: MIO's telemetry goes to ADDB2; Maestro then finds MIO started. */
static bool start_with_telemetry(const struct load *l)
{
	char path[4200];
	FILE *f;

	if (!l->how || strcmp(l->how, "addb") != 0)
		return false;
	snprintf(path, sizeof(path), "%s/mio.yaml", l->dir);
	f = fopen(path, "we");
	CHECK(f);
	fputs("MIO_TELEMETRY_STORE: ADDB\nMIO_TELEMETRY_PREFIX: load\n", f);
	CHECK(!fclose(f));
	CHECK(mio_init(path) == 0);
	return true;
}

int load_all(struct load *l)
{
	int threads = l->threads > 0 ? l->threads : 4;
	struct worker *workers = calloc((size_t)threads, sizeof(*workers));
	char *info = NULL;
	bool telemetry;

	CHECK(workers);
	for (int i = 0; i < threads; i++)
		workers[i] = (struct worker){ l, i, load_count(l, 5) };
	CHECK(mio_init("/no/such/file") == -ENOENT);
	telemetry = start_with_telemetry(l);
	CHECK(mstro_finalize() == MSTRO_UNINIT);
	CHECK(mstro_init("workflow", "component", 0) == MSTRO_OK);
	CHECK(mstro_init("workflow", "component", 0) == MSTRO_INVARG);
	CHECK(mstro_pm_start() == MSTRO_OK);
	CHECK(mstro_pm_start() == MSTRO_INVARG);
	CHECK(mstro_pm_getinfo(&info) == MSTRO_OK);
	CHECK(mstro_pm_getinfo(NULL) == MSTRO_INVARG);
	free(info);
	load_round_m0(l);
	load_in_threads(threads, work, workers, sizeof(*workers));
	load_print_pools(l);
	CHECK(mstro_pm_terminate() == MSTRO_OK);
	CHECK(mstro_finalize() == MSTRO_OK);
	if (telemetry)
		mio_fini();
	free(workers);
	return 0;
}

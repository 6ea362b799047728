// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever stands in an entry of a recording is taken over or refused; a series that is taken over
 * is the same once it was written and read again. The first byte of the input is the entry's type.
 */
#include <stdlib.h>
#include <string.h>

#include "recording/account_code.h"
#include "recording/object_code.h"
#include "recording/recorded_names.h"
#include "recording/recorded_objects.h"
#include "recording/recording_format.h"
#include "recording/run_code.h"
#include "recording/series_code.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void check(int condition)
{
	if (!condition)
		abort();
}

static void check_again(const struct snapshot_series *series)
{
	struct snapshot_series *again;
	struct pack pack = { 0 };
	struct unpack unpack;
	__u64 flags;

	pack__start(&pack);
	series_code__pack(&pack, series, 0);
	unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
	again = series_code__unpack(&unpack, &flags);
	check(again && unpack.at == unpack.end);
	check(again->total.count == series->total.count);
	check(again->total.max_ns == series->total.max_ns);
	check(histogram__total(&again->latency) == histogram__total(&series->latency));
	check(histogram__total(&again->size) == histogram__total(&series->size));
	free(again);
	pack__free(&pack);
}

static void try_series(struct unpack *unpack)
{
	__u64 flags;
	struct snapshot_series *series = series_code__unpack(unpack, &flags);

	if (series)
		check_again(series);
	free(series);
}

/* At some place; then it is shown, and written and read again. */
static void try_object(struct unpack *unpack)
{
	struct recorded_objects *all = recorded_objects__new();
	__u64 place = unpack__u64(unpack);
	struct snapshot snapshot = { 0 };
	struct pack pack = { 0 };
	struct unpack packed;
	struct tm_object again;

	if (!recorded_objects__take(all, place, unpack))
		recorded_objects__name(all, place, unpack);
	check(!recorded_objects__show(all, &snapshot) && snapshot.n_objects <= 1);
	if (snapshot.n_objects) {
		const struct tm_object *total = &snapshot.objects[0]->total;

		object_code__pack(&pack, total);
		packed = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
		check(object_code__unpack(&packed, &again) && packed.at == packed.end);
		check(object__count(&again) == object__count(total));
		check(!object_key__order(&again.key, &total->key));
	}
	pack__free(&pack);
	recorded_objects__free(all);
}

static void try_run(struct unpack *unpack)
{
	struct run_code run;

	run_code__unpack(&run, unpack);
	run_code__free(&run);
}

static void try_probe(struct unpack *unpack)
{
	struct probe probe;

	if (!run_code__unpack_probe(&probe, unpack))
		run_code__free_probe(&probe);
}

static void try_name(enum recording_entry type, struct unpack *unpack)
{
	struct recorded_names *names = recorded_names__new();
	struct report_names table = recorded_names__table(names);
	__u64 key = unpack__u64(unpack);

	if (!recorded_names__take(names, type, key, unpack)) {
		for (__u32 layer = 0; layer < 1 << 8; layer++)
			table.function(names, (__u8)layer, 0);
		table.cgroup(names, key);
		table.device(names, key);
		table.process(names, (__u32)key);
		check(type != RECORDING_PROCESS || table.process(names, (__u32)key));
		check(type != RECORDING_PROCESS || table.n_processes(names) == key);
		check(type != RECORDING_POOL || table.pool(names, 0));
	}
	recorded_names__free(names);
}

static void try_account(struct unpack *unpack)
{
	struct process_account account, again;
	struct pack pack = { 0 };
	struct unpack packed;

	if (account_code__unpack(&account, unpack) < 0)
		return;
	account_code__pack(&pack, &account);
	packed = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
	check(!account_code__unpack(&again, &packed) && packed.at == packed.end);
	check(!memcmp(&again.sums, &account.sums, sizeof(again.sums)));
	check(again.status == account.status && again.info.pid == account.info.pid);
	account_code__free(&account);
	account_code__free(&again);
	pack__free(&pack);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct unpack unpack = { .at = data + 1, .end = data + size };

	if (!size)
		return 0;
	switch (data[0]) {
	case RECORDING_RUN:
		try_run(&unpack);
		break;
	case RECORDING_PROBE:
		try_probe(&unpack);
		break;
	case RECORDING_LEDGER:
		series_code__unpack_ledger(&unpack);
		break;
	case RECORDING_SERIES:
		try_series(&unpack);
		break;
	case RECORDING_OBJECT:
		try_object(&unpack);
		break;
	case RECORDING_ACCOUNT:
		try_account(&unpack);
		break;
	default:
		try_name(data[0], &unpack);
		break;
	}
	return 0;
}

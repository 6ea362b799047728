// SPDX-License-Identifier: GPL-2.0-only
/* What a service has left for the next one, from any bytes: with a checksum that is right, too. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "service/state.h"

#define HASH_BYTES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const void *bytes, size_t size)
{
	struct service_state state;
	struct pack pack = { 0 };
	int rc = service_state__decode(&state, bytes, size);

	if (rc && rc != -EBADMSG)
		abort();
	if (rc)
		return;
	for (size_t i = 0; i < state.n_files; i++)
		for (size_t k = 0; k < state.files[i].n_numbers; k++)
			if ((size_t)state.files[i].probes[k] >= TM_PROBE_USER + state.n_probes)
				abort();
	service_state__encode(&state, &pack);
	if (pack.failed)
		abort();
	pack__free(&pack);
	service_state__free(&state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pack pack = { .n = size };
	__u64 hash;

	check(data, size);
	pack.bytes = malloc(size + HASH_BYTES);
	if (!pack.bytes)
		abort();
	memcpy(pack.bytes, data, size);
	hash = pack__hash(&pack);
	for (int i = 0; i < HASH_BYTES; i++)
		pack.bytes[size + (size_t)i] = hash >> (8 * i) & 0x7f;
	check(pack.bytes, size + HASH_BYTES);
	pack__free(&pack);
	return 0;
}

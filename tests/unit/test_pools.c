// SPDX-License-Identifier: GPL-2.0-only
/* Storage pools that calls have told of: what fits, and what is shown and kept of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json_records.h"
#include "pool/pools.h"
#include "recording/recorded_pools.h"
#include "sample_table.h"

/* Its functions begin with one that tells of pools. */
static const char catalogue[] =
	"layer: x\nlibraries: libx.so\nfunctions:\n"
	"  - name: f\n"
	"    pools: {at: \"[arg1]\", id: pool+40, name: pool+0, type: \"[pool+56].u32\", "
	"types: [NVM, SSD], capacity: \"[pool+64]\"}\n";

/* A run that has told of pools. */
struct told {
	struct sample sample;
	struct catalogue *cat;
	struct probe_table *probes;
	struct note_list notes;
	struct pools *pools;
};

static void open_told(struct told *told)
{
	const struct catalogue_text text = { "x.yaml", catalogue, sizeof(catalogue) - 1 };
	struct probe probe = { .library = "/opt/libx.so", .layer_id = TM_LAYER_USER };
	struct error err;

	memset(told, 0, sizeof(*told));
	sample__open(&told->sample);
	assert_int_equal(catalogue__load_texts(&told->cat, &text, 1, &err), 0);
	assert_int_equal(probe_table__new(&told->probes, told->cat), 0);
	assert_int_equal(probe_table__function_id(told->probes, TM_LAYER_USER, "f"), 0);
	assert_int_equal(probe_table__add(told->probes, &probe), TM_PROBE_USER);
	told->pools = pools__new(-1, told->cat, told->probes, &told->notes);
	assert_non_null(told->pools);
	told->sample.names.pools = told->pools;
}

static void close_told(struct told *told)
{
	pools__free(told->pools);
	note_list__clear(&told->notes);
	probe_table__free(told->probes);
	catalogue__free(told->cat);
	sample__close(&told->sample);
}

static void tell(struct told *told, __u64 id, const char *name, __u32 type, __u64 capacity)
{
	const struct tm_pool_key key = { .id = { 1, id }, .layer = TM_LAYER_USER };
	struct tm_pool pool = { .capacity = capacity, .type = type, .known = 7 };

	snprintf(pool.name, sizeof(pool.name), "%s", name);
	pools__take(told->pools, &key, &pool);
}

static void test_shown(void **state)
{
	struct json_object *record = NULL;
	struct records records;
	struct told told;
	char *text;

	(void)state;
	open_told(&told);
	tell(&told, 0x100, "gold", 0, 1 << 30);
	tell(&told, 0x101, "silver", 1, 1ULL << 40);
	tell(&told, 0x100, "gold", 0, 1 << 20);
	assert_null(pools__at(told.pools, 2));
	write_run(&told.sample, &records, true);
	assert_int_equal(count_type(&records, "pool"), 2);
	for (size_t i = 0; !record && i < records.n; i++)
		if (!strcmp(json_object_get_string(member(records.at[i], "type")), "pool"))
			record = records.at[i];
	check_string(record, "id", "0x1:0x100");
	check_string(record, "name", "gold");
	check_string(record, "storage_type", "NVM");
	check_number(record, "capacity_bytes", 1 << 20);
	free_records(&records);
	text = sample__tables(&told.sample);
	expect_text(text, "\nstorage pools:\npool    of     id         storage  "
			  "capacity\ngold    mstro  0x1:0x100  NVM      1.00 MiB\n");
	free(text);
	close_told(&told);
}

/* What is not there is left out, of all pools from then on, and told once. */
static void test_misfits(void **state)
{
	const struct pool_info *info;
	struct told told;

	(void)state;
	open_told(&told);
	tell(&told, 1, "\001x", 0, 1000);
	tell(&told, 2, "gold", 2, 1000);
	tell(&told, 3, "gold", 1, 0);
	tell(&told, 4, "gold", 1, 1000);
	assert_int_equal(told.notes.n, 3);
	assert_non_null(strstr(told.notes.lines[0], "libx.so: field name of storage pools"));
	info = pools__at(told.pools, 0);
	assert_null(info->name);
	assert_string_equal(info->type, "NVM");
	assert_int_equal(info->capacity, 1000);
	info = pools__at(told.pools, 3);
	assert_null(info->name);
	assert_null(info->type);
	assert_int_equal(info->capacity, 0);
	close_told(&told);
}

static void test_recorded(void **state)
{
	const struct pool_info one = {
		.layer = TM_LAYER_USER, .id = { 1, 2 }, .name = "gold", .capacity = 5
	};
	struct recorded_pools *pools = recorded_pools__new();
	struct pack pack = { 0 };
	struct unpack unpack;

	(void)state;
	assert_non_null(pools);
	recorded_pools__pack(&pack, &one);
	for (size_t n = 0; n < pack.n; n++) {
		unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + n };
		assert_int_equal(recorded_pools__take(pools, 1, &unpack), -EBADMSG);
	}
	assert_null(recorded_pools__at(pools, 0));
	/* In whatever order, and again. */
	for (__u64 place = 2; place > 0; place--) {
		for (int i = 0; i < 2; i++) {
			unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
			assert_int_equal(recorded_pools__take(pools, place, &unpack), 0);
		}
	}
	unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
	assert_int_equal(recorded_pools__take(pools, TM_POOLS_MAX + 1, &unpack), -EBADMSG);
	assert_string_equal(recorded_pools__at(pools, 1)->name, "gold");
	assert_null(recorded_pools__at(pools, 0)->type);
	assert_int_equal(recorded_pools__at(pools, 0)->capacity, 5);
	assert_null(recorded_pools__at(pools, 2));
	pack__free(&pack);
	recorded_pools__free(pools);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_misfits),
		cmocka_unit_test(test_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

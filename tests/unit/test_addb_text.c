// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of ADDB2 as text. data/addb2/dump.txt is what m0addb2dump of Motr 2.0.0 wrote, words.txt
 * the records' words (made from it by words.py).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "addb/identifiers.h"
#include "addb/text.h"

#define DATA "tests/unit/data/addb2/"

static char *print(const struct addb_text *how, const struct addb_record *record)
{
	struct addb_text text = *how;
	char *bytes = NULL;
	size_t size;

	text.out = open_memstream(&bytes, &size);
	assert_non_null(text.out);
	addb_text__print(&text, record);
	fclose(text.out);
	return bytes;
}

static void expect(const struct addb_record *record, const char *wanted)
{
	static const struct addb_text flat = { .flat = true };
	char *is = print(&flat, record);

	assert_string_equal(is, wanted);
	free(is);
}

/* "ID WORD... | ID WORD..." in hex */
static void parse(char *line, struct addb_record *record)
{
	struct addb_value *value = &record->value;
	char *word, *rest = NULL;
	bool begins = true;

	record->n_labels = 0;
	memset(value->words, 0, sizeof(value->words));
	for (word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		if (!strcmp(word, "|")) {
			value = &record->labels[record->n_labels++];
			memset(value, 0, sizeof(*value));
			begins = true;
		} else if (begins) {
			value->id = strtoull(word, NULL, 16);
			value->n = 0;
			begins = false;
		} else {
			assert_true(value->n < TM_ADDB_WORDS);
			value->words[value->n++] = strtoull(word, NULL, 16);
		}
	}
}

/* Every record of the real dump, one after another: equal, character for character. */
static void test_real_dump(void **state)
{
	FILE *words = fopen(DATA "words.txt", "r"), *dump = fopen(DATA "dump.txt", "r");
	static struct addb_record record;
	struct addb_text text = { 0 };
	char *line = NULL, *is, *wanted;
	size_t room = 0, n = 0, size;
	int after;

	(void)state;
	assert_non_null(words);
	assert_non_null(dump);
	while (getline(&line, &room, words) > 0) {
		if (sscanf(line, "base %llx", &text.symbol_base) == 1)
			continue;
		text.flat = line[0] == 'f';
		assert_int_equal(sscanf(line + 2, "%llx %n", &record.value.time_ns, &after), 1);
		parse(line + 2 + after, &record);
		is = print(&text, &record);
		size = strlen(is);
		wanted = calloc(1, size + 1);
		assert_int_equal(fread(wanted, 1, size, dump), size);
		assert_string_equal(is, wanted);
		free(wanted);
		free(is);
		n++;
	}
	assert_int_equal(n, 256);
	assert_int_equal(fgetc(dump), EOF);
	free(line);
	fclose(words);
	fclose(dump);
}

static void test_unknown_identifiers_are_hex(void **state)
{
	static const struct addb_record record = {
		.value = { .id = 0x30000, .n = 2, .words = { 0xabc, 0x1 } },
		.n_labels = 1,
		.labels = { { .id = 0x2110, .n = 1, .words = { 5 } } },
	};

	(void)state;
	expect(&record, "*            30000 ?             abc?, ?               1? "
			"|                     2110 ?               5? \n");
}

/* Too few words, too many, states and types without a name: nothing is read that is not there. */
static void test_odd_records(void **state)
{
	struct addb_record record = { .value = { .id = 0x2006, .n = 2, .words = { 7, 8 } } };

	(void)state;
	expect(&record, "* fom-state        ?               7?, ?               8? \n");
	record.value = (struct addb_value){ .id = 0x1002, .n = 2, .words = { 7, 8 } };
	expect(&record, "* pid              7,          ?               8? \n");
	record.value = (struct addb_value){ .id = 0x2006, .n = 3, .words = { 7, 77, 99 } };
	expect(&record, "* fom-state        sm_id: 7 --> 99 \n");
	record.value = (struct addb_value){ .id = 0x2006, .n = 3, .words = { 7, 2, 3 } };
	expect(&record, "* fom-state        sm_id: 7 --> Waiting \n"); /* 2 leads to Running */
	record.value = (struct addb_value){ .id = 0x2004, .n = 4, .words = { 0, 999, 1, 2 } };
	expect(&record,
	       "* fom              addr: @(nil), ?'UNKNOWN-999' transitions: 1 phase: 2 \n");
	record.value = (struct addb_value){ .id = 0x2118, .n = 3, .words = { 1, 0x9999, 3 } };
	expect(&record, "* attr             entity_id: 1, 9999: 3 \n");
	record.value = (struct addb_value){ .id = 0x1fff000, .n = 1 };
	expect(&record, "*  unknown-fop-mask: fff000  \n");
}

static void test_phases_are_those_of_the_fom(void **state)
{
	struct addb_record record = {
		.value = { .id = 0x2005, .n = 3, .words = { 12, 0, 2 } },
		.n_labels = 1,
		.labels = { { .id = 0x2004, .n = 4, .words = { 0x10, 41, 0, 0 } } },
	};
	char *is;

	(void)state;
	is = print(&(struct addb_text){ .flat = true }, &record);
	assert_non_null(strstr(is, "fom-phase        sm_id: 12 init -[initialised]-> authen "));
	free(is);
	record.value.words[1] = 0xffffffff;
	is = print(&(struct addb_text){ .flat = true }, &record);
	assert_non_null(strstr(is, "sm_id: 12 phase transition -1 "));
	free(is);
	record.n_labels = 0;
	expect(&record, "* fom-phase        sm_id: 12 phase ast transition -1 \n");
}

/* Each known identifier can be found by number and has fields that fit. */
static void test_table(void **state)
{
	const struct addb_identifier *all;
	size_t n, words;

	(void)state;
	all = addb_identifiers__all(&n);
	for (size_t i = 0; i < n; i++) {
		assert_true(all[i].first <= all[i].last);
		assert_true(!i || all[i - 1].last < all[i].first);
		assert_ptr_equal(addb_identifiers__find(all[i].first), &all[i]);
		assert_ptr_equal(addb_identifiers__find(all[i].last), &all[i]);
		assert_true(all[i].n_fields <= ADDB_FIELDS);
		words = 0;
		for (unsigned int f = 0; f < all[i].n_fields; f++) {
			words += all[i].fields[f].words;
			assert_true(all[i].fields[f].label || all[i].fields[f].name);
		}
		assert_true(words <= TM_ADDB_WORDS);
	}
	assert_int_equal(addb_identifiers__by_name("fom-descr")->first, 0x2108);
	assert_null(addb_identifiers__find(0x2110));
	assert_null(addb_identifiers__find(0xffffffffffffff));
}

static void test_names(void **state)
{
	char name[64];

	(void)state;
	assert_string_equal(addb_text__name(0x2006, name, sizeof(name)), "fom-state");
	assert_string_equal(addb_text__name(0xa002, name, sizeof(name)),
			    "tx/m0_be_tx::t_sm: prepare -[opening]-> opening");
	assert_string_equal(addb_text__name(0x30000, name, sizeof(name)), "30000");
	assert_string_equal(addb_text__name(0xa002, name, 8), "tx/m0_b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_dump),
		cmocka_unit_test(test_unknown_identifiers_are_hex),
		cmocka_unit_test(test_odd_records),
		cmocka_unit_test(test_phases_are_those_of_the_fom),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_names),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

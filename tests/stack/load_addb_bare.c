// SPDX-License-Identifier: GPL-2.0-only
/*
 * ADDB2 records of threads without a machine, of which Motr keeps nothing. What there was goes into
 * the file addb-bare.txt in --dir, a record a line: identifier and words in hex, and behind a |
 * each label of the same form, the outermost first.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "load.h"
#include "load_addb.h"
#include "motr.h"

/* Identifiers that nobody knows: all words are shown. */
enum { RECORD = 0x50000, LABEL = 0x51000 };

struct bare {
	FILE *out;
	struct load_addb_bare *counts;
};

/* A record of one word, below n labels. */
static void add(struct bare *bare, uint64_t word, const char *labels)
{
	M0_ADDB2_ADD(RECORD, word);
	fprintf(bare->out, "50000 %llx%s\n", (unsigned long long)word, labels);
	bare->counts->told++;
}

/* Last in, first out; then in another order. */
static void orders(struct bare *bare)
{
	add(bare, 1, "");
	M0_ADDB2_PUSH(LABEL, 1, 2);
	add(bare, 2, " | 51000 1 2");
	m0_addb2_push(LABEL + 1, 0, NULL);
	M0_ADDB2_PUSH(LABEL + 2, 7);
	add(bare, 3, " | 51000 1 2 | 51001 | 51002 7");
	m0_addb2_pop(LABEL); /* before those that came later */
	add(bare, 4, " | 51001 | 51002 7");
	m0_addb2_pop(LABEL + 9); /* what was never there */
	m0_addb2_pop(LABEL + 2);
	add(bare, 5, " | 51001");
	m0_addb2_pop(LABEL + 1);
	add(bare, 6, "");
	bare->counts->misplaced += 2;
}

/* 64 labels of 15 words, and one for which there is no room. */
static void deepest(struct bare *bare)
{
	uint64_t words[M0_ADDB2_WORDS_MAX];
	char text[64 * 15 * 8], *at = text;

	for (int i = 0; i < M0_ADDB2_LABELS_MAX; i++) {
		at += sprintf(at, " | %x", LABEL + i);
		for (int w = 0; w < M0_ADDB2_WORDS_MAX; w++) {
			words[w] = (uint64_t)(i * 100 + w);
			at += sprintf(at, " %x", i * 100 + w);
		}
		m0_addb2_push(LABEL + (uint64_t)i, M0_ADDB2_WORDS_MAX, words);
	}
	add(bare, 7, text);
	M0_ADDB2_PUSH(LABEL + 99, 1);
	add(bare, 8, text);
	m0_addb2_pop(LABEL + 99);
	for (int i = M0_ADDB2_LABELS_MAX - 1; i >= 0; i--)
		m0_addb2_pop(LABEL + (uint64_t)i);
	add(bare, 9, "");
	bare->counts->labels_lost++;
	bare->counts->misplaced++; /* of the label that found no room */
}

/* Pointers that lead nowhere: a thread without a machine does not follow them. */
static void garbage(struct bare *bare)
{
	m0_addb2_push(LABEL, 3, (const uint64_t *)8);
	add(bare, 10, " | 51000");
	bare->counts->labels_unreadable++;
	m0_addb2_pop(LABEL);
	m0_addb2_add(RECORD, 2, (const uint64_t *)24);
	bare->counts->unreadable++;
}

/* Has a machine for a while, whose labels are not the thread's. */
static void visits(struct bare *bare, struct m0_addb2_mach *mach)
{
	M0_ADDB2_PUSH(LABEL, 11);
	m0_thread_tls()->tls_addb2_mach = mach;
	M0_ADDB2_PUSH(LABEL + 1, 12);
	M0_ADDB2_ADD(RECORD + 1, 11);
	bare->counts->kept++;
	m0_thread_tls()->tls_addb2_mach = NULL;
	add(bare, 12, " | 51000 b");
	m0_thread_tls()->tls_addb2_mach = mach;
	m0_addb2_pop(LABEL + 1);
	m0_thread_tls()->tls_addb2_mach = NULL;
	add(bare, 13, " | 51000 b");
	m0_addb2_pop(LABEL);
}

static void *bare_thread(void *arg)
{
	struct bare *bare = arg;
	struct m0_addb2_mach *mach = m0_addb2_mach_init(NULL, NULL);

	orders(bare);
	deepest(bare);
	garbage(bare);
	visits(bare, mach);
	m0_addb2_mach_fini(mach);
	return NULL;
}

void load_addb_bare(struct load *l, struct load_addb_bare *counts)
{
	char path[4200];
	struct bare bare = { .counts = counts };
	pthread_t thread;

	snprintf(path, sizeof(path), "%s/addb-bare.txt", l->dir);
	bare.out = fopen(path, "we");
	CHECK(bare.out);
	CHECK(!pthread_create(&thread, NULL, bare_thread, &bare));
	CHECK(!pthread_join(thread, NULL));
	CHECK(!fclose(bare.out));
}

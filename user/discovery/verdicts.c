// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/clock.h"
#include "base/hash.h"
#include "host/file_set.h"
#include "discovery/verdicts.h"
#include "host/reach.h"

/* In the set, of a file that is plain; of a wanted one: the time of its last change. */
#define PLAIN 1

/* So many wanted files whose answer is remembered: those that every program maps. */
#define ANSWERS 16

/* The last time that a file was asked for its last change. */
struct answer {
	struct file_key key;
	__u64 asked_ns; /* CLOCK_MONOTONIC, before it was asked; 0: nothing is here */
	__u64 changed_ns;
};

struct verdicts {
	struct file_set *files;
	struct answer answers[ANSWERS];
};

struct verdicts *verdicts__new(void)
{
	struct verdicts *verdicts = calloc(1, sizeof(*verdicts));

	if (!verdicts)
		return NULL;
	verdicts->files = file_set__new();
	if (verdicts->files)
		return verdicts;
	free(verdicts);
	return NULL;
}

void verdicts__free(struct verdicts *verdicts)
{
	if (!verdicts)
		return;
	file_set__free(verdicts->files);
	free(verdicts);
}

/* A file may have several names, and one of them alone is wanted. */
static struct file_key key_of(const struct watch_mapping *mapping, const char *name)
{
	__u64 hash = hash__bytes(HASH_NOTHING, name, strlen(name));

	return (struct file_key){ mapping->major, mapping->minor, mapping->ino,
				  hash__word(hash, mapping->generation) };
}

__u64 verdicts__changed_ns(const struct watch_mapping *mapping, const char *name)
{
	struct stat st;

	/* Who asks must not wait. */
	if (reach__is_far(mapping->major, mapping->minor))
		return 0;
	if (stat(name, &st) < 0 || st.st_ino != mapping->ino ||
	    major(st.st_dev) != mapping->major || minor(st.st_dev) != mapping->minor)
		return 0;
	return (__u64)st.st_ctim.tv_sec * NS_PER_S + (__u64)st.st_ctim.tv_nsec;
}

/* The same, but asked once for all that was mapped before: of one reading hundreds may be. */
static __u64 changed_ns(struct verdicts *verdicts, const struct file_key *key,
			const struct watch_mapping *mapping, const char *name)
{
	struct answer *answer = &verdicts->answers[key->ino % ANSWERS];

	if (mapping->time < answer->asked_ns && !memcmp(&answer->key, key, sizeof(*key)))
		return answer->changed_ns;
	answer->key = *key;
	answer->asked_ns = clock__ns(CLOCK_MONOTONIC);
	answer->changed_ns = verdicts__changed_ns(mapping, name);
	return answer->changed_ns;
}

enum verdict verdicts__ask(struct verdicts *verdicts, const struct watch_mapping *mapping,
			   const char *name)
{
	const struct file_key key = key_of(mapping, name);
	const __u64 *number = file_set__number(verdicts->files, &key);

	if (!number)
		return VERDICT_NONE;
	if (*number == PLAIN)
		return VERDICT_PLAIN;
	return changed_ns(verdicts, &key, mapping, name) == *number ? VERDICT_WANTED : VERDICT_NONE;
}

void verdicts__note(struct verdicts *verdicts, const struct watch_mapping *mapping,
		    const char *name, enum verdict verdict, __u64 changed_ns)
{
	const struct file_key key = key_of(mapping, name);
	__u64 *number;

	if (verdict == VERDICT_NONE || (verdict == VERDICT_WANTED && !changed_ns))
		return;
	file_set__add(verdicts->files, &key);
	number = file_set__number(verdicts->files, &key);
	if (number)
		*number = verdict == VERDICT_PLAIN ? PLAIN : changed_ns;
}

void verdicts__forget(struct verdicts *verdicts, __u64 ino)
{
	file_set__forget(verdicts->files, ino);
}

void verdicts__clear(struct verdicts *verdicts)
{
	file_set__clear(verdicts->files);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "recording/addb_code.h"
#include "recording/archive.h"

#define AT(member) offsetof(struct addb_counts, member)

static const size_t counters[] = {
	AT(kernel.recorded), AT(kernel.unwanted),  AT(kernel.unreadable),
	AT(kernel.full),     AT(kernel.busy),	   AT(kernel.labels_unreadable),
	AT(taken),	     AT(filtered),	   AT(large),
	AT(kernel.covered),  AT(kernel.undecided), AT(kernel.misplaced),
	AT(labels_lost),
};

static void archive_counts(struct archive *archive, struct addb_counts *counts)
{
	archive__number(archive, counts->time_ns);
	archive__offsets(archive, counts, counters, sizeof(counters) / sizeof(*counters));
}

void addb_code__pack(struct pack *pack, const struct addb_counts *counts)
{
	archive_counts(ARCHIVE_TO(pack), (struct addb_counts *)counts);
}

int addb_code__unpack(struct addb_counts *counts, struct unpack *unpack)
{
	*counts = (struct addb_counts){ 0 };
	archive_counts(ARCHIVE_FROM(unpack), counts);
	return unpack->failed ? -EBADMSG : 0;
}

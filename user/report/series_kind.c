// SPDX-License-Identifier: GPL-2.0-only
#include "addb/sums.h"
#include "report/series_kind.h"

enum series_kind series_kind__of(const struct tm_key *key)
{
	if (key__is_task_io(key))
		return SERIES_KERNEL_IO;
	if (key->layer < TM_LAYER_USER)
		return key->layer == TM_LAYER_VFS ? SERIES_FILES : SERIES_DEVICES;
	if (key__is_operation(key))
		return SERIES_OPERATIONS;
	if (key__is_by_size(key))
		return SERIES_BY_SIZE;
	if (key__is_association(key))
		return SERIES_ASSOCIATIONS;
	if (key__is_addb(key))
		return addb_sum__kind(key->where) == ADDB_SUM_STATE ? SERIES_STATES : SERIES_VALUES;
	return key__is_unseen(key) ? SERIES_UNSEEN : SERIES_CALLS;
}

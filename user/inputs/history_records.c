// SPDX-License-Identifier: GPL-2.0-only
#include "inputs/history_records.h"

static int put_figures(const struct history_records *records, bool final, struct error *err)
{
	return SINK_CALL(records->sink, snapshot, recording__snapshot(records->recording), final,
			 err);
}

int history_records__final(const struct history_records *records, struct error *err)
{
	struct addb_counts counts;
	int ret = 0;

	if (recording__addb_counts(records->recording, &counts)) {
		ret = SINK_CALL(records->sink, addb_counts, &counts, err);
	}
	return ret < 0 ? ret : put_figures(records, true, err);
}

static int put_snapshot(const struct history_records *records, struct error *err)
{
	struct recording_state state;

	recording__state(records->recording, &state);
	return state.ended ? history_records__final(records, err)
			   : put_figures(records, false, err);
}

static int put_calls(const struct history_records *records, struct error *err)
{
	struct call_batch batch;

	/* What makes no sense is counted with the other losses. */
	if (recording__calls(records->recording, &batch) < 0)
		return 0;
	return SINK_CALL(records->sink, calls, &batch, err);
}

static int put_addb(const struct history_records *records, struct error *err)
{
	static struct addb_record record;
	struct addb_origin origin;
	struct addb_batch batch;
	int ret = 0;

	if (recording__addb(records->recording, &batch) < 0)
		return 0;
	while (ret >= 0 && addb_batch__next(&batch, &record, &origin))
		ret = SINK_CALL(records->sink, addb, &record, &origin, err);
	return ret < 0 ? ret : SINK_CALL(records->sink, flush, err);
}

static int put_account(const struct history_records *records, struct error *err)
{
	const struct process_account *account = recording__account(records->recording);

	return account ? SINK_CALL(records->sink, process, account, err) : 0;
}

int history_records__put(const struct history_records *records, enum recording_step step,
			 struct error *err)
{
	switch (step) {
	case RECORDING_STEP_SNAPSHOT:
		return put_snapshot(records, err);
	case RECORDING_STEP_CALLS:
		return put_calls(records, err);
	case RECORDING_STEP_ADDB:
		return put_addb(records, err);
	case RECORDING_STEP_ACCOUNT:
		return put_account(records, err);
	default:
		return 0;
	}
}

-- SPDX-License-Identifier: GPL-2.0-only
-- What "tmtrace export --sqlite" makes of records: a table for each type, a column for each member,
-- as docs/records.md has them. What all have in common is in run alone (hostname, epoch), or is the
-- same as another one (time is time_ns, type the table). JSON is text: arrays and objects as they
-- are in the record. other: members that have no column, as a JSON object; NULL: none.
-- A type between dollars: the figures of such records, as user/report/series_fields.c lists them.

CREATE TABLE run (
	run INTEGER PRIMARY KEY, file TEXT,
	time_ns INTEGER, hostname TEXT, epoch TEXT, version TEXT, kernel TEXT, argv JSON, scope TEXT,
	start_ns INTEGER, end_ns INTEGER, layers JSON, mechanisms JSON,
	hit_cost_ns JSON, hit_inside_ns JSON, hit_counted_ns JSON, probe_share REAL, notes JSON,
	final BOOLEAN, other JSON
);

CREATE TABLE function (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, step TEXT, layer TEXT, function TEXT,
	fs_type TEXT, mount TEXT, "where" TEXT,
	pid INTEGER, rank INTEGER, comm TEXT, uid INTEGER, jobid TEXT, workflow TEXT, component TEXT,
	$function$, scheme TEXT, buckets JSON, size_buckets JSON, interval JSON, parked_ns INTEGER, untimed_ns INTEGER,
	coverage REAL, estimated JSON, final BOOLEAN, other JSON
);

CREATE TABLE op (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, step TEXT, layer TEXT, function TEXT,
	fs_type TEXT, mount TEXT, "where" TEXT,
	pid INTEGER, rank INTEGER, comm TEXT, uid INTEGER, jobid TEXT, workflow TEXT, component TEXT,
	$op$, scheme TEXT, buckets JSON, size_buckets JSON, interval JSON,
	final BOOLEAN, other JSON
);

CREATE TABLE by_size (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, step TEXT, layer TEXT, function TEXT,
	size_class JSON,
	pid INTEGER, rank INTEGER, comm TEXT, uid INTEGER, jobid TEXT, workflow TEXT, component TEXT,
	$by_size$, scheme TEXT, buckets JSON, size_buckets JSON, interval JSON,
	final BOOLEAN, other JSON
);

CREATE TABLE association (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, step TEXT, layer TEXT, function TEXT,
	pid INTEGER, rank INTEGER, comm TEXT, uid INTEGER, jobid TEXT, workflow TEXT, component TEXT,
	$association$, scheme TEXT, buckets JSON, size_buckets JSON, interval JSON,
	final BOOLEAN, other JSON
);

CREATE TABLE device (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, step TEXT, layer TEXT, function TEXT,
	device TEXT, fs_type TEXT, writeback BOOLEAN, metadata BOOLEAN, "where" TEXT,
	pid INTEGER, rank INTEGER, comm TEXT, uid INTEGER, jobid TEXT, workflow TEXT, component TEXT,
	$device$, scheme TEXT, buckets JSON, size_buckets JSON, interval JSON, parked_ns INTEGER,
	coverage REAL, estimated JSON, final BOOLEAN, other JSON
);

CREATE TABLE job (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, kind TEXT, jobid TEXT, step TEXT,
	sluid TEXT, uid INTEGER, start_ns INTEGER, end_ns INTEGER,
	cpu_ns INTEGER, cpu_user_ns INTEGER, cpu_system_ns INTEGER, memory_peak_bytes INTEGER,
	processes INTEGER, layers JSON, vfs_read_bytes INTEGER, vfs_write_bytes INTEGER,
	storage_read_bytes INTEGER, storage_write_bytes INTEGER, kernel_io JSON,
	final BOOLEAN, other JSON
);

CREATE TABLE object (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, jobid TEXT, step TEXT, layer TEXT,
	what TEXT, name TEXT, id TEXT, pid INTEGER, processes INTEGER,
	count INTEGER, bytes INTEGER, total_ns INTEGER, errors INTEGER, retries INTEGER, switches INTEGER,
	read JSON, write JSON, others INTEGER, others_by JSON, others_bytes INTEGER, others_ns INTEGER,
	open_first_ns INTEGER, open_last_ns INTEGER, close_first_ns INTEGER, close_last_ns INTEGER,
	final BOOLEAN, other JSON
);

CREATE TABLE call (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, step TEXT, layer TEXT, function TEXT,
	fs_type TEXT, mount TEXT, device TEXT, writeback BOOLEAN, metadata BOOLEAN, "where" TEXT,
	pid INTEGER, tid INTEGER, comm TEXT, id INTEGER,
	rank INTEGER, jobid TEXT, workflow TEXT, component TEXT, parent_id INTEGER,
	timestamp REAL, wtime REAL, depth INTEGER, start_ns INTEGER, duration_ns INTEGER,
	rc INTEGER, bytes INTEGER, object TEXT, sector INTEGER, queue_ns INTEGER, service_ns INTEGER,
	stack JSON, other JSON
);

CREATE TABLE operation (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, step TEXT, layer TEXT, function TEXT,
	fs_type TEXT, mount TEXT, "where" TEXT,
	pid INTEGER, tid INTEGER, comm TEXT, id INTEGER,
	rank INTEGER, jobid TEXT, workflow TEXT, component TEXT, parent_id INTEGER,
	kind TEXT, call_id INTEGER, launch_ns INTEGER, complete_ns INTEGER, duration_ns INTEGER,
	fate TEXT, rc INTEGER, bytes INTEGER, object TEXT,
	session INTEGER, seqno INTEGER, sm_id INTEGER, phases JSON, other JSON
);

CREATE TABLE addb (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, jobid TEXT, step TEXT,
	pid INTEGER, tid INTEGER, source TEXT,
	id TEXT, name TEXT, payload JSON, labels JSON, labels_unreadable INTEGER, other JSON
);

CREATE TABLE addb_count (
	run INTEGER, time_ns INTEGER, recorded INTEGER, unwanted INTEGER, unreadable INTEGER, full INTEGER,
	busy INTEGER, covered INTEGER, undecided INTEGER, labels_unreadable INTEGER, labels_lost INTEGER,
	pops_misplaced INTEGER, written INTEGER, filtered INTEGER, unrecorded INTEGER,
	final BOOLEAN, other JSON
);

CREATE TABLE addb_state (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, step TEXT, layer TEXT, function TEXT,
	id TEXT, name TEXT, fom TEXT, state TEXT,
	pid INTEGER, rank INTEGER, comm TEXT, uid INTEGER, jobid TEXT, workflow TEXT, component TEXT,
	$addb_state$, scheme TEXT, buckets JSON, size_buckets JSON, interval JSON,
	final BOOLEAN, other JSON
);

CREATE TABLE addb_value (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, step TEXT, layer TEXT, function TEXT,
	id TEXT, name TEXT, fom TEXT, field TEXT,
	pid INTEGER, rank INTEGER, comm TEXT, uid INTEGER, jobid TEXT, workflow TEXT, component TEXT,
	$addb_value$, scheme TEXT, buckets JSON, size_buckets JSON, interval JSON,
	final BOOLEAN, other JSON
);

CREATE TABLE timeline (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, jobid TEXT, step TEXT, layer TEXT,
	start_ns INTEGER, bin_ns INTEGER, count JSON, errors JSON, bytes JSON, sum_ns JSON,
	p50_ns JSON, p99_ns JSON, final BOOLEAN, other JSON
);

CREATE TABLE unusual (
	run INTEGER, time_ns INTEGER, kind TEXT, cgroup TEXT, cgroup_id INTEGER, jobid TEXT, step TEXT,
	layer TEXT, function TEXT, node TEXT, start_ns INTEGER, end_ns INTEGER, percentile INTEGER, latency_ns INTEGER,
	usual_latency_ns INTEGER, deviations REAL, load REAL, cause TEXT, final BOOLEAN, other JSON
);

CREATE TABLE pool (
	run INTEGER, time_ns INTEGER, layer TEXT, id TEXT, name TEXT, storage_type TEXT,
	capacity_bytes INTEGER, final BOOLEAN, other JSON
);

CREATE TABLE process (
	run INTEGER, time_ns INTEGER, cgroup TEXT, cgroup_id INTEGER, jobid TEXT, step TEXT,
	pid INTEGER, ppid INTEGER, rank INTEGER, uid INTEGER, comm TEXT, workflow TEXT, component TEXT,
	processes INTEGER, utime REAL, stime REAL, maxmem REAL,
	posixio_time REAL, posixio_count INTEGER, mio_time REAL, mio_count INTEGER,
	maestro_time REAL, maestro_count INTEGER, "USER" TEXT, timestamp INTEGER, wtime REAL, command TEXT,
	posix_read_time REAL, posix_read_count INTEGER, posix_write_time REAL, posix_write_count INTEGER,
	vfs_read_bytes INTEGER, vfs_write_bytes INTEGER, vfs_errors INTEGER,
	storage_read_bytes INTEGER, storage_write_bytes INTEGER, layers JSON, kernel_io JSON,
	coverage REAL, estimated JSON, start_ns INTEGER, end_ns INTEGER, exit_code INTEGER, signal INTEGER, oom_killed BOOLEAN,
	threads INTEGER, final BOOLEAN, other JSON
);

CREATE TABLE probe (
	run INTEGER, time_ns INTEGER, layer TEXT, function TEXT, library TEXT, site TEXT, mechanism TEXT,
	state TEXT, entry TEXT, moved_bytes INTEGER, hits INTEGER, recorded INTEGER, filtered INTEGER,
	lost INTEGER, in_flight INTEGER, unsized INTEGER, calls JSON, operations JSON,
	parked_ns INTEGER, parked_count INTEGER, parked_since_ns INTEGER, parked_until_ns INTEGER,
	parked_hits_per_s INTEGER, parked_cost_ns INTEGER, parked_thread_ppm INTEGER, parked_thread_pid INTEGER,
	untimed_ns INTEGER, untimed_count INTEGER, untimed_since_ns INTEGER, untimed_until_ns INTEGER,
	untimed_calls_per_s INTEGER, untimed_cost_ns INTEGER,
	untimed_thread_ppm INTEGER, untimed_thread_pid INTEGER, reason TEXT,
	final BOOLEAN, other JSON
);

CREATE TABLE loss (
	run INTEGER, time_ns INTEGER, layer TEXT, function TEXT, library TEXT, reason TEXT, count INTEGER,
	final BOOLEAN, other JSON
);

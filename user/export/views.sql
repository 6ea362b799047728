-- SPDX-License-Identifier: GPL-2.0-only
-- Questions that are asked often, and what makes their answers quick.

CREATE INDEX call_id ON call (run, id);
CREATE INDEX call_parent ON call (run, parent_id);
CREATE INDEX call_duration ON call (duration_ns);
CREATE INDEX operation_id ON operation (run, id);
CREATE INDEX operation_parent ON operation (run, parent_id);

-- What was counted, with histograms, whatever it was: calls, operations on files, block requests
-- (kind is function or device), asynchronous operations (op). time_ns adds up over nested calls: of
-- libraries it is their own time, without traced calls inside.
CREATE VIEW counted AS
	SELECT 'function' AS kind, run.hostname, f.run, cgroup, jobid, step, pid, rank, comm, layer,
		function, fs_type, mount, NULL AS device, count, errors, bytes, timed, total_ns,
		CASE layer WHEN 'vfs' THEN total_ns ELSE self_ns END AS time_ns,
		min_ns, max_ns, in_flight, buckets, size_buckets
	FROM function f JOIN run USING (run)
	UNION ALL
	SELECT 'device', run.hostname, d.run, cgroup, jobid, step, pid, rank, comm, layer,
		function, fs_type, NULL, device, count, errors, bytes, timed, total_ns, total_ns,
		min_ns, max_ns, in_flight, buckets, size_buckets
	FROM device d JOIN run USING (run)
	UNION ALL
	SELECT 'op', run.hostname, o.run, cgroup, jobid, step, pid, rank, comm, layer,
		function, NULL, NULL, NULL, count, errors, bytes, timed, total_ns, total_ns,
		min_ns, max_ns, in_flight, buckets, size_buckets
	FROM op o JOIN run USING (run);

-- A line per job (or cgroup) and layer, of all nodes.
CREATE VIEW totals AS
	SELECT jobid, cgroup, layer, count(DISTINCT hostname) AS nodes, sum(count) AS count,
		sum(errors) AS errors, sum(bytes) AS bytes, sum(time_ns) AS time_ns,
		min(min_ns) AS min_ns, max(max_ns) AS max_ns, sum(in_flight) AS in_flight
	FROM counted WHERE kind <> 'op'
	GROUP BY jobid, cgroup, layer;

-- A line per function, of all jobs, processes and nodes; operations apart from the calls.
CREATE VIEW functions AS
	SELECT kind, layer, function, sum(count) AS count, sum(errors) AS errors, sum(bytes) AS bytes,
		sum(total_ns) AS total_ns, sum(time_ns) AS time_ns,
		sum(total_ns) / nullif(sum(timed), 0) AS mean_ns, min(min_ns) AS min_ns, max(max_ns) AS max_ns
	FROM counted
	GROUP BY kind, layer, function;

-- Histograms, a line per bucket: latencies in ns, sizes in bytes; both edges belong to it.
CREATE VIEW latencies AS
	SELECT kind, hostname, jobid, cgroup, rank, pid, layer, function,
		bucket.value ->> 0 AS lower_ns, bucket.value ->> 1 AS upper_ns,
		bucket.value ->> 2 AS count
	FROM counted, json_each(counted.buckets) bucket;
CREATE VIEW sizes AS
	SELECT kind, hostname, jobid, cgroup, rank, pid, layer, function,
		bucket.value ->> 0 AS lower_bytes, bucket.value ->> 1 AS upper_bytes,
		bucket.value ->> 2 AS count
	FROM counted, json_each(counted.size_buckets) bucket;

-- Percentiles of each function over all jobs, processes and nodes, as tmtrace has them: the values in
-- a bucket are taken to be spread evenly over it.
CREATE VIEW percentiles AS
	WITH bucket AS (
		SELECT kind, layer, function, lower_ns, upper_ns, sum(count) AS count
		FROM latencies GROUP BY kind, layer, function, lower_ns, upper_ns
	), ranked AS (
		SELECT *,
			sum(count) OVER (PARTITION BY kind, layer, function ORDER BY upper_ns) AS below,
			sum(count) OVER (PARTITION BY kind, layer, function) AS n
		FROM bucket
	), quantile (per_mille) AS (
		VALUES (500), (900), (990), (999)
	), wanted AS (
		SELECT *, (n * per_mille + 999) / 1000 - (below - count) AS rank
		FROM ranked, quantile
	), found AS (
		SELECT kind, layer, function, per_mille, n, f.max_ns,
			max(lower_ns, f.min_ns) AS low, min(upper_ns, f.max_ns) AS high,
			rank, wanted.count
		FROM wanted JOIN functions f USING (kind, layer, function)
		WHERE rank BETWEEN 1 AND wanted.count
	), value AS (
		SELECT *, CASE WHEN high > low THEN low + (high - low) * rank / count ELSE high END AS ns
		FROM found
	)
	SELECT kind, layer, function, n AS count,
		max(ns) FILTER (WHERE per_mille = 500) AS p50_ns,
		max(ns) FILTER (WHERE per_mille = 900) AS p90_ns,
		max(ns) FILTER (WHERE per_mille = 990) AS p99_ns,
		max(ns) FILTER (WHERE per_mille = 999) AS p999_ns,
		max_ns
	FROM value
	GROUP BY kind, layer, function;

-- Timelines, a line per bin.
CREATE VIEW bins AS
	SELECT hostname, t.run, jobid, cgroup, layer, t.start_ns + bin.key * bin_ns AS start_ns, bin_ns,
		bin.value AS count, errors ->> bin.key AS errors, bytes ->> bin.key AS bytes,
		sum_ns ->> bin.key AS sum_ns, p50_ns ->> bin.key AS p50_ns,
		p99_ns ->> bin.key AS p99_ns
	FROM timeline t JOIN run USING (run), json_each(t.count) bin;

-- Processes that ended.
CREATE VIEW processes AS
	SELECT hostname, process.jobid, process.rank, process.pid, process.comm, command, wtime,
		utime, stime, maxmem, posixio_time, posixio_count, vfs_read_bytes, vfs_write_bytes,
		storage_read_bytes, storage_write_bytes, exit_code, signal
	FROM process JOIN run USING (run)
	WHERE process.final AND pid IS NOT NULL;

-- Files and objects of libraries, of all processes and nodes.
CREATE VIEW files AS
	SELECT layer, coalesce(name, id, what) AS name, count(DISTINCT hostname) AS nodes,
		sum(count) AS count, sum(bytes) AS bytes, sum(total_ns) AS total_ns,
		sum(read ->> '$.count') AS reads, sum(read ->> '$.bytes') AS read_bytes,
		sum(write ->> '$.count') AS writes, sum(write ->> '$.bytes') AS write_bytes,
		sum(others) AS others
	FROM object JOIN run USING (run)
	GROUP BY layer, coalesce(name, id, what);

-- Single calls and operations, the slowest first.
CREATE VIEW slowest_calls AS
	SELECT duration_ns, hostname, call.start_ns, jobid, rank, pid, tid, comm, layer, function,
		coalesce(object, device, mount) AS object, bytes, rc, id, parent_id, run
	FROM call JOIN run USING (run)
	ORDER BY duration_ns DESC;
CREATE VIEW slowest_operations AS
	SELECT duration_ns, hostname, launch_ns, jobid, rank, pid, tid, comm, layer, kind, object, bytes,
		rc, fate, phases ->> '$.submit_ns' AS submit_ns, phases ->> '$.late_poll_ns' AS late_poll_ns,
		id, call_id, parent_id, run
	FROM operation JOIN run USING (run)
	ORDER BY duration_ns DESC;

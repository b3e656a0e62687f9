-- Loads the tables that hprof-agg rows has written into DuckDB, with one row for each dump, each stack in a
-- dump, and each stack, and defines views. docs/howto/fleet-sql.md has questions that they answer.
--
--     SET VARIABLE fleet = 'DIR';
--     .read share/fleet/duckdb.sql
--
-- Made by scripts/fleet-sql from the list of columns, schema/rows.tsv.

-- Of a dump that several batches have, all rows are from one batch. A batch that has no file in DIR/dumps was
-- interrupted, and is not read.
CREATE OR REPLACE TABLE dumps AS
SELECT * EXCLUDE (filename), regexp_extract(filename, '([0-9a-f]{16})[.]ndjson', 1) AS batch
FROM read_json(getvariable('fleet') || '/dumps/*.ndjson*', format = 'newline_delimited', filename = true, columns = {
    dump: 'VARCHAR',
    process: 'VARCHAR',
    path: 'VARCHAR',
    archive: 'VARCHAR',
    kind: 'VARCHAR',
    time: 'BIGINT',
    sequence: 'BIGINT',
    final: 'BOOLEAN',
    labels: 'MAP(VARCHAR, VARCHAR)',
    period: 'BIGINT',
    inuse_bytes: 'BIGINT',
    inuse_objects: 'DOUBLE',
    inuse_variance: 'DOUBLE',
    inuse_hidden: 'BIGINT',
    inuse_excess: 'BIGINT',
    inuse_certain: 'BIGINT',
    inuse_samples: 'BIGINT',
    inuse_objects_variance: 'DOUBLE',
    alloc_bytes: 'BIGINT',
    alloc_objects: 'DOUBLE',
    alloc_variance: 'DOUBLE',
    alloc_hidden: 'BIGINT',
    alloc_excess: 'BIGINT',
    alloc_certain: 'BIGINT',
    alloc_samples: 'BIGINT',
    alloc_objects_variance: 'DOUBLE'
})
QUALIFY row_number() OVER (PARTITION BY dump ORDER BY batch) = 1;

CREATE OR REPLACE TABLE rows AS
SELECT r.* EXCLUDE (filename)
FROM read_json(getvariable('fleet') || '/rows/*.ndjson*', format = 'newline_delimited', filename = true, columns = {
    dump: 'VARCHAR',
    stack: 'VARCHAR',
    period: 'BIGINT',
    inuse_bytes: 'BIGINT',
    inuse_objects: 'DOUBLE',
    inuse_variance: 'DOUBLE',
    inuse_hidden: 'BIGINT',
    inuse_excess: 'BIGINT',
    inuse_certain: 'BIGINT',
    inuse_samples: 'BIGINT',
    inuse_objects_variance: 'DOUBLE',
    alloc_bytes: 'BIGINT',
    alloc_objects: 'DOUBLE',
    alloc_variance: 'DOUBLE',
    alloc_hidden: 'BIGINT',
    alloc_excess: 'BIGINT',
    alloc_certain: 'BIGINT',
    alloc_samples: 'BIGINT',
    alloc_objects_variance: 'DOUBLE'
}) AS r
SEMI JOIN dumps AS d ON r.dump = d.dump AND regexp_extract(r.filename, '([0-9a-f]{16})[.]ndjson', 1) = d.batch;

CREATE OR REPLACE TABLE stacks AS
SELECT *
FROM read_json(getvariable('fleet') || '/stacks/*.ndjson*', format = 'newline_delimited', columns = {
    stack: 'VARCHAR',
    names: 'VARCHAR',
    named: 'BIGINT',
    leaf: 'VARCHAR',
    stack_group: 'VARCHAR',
    functions: 'VARCHAR[]',
    modules: 'VARCHAR[]',
    files: 'VARCHAR[]',
    lines: 'BIGINT[]',
    build_ids: 'VARCHAR[]'
})
QUALIFY row_number() OVER (PARTITION BY stack ORDER BY named DESC, names) = 1;

-- Ends of the 95% confidence interval of a sum, from sums of the error columns and the largest period. They follow
-- docs/explanation/statistics.md, with a closed form of the quantile of the gamma distribution (Wilson-Hilferty).
CREATE OR REPLACE MACRO hp_quantile(shape, z) AS shape * power(greatest(1 - 1 / (9 * shape) + z / sqrt(9 * shape), 0), 3);
CREATE OR REPLACE MACRO hp_low(bytes, variance, excess, certain) AS
CASE WHEN bytes - excess <= 0 OR variance <= 0 THEN greatest(bytes - excess, certain, 0)
ELSE greatest(certain, variance / (bytes - excess) * hp_quantile((bytes - excess)::DOUBLE ** 2 / variance, -1.959963985)) END;
CREATE OR REPLACE MACRO hp_high(bytes, variance, hidden, certain, period) AS
CASE WHEN variance <= 0 AND coalesce(period, 0) <= 0 THEN bytes + hidden
ELSE greatest(bytes + hidden, least(certain, bytes + hidden)
    + (variance + period::DOUBLE ** 2) / (bytes + hidden - least(certain, bytes + hidden) + period)
    * hp_quantile((bytes + hidden - least(certain, bytes + hidden) + period)::DOUBLE ** 2 / (variance + period::DOUBLE ** 2),
                  1.959963985)) END;

-- The dump of each process that reports use: the newest, but not that of its exit if there is another one.
CREATE OR REPLACE VIEW latest AS
SELECT * FROM dumps
QUALIFY row_number() OVER (PARTITION BY process ORDER BY final, sequence DESC NULLS LAST, time DESC NULLS LAST, path DESC) = 1;

-- Memory in use by each label and value, and of all dumps (key '').
CREATE OR REPLACE VIEW totals AS
SELECT key, value, count(*) AS dumps, sum(inuse_bytes)::BIGINT AS bytes,
    hp_low(sum(inuse_bytes), sum(inuse_variance), sum(inuse_excess), sum(inuse_certain)) AS low,
    hp_high(sum(inuse_bytes), sum(inuse_variance), sum(inuse_hidden), sum(inuse_certain), max(period)) AS high
FROM (SELECT unnest(list_append(map_entries(labels), {'key': '', 'value': ''}), recursive := true), * EXCLUDE (labels) FROM latest)
GROUP BY key, value;

-- Memory in use by function: `flat` in the function itself, `cum` with all that it calls.
CREATE OR REPLACE VIEW by_stack AS
SELECT stack, count(*) AS dumps, sum(inuse_bytes)::BIGINT AS bytes, sum(inuse_variance) AS variance,
    sum(inuse_hidden)::BIGINT AS hidden, sum(inuse_excess)::BIGINT AS excess, sum(inuse_certain)::BIGINT AS certain,
    max(period) AS period
FROM rows WHERE dump IN (SELECT dump FROM latest) GROUP BY stack;
CREATE OR REPLACE VIEW by_function AS
SELECT function, sum(bytes) FILTER (is_leaf)::BIGINT AS flat,
    hp_low(sum(bytes) FILTER (is_leaf), sum(variance) FILTER (is_leaf), sum(excess) FILTER (is_leaf), sum(certain) FILTER (is_leaf)) AS flat_low,
    hp_high(sum(bytes) FILTER (is_leaf), sum(variance) FILTER (is_leaf), sum(hidden) FILTER (is_leaf), sum(certain) FILTER (is_leaf),
        max(period) FILTER (is_leaf)) AS flat_high,
    sum(bytes)::BIGINT AS cum
FROM (SELECT b.*, f.function, f.function = s.leaf AS is_leaf
      FROM by_stack AS b JOIN stacks AS s USING (stack), unnest(list_distinct(s.functions)) AS f(function))
GROUP BY function;

-- Memory in use of each function in each process. Processes without the function have no row.
CREATE OR REPLACE VIEW per_process AS
SELECT l.process, l.dump, l.labels, s.leaf AS function, sum(r.inuse_bytes)::BIGINT AS bytes, max(r.period) AS period
FROM rows AS r JOIN latest AS l USING (dump) JOIN stacks AS s USING (stack)
GROUP BY l.process, l.dump, l.labels, s.leaf;

-- Processes whose memory in use is far from that of their service: `deviations` are standard deviations, estimated
-- by the median absolute deviation.
CREATE OR REPLACE VIEW outliers AS
WITH typical AS (
    SELECT coalesce(labels['service'], '') AS service, count(*) AS processes, median(inuse_bytes) AS middle,
        1.4826 * mad(inuse_bytes) AS deviation
    FROM latest GROUP BY ALL)
SELECT service, l.path, l.labels, l.inuse_bytes AS bytes, middle, (l.inuse_bytes - middle) / deviation AS deviations
FROM latest AS l JOIN typical ON coalesce(l.labels['service'], '') = service
WHERE processes >= 8 AND deviation > 0 AND abs(l.inuse_bytes - middle) >= 5 * deviation;

-- The two-sided p-value of a t-statistic: Wallace's closed form of z, and the normal tail of Zelen and Severo.
CREATE OR REPLACE MACRO hp_tail(z) AS 2 * exp(-z * z / 2) / sqrt(2 * pi()) * (0.319381530 / (1 + 0.2316419 * z)
    - 0.356563782 / (1 + 0.2316419 * z) ** 2 + 1.781477937 / (1 + 0.2316419 * z) ** 3
    - 1.821255978 / (1 + 0.2316419 * z) ** 4 + 1.330274429 / (1 + 0.2316419 * z) ** 5);
CREATE OR REPLACE MACRO hp_p(t, df) AS
CASE WHEN df > 0 THEN hp_tail(sqrt(df * ln(1 + t * t / df)) * (8 * df + 1) / (8 * df + 3)) END;

-- Functions whose memory in use differs between two values of a label. p is the larger one of Welch's t-test of the
-- bytes of each process and of the pooled t-test of their logarithms; it is null with fewer than 5 processes on a
-- side. q is adjusted for the number of functions (Benjamini-Hochberg).
CREATE OR REPLACE MACRO regressions(label, base, new) AS TABLE
WITH sides AS (
    SELECT dump, labels[label] = new AS is_new FROM latest WHERE labels[label] IN (base, new)),
sizes AS (
    SELECT count(*) FILTER (NOT is_new) AS n0, count(*) FILTER (is_new) AS n1,
        (SELECT max(period) FROM latest)::DOUBLE AS one FROM sides),
held AS (
    SELECT s.leaf AS function, r.dump, any_value(d.is_new) AS is_new, sum(r.inuse_bytes)::DOUBLE AS x
    FROM rows AS r JOIN sides AS d USING (dump) JOIN stacks AS s USING (stack) GROUP BY s.leaf, r.dump),
sums AS (
    SELECT function, any_value(n0) AS n0, any_value(n1) AS n1,
        coalesce(sum(x) FILTER (NOT is_new), 0) / any_value(n0) AS m0, coalesce(sum(x) FILTER (is_new), 0) / any_value(n1) AS m1,
        coalesce(sum(x * x) FILTER (NOT is_new), 0) AS s0, coalesce(sum(x * x) FILTER (is_new), 0) AS s1,
        coalesce(sum(ln(1 + x / one)) FILTER (NOT is_new), 0) / any_value(n0) AS l0,
        coalesce(sum(ln(1 + x / one)) FILTER (is_new), 0) / any_value(n1) AS l1,
        coalesce(sum(ln(1 + x / one) ** 2), 0) AS ll
    FROM held, sizes GROUP BY function),
spreads AS (
    SELECT *, greatest(s0 - n0 * m0 * m0, 0) / (n0 - 1) / n0 AS v0, greatest(s1 - n1 * m1 * m1, 0) / (n1 - 1) / n1 AS v1,
        greatest(ll - n0 * l0 * l0 - n1 * l1 * l1, 0) / (n0 + n1 - 2) * (1 / n0 + 1 / n1) AS vl
    FROM sums WHERE n0 >= 5 AND n1 >= 5),
tested AS (
    SELECT function, m0 AS before, m1 AS after,
        greatest(hp_p((m1 - m0) / sqrt(v0 + v1), (v0 + v1) ** 2 / (v0 * v0 / (n0 - 1) + v1 * v1 / (n1 - 1))),
                 hp_p((l1 - l0) / sqrt(vl), n0 + n1 - 2)) AS p
    FROM spreads WHERE v0 + v1 > 0 AND vl > 0),
ranked AS (
    SELECT *, p * count(*) OVER () / row_number() OVER (ORDER BY p, function) AS step FROM tested)
SELECT function, before, after, p, least(min(step) OVER (ORDER BY p DESC, function DESC ROWS UNBOUNDED PRECEDING), 1) AS q
FROM ranked
UNION ALL
SELECT function, m0, m1, NULL, NULL FROM sums WHERE n0 < 5 OR n1 < 5;

-- Growth of each function since a time, in seconds since 1970: the newest dump of each process against its newest
-- dump before that time.
CREATE OR REPLACE MACRO since(moment) AS TABLE
WITH earlier AS (
    SELECT dump, process FROM dumps WHERE time < moment AND NOT final
    QUALIFY row_number() OVER (PARTITION BY process ORDER BY sequence DESC NULLS LAST, time DESC, path DESC) = 1),
pairs AS (
    SELECT e.dump, -1 AS sign FROM earlier AS e JOIN latest AS l USING (process) WHERE l.dump <> e.dump
    UNION ALL SELECT l.dump, 1 FROM latest AS l JOIN earlier AS e USING (process) WHERE l.dump <> e.dump)
SELECT s.leaf AS function, sum(sign * inuse_bytes)::BIGINT AS growth
FROM rows AS r JOIN pairs USING (dump) JOIN stacks AS s USING (stack) GROUP BY s.leaf;

-- The rows with the names of columns that Parca stores.
CREATE OR REPLACE VIEW parca AS
SELECT 'memory' AS name, 'inuse_space' AS sample_type, 'bytes' AS sample_unit, 'space' AS period_type, 'bytes' AS period_unit,
    d.period, 0 AS duration, d.time * 1000 AS timestamp, d.labels, s.functions AS stacktrace, r.inuse_bytes AS value
FROM rows AS r JOIN dumps AS d USING (dump) JOIN stacks AS s USING (stack) WHERE r.inuse_bytes IS NOT NULL;

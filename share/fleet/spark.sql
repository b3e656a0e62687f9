-- Loads the tables that hprof-agg rows --format=ndjson.gz has written into Spark, with one row for each dump, each
-- stack in a dump, and each stack, and defines views. The names are those of duckdb.sql; Spark has no macros, so
-- that views have the formulas in them, and `regressions` and `since` read variables that are set before:
--
--     spark-sql --hivevar fleet=DIR --hivevar label=version --hivevar base=1.4 --hivevar new=1.5 \
--         --hivevar moment=1700000000 -i share/fleet/spark.sql
--
-- Made by scripts/fleet-sql from the list of columns, schema/rows.tsv.

CREATE OR REPLACE TEMPORARY VIEW dump_files (
    dump STRING,
    process STRING,
    path STRING,
    archive STRING,
    kind STRING,
    time BIGINT,
    sequence BIGINT,
    final BOOLEAN,
    labels MAP<STRING, STRING>,
    period BIGINT,
    inuse_bytes BIGINT,
    inuse_objects DOUBLE,
    inuse_variance DOUBLE,
    inuse_hidden BIGINT,
    inuse_excess BIGINT,
    inuse_certain BIGINT,
    inuse_samples BIGINT,
    inuse_objects_variance DOUBLE,
    alloc_bytes BIGINT,
    alloc_objects DOUBLE,
    alloc_variance DOUBLE,
    alloc_hidden BIGINT,
    alloc_excess BIGINT,
    alloc_certain BIGINT,
    alloc_samples BIGINT,
    alloc_objects_variance DOUBLE
) USING json OPTIONS (path '${fleet}/dumps', pathGlobFilter '*.ndjson*');
CREATE OR REPLACE TEMPORARY VIEW row_files (
    dump STRING,
    stack STRING,
    period BIGINT,
    inuse_bytes BIGINT,
    inuse_objects DOUBLE,
    inuse_variance DOUBLE,
    inuse_hidden BIGINT,
    inuse_excess BIGINT,
    inuse_certain BIGINT,
    inuse_samples BIGINT,
    inuse_objects_variance DOUBLE,
    alloc_bytes BIGINT,
    alloc_objects DOUBLE,
    alloc_variance DOUBLE,
    alloc_hidden BIGINT,
    alloc_excess BIGINT,
    alloc_certain BIGINT,
    alloc_samples BIGINT,
    alloc_objects_variance DOUBLE
) USING json OPTIONS (path '${fleet}/rows', pathGlobFilter '*.ndjson*');
CREATE OR REPLACE TEMPORARY VIEW stack_files (
    stack STRING,
    names STRING,
    named BIGINT,
    leaf STRING,
    stack_group STRING,
    functions ARRAY<STRING>,
    modules ARRAY<STRING>,
    files ARRAY<STRING>,
    lines ARRAY<BIGINT>,
    build_ids ARRAY<STRING>
) USING json OPTIONS (path '${fleet}/stacks', pathGlobFilter '*.ndjson*');

-- Of a dump that several batches have, all rows are from one batch. A batch that has no file in DIR/dumps was
-- interrupted, and is not read.
CREATE OR REPLACE TEMPORARY VIEW all_dumps AS
SELECT *, row_number() OVER (PARTITION BY dump ORDER BY batch) AS copy
FROM (SELECT *, regexp_extract(input_file_name(), '([0-9a-f]{16})[.]ndjson', 1) AS batch FROM dump_files);
CACHE TABLE dumps AS SELECT * FROM all_dumps WHERE copy = 1;
CACHE TABLE rows AS
SELECT r.* FROM (SELECT *, regexp_extract(input_file_name(), '([0-9a-f]{16})[.]ndjson', 1) AS batch FROM row_files) AS r
LEFT SEMI JOIN dumps AS d ON r.dump = d.dump AND r.batch = d.batch;
CACHE TABLE stacks AS
SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY stack ORDER BY named DESC, names) AS copy FROM stack_files)
WHERE copy = 1;

CREATE OR REPLACE TEMPORARY VIEW latest AS
SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY process
        ORDER BY final, sequence DESC NULLS LAST, time DESC NULLS LAST, path DESC) AS place FROM dumps)
WHERE place = 1;

-- Memory in use by each label and value, and of all dumps (key ''), with 95% confidence intervals.
CREATE OR REPLACE TEMPORARY VIEW totals AS
WITH sums AS (
    SELECT key, value, count(*) AS dumps, sum(inuse_bytes) AS bytes, sum(inuse_variance) AS variance,
        sum(inuse_hidden) AS hidden, sum(inuse_excess) AS excess, sum(inuse_certain) AS certain, max(period) AS period
    FROM (SELECT *, explode(map_concat(labels, map('', ''))) AS (key, value) FROM latest) GROUP BY key, value),
shapes AS (
    SELECT *, bytes - excess AS lowest, bytes + hidden AS highest, least(certain, bytes + hidden) AS sure FROM sums)
SELECT key, value, dumps, bytes,
    CASE WHEN lowest <= 0 OR variance <= 0 THEN greatest(lowest, certain, 0)
    ELSE greatest(certain, lowest * power(greatest(1 - variance / (9D * lowest * lowest)
        - 1.959963985D * sqrt(variance / (9D * lowest * lowest)), 0), 3)) END AS low,
    CASE WHEN variance <= 0 AND coalesce(period, 0) <= 0 THEN highest
    ELSE greatest(highest, sure + (highest - sure + period)
        * power(greatest(1 - (variance + 1D * period * period) / (9D * (highest - sure + period) * (highest - sure + period))
            + 1.959963985D * sqrt((variance + 1D * period * period) / (9D * (highest - sure + period) * (highest - sure + period))),
            0), 3)) END AS high
FROM shapes;

CREATE OR REPLACE TEMPORARY VIEW by_stack AS
SELECT stack, count(*) AS dumps, sum(inuse_bytes) AS bytes, sum(inuse_variance) AS variance, sum(inuse_hidden) AS hidden,
    sum(inuse_excess) AS excess, sum(inuse_certain) AS certain, max(period) AS period
FROM rows WHERE dump IN (SELECT dump FROM latest) GROUP BY stack;
CREATE OR REPLACE TEMPORARY VIEW by_function AS
SELECT function, sum(bytes) FILTER (WHERE function = leaf) AS flat, sum(bytes) AS cum
FROM (SELECT b.bytes, s.leaf, explode(array_distinct(s.functions)) AS function FROM by_stack AS b JOIN stacks AS s USING (stack))
GROUP BY function;

CREATE OR REPLACE TEMPORARY VIEW per_process AS
SELECT l.process, l.dump, first(l.labels) AS labels, s.leaf AS function, sum(r.inuse_bytes) AS bytes, max(r.period) AS period
FROM rows AS r JOIN latest AS l ON r.dump = l.dump JOIN stacks AS s ON r.stack = s.stack
GROUP BY l.process, l.dump, s.leaf;

CREATE OR REPLACE TEMPORARY VIEW outliers AS
WITH middles AS (
    SELECT coalesce(labels['service'], '') AS service, count(*) AS processes, median(inuse_bytes) AS middle FROM latest GROUP BY 1),
typical AS (
    SELECT m.service, any_value(m.processes) AS processes, any_value(m.middle) AS middle,
        1.4826D * median(abs(l.inuse_bytes - m.middle)) AS deviation
    FROM latest AS l JOIN middles AS m ON coalesce(l.labels['service'], '') = m.service GROUP BY m.service)
SELECT service, path, labels, inuse_bytes AS bytes, middle, (inuse_bytes - middle) / deviation AS deviations
FROM latest JOIN typical ON coalesce(labels['service'], '') = service
WHERE processes >= 8 AND deviation > 0 AND abs(inuse_bytes - middle) >= 5 * deviation;

-- As regressions() in duckdb.sql.
CREATE OR REPLACE TEMPORARY VIEW regressions AS
WITH sides AS (
    SELECT dump, labels['${label}'] = '${new}' AS is_new FROM latest WHERE labels['${label}'] IN ('${base}', '${new}')),
sizes AS (
    SELECT count_if(NOT is_new) AS n0, count_if(is_new) AS n1, (SELECT CAST(max(period) AS DOUBLE) FROM latest) AS one FROM sides),
held AS (
    SELECT s.leaf AS function, r.dump, any_value(d.is_new) AS is_new, CAST(sum(r.inuse_bytes) AS DOUBLE) AS x
    FROM rows AS r JOIN sides AS d ON r.dump = d.dump JOIN stacks AS s ON r.stack = s.stack GROUP BY s.leaf, r.dump),
sums AS (
    SELECT function, n0, n1, sum(IF(is_new, 0, x)) / n0 AS m0, sum(IF(is_new, x, 0)) / n1 AS m1,
        sum(IF(is_new, 0, x * x)) AS s0, sum(IF(is_new, x * x, 0)) AS s1, sum(IF(is_new, 0, ln(1 + x / one))) / n0 AS l0,
        sum(IF(is_new, ln(1 + x / one), 0)) / n1 AS l1, sum(power(ln(1 + x / one), 2)) AS ll
    FROM held CROSS JOIN sizes GROUP BY function, n0, n1),
spreads AS (
    SELECT *, greatest(s0 - n0 * m0 * m0, 0) / (n0 - 1) / n0 AS v0, greatest(s1 - n1 * m1 * m1, 0) / (n1 - 1) / n1 AS v1,
        greatest(ll - n0 * l0 * l0 - n1 * l1 * l1, 0) / (n0 + n1 - 2) * (1 / n0 + 1 / n1) AS vl
    FROM sums WHERE n0 >= 5 AND n1 >= 5),
statistics AS (
    SELECT function, m0, m1, stack(2, (m1 - m0) / sqrt(v0 + v1), power(v0 + v1, 2) / (v0 * v0 / (n0 - 1) + v1 * v1 / (n1 - 1)),
        (l1 - l0) / sqrt(vl), CAST(n0 + n1 - 2 AS DOUBLE)) AS (t, df)
    FROM spreads WHERE v0 + v1 > 0 AND vl > 0),
scores AS (
    SELECT function, m0, m1, sqrt(df * ln(1 + t * t / df)) * (8 * df + 1) / (8 * df + 3) AS z FROM statistics),
tested AS (
    SELECT function, any_value(m0) AS before, any_value(m1) AS after, max(2 * exp(-z * z / 2) / sqrt(2 * pi())
        * (0.319381530D / (1 + 0.2316419D * z) - 0.356563782D / power(1 + 0.2316419D * z, 2)
        + 1.781477937D / power(1 + 0.2316419D * z, 3) - 1.821255978D / power(1 + 0.2316419D * z, 4)
        + 1.330274429D / power(1 + 0.2316419D * z, 5))) AS p
    FROM scores GROUP BY function),
ranked AS (
    SELECT *, p * count(*) OVER () / row_number() OVER (ORDER BY p, function) AS step FROM tested)
SELECT function, before, after, p, least(min(step) OVER (ORDER BY p DESC, function DESC ROWS UNBOUNDED PRECEDING), 1) AS q
FROM ranked;

-- As since() in duckdb.sql.
CREATE OR REPLACE TEMPORARY VIEW since AS
WITH earlier AS (
    SELECT dump, process FROM (
        SELECT *, row_number() OVER (PARTITION BY process ORDER BY sequence DESC NULLS LAST, time DESC, path DESC) AS place
        FROM dumps WHERE time < CAST('${moment}' AS BIGINT) AND NOT final)
    WHERE place = 1),
pairs AS (
    SELECT e.dump, -1 AS sign FROM earlier AS e JOIN latest AS l USING (process) WHERE l.dump <> e.dump
    UNION ALL SELECT l.dump, 1 FROM latest AS l JOIN earlier AS e USING (process) WHERE l.dump <> e.dump)
SELECT s.leaf AS function, sum(sign * inuse_bytes) AS growth
FROM rows AS r JOIN pairs AS p ON r.dump = p.dump JOIN stacks AS s ON r.stack = s.stack GROUP BY s.leaf;

CREATE OR REPLACE TEMPORARY VIEW parca AS
SELECT 'memory' AS name, 'inuse_space' AS sample_type, 'bytes' AS sample_unit, 'space' AS period_type, 'bytes' AS period_unit,
    d.period, 0 AS duration, d.time * 1000 AS timestamp, d.labels, s.functions AS stacktrace, r.inuse_bytes AS value
FROM rows AS r JOIN dumps AS d ON r.dump = d.dump JOIN stacks AS s ON r.stack = s.stack WHERE r.inuse_bytes IS NOT NULL;

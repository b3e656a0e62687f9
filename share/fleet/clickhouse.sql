-- Loads the tables that hprof-agg rows has written into ClickHouse, with one row for each dump, each stack in a
-- dump, and each stack, and defines views. The names are those of duckdb.sql. The files are looked for in
-- `fleet` below the folder of user files, or below the folder in which clickhouse-local runs:
--
--     clickhouse local --multiquery --path fleet.db < share/fleet/clickhouse.sql
--
-- Made by scripts/fleet-sql from the list of columns, schema/rows.tsv.

-- Of a dump that several batches have, all rows are from one batch. A batch that has no file in fleet/dumps was
-- interrupted, and is not read.
CREATE OR REPLACE TABLE dumps ENGINE = MergeTree ORDER BY dump AS
SELECT *, extract(_file, '([0-9a-f]{16})[.]ndjson') AS batch
FROM file('fleet/dumps/*.ndjson*', 'JSONEachRow', '
    dump String,
    process String,
    path Nullable(String),
    archive Nullable(String),
    kind Nullable(String),
    time Nullable(Int64),
    sequence Nullable(Int64),
    final Bool,
    labels Map(String, String),
    period Nullable(Int64),
    inuse_bytes Nullable(Int64),
    inuse_objects Nullable(Float64),
    inuse_variance Nullable(Float64),
    inuse_hidden Nullable(Int64),
    inuse_excess Nullable(Int64),
    inuse_certain Nullable(Int64),
    inuse_samples Nullable(Int64),
    inuse_objects_variance Nullable(Float64),
    alloc_bytes Nullable(Int64),
    alloc_objects Nullable(Float64),
    alloc_variance Nullable(Float64),
    alloc_hidden Nullable(Int64),
    alloc_excess Nullable(Int64),
    alloc_certain Nullable(Int64),
    alloc_samples Nullable(Int64),
    alloc_objects_variance Nullable(Float64)
') ORDER BY dump, batch LIMIT 1 BY dump SETTINGS input_format_skip_unknown_fields = 1;

CREATE OR REPLACE TABLE rows ENGINE = MergeTree ORDER BY (dump, stack) AS
SELECT * FROM file('fleet/rows/*.ndjson*', 'JSONEachRow', '
    dump String,
    stack String,
    period Nullable(Int64),
    inuse_bytes Nullable(Int64),
    inuse_objects Nullable(Float64),
    inuse_variance Nullable(Float64),
    inuse_hidden Nullable(Int64),
    inuse_excess Nullable(Int64),
    inuse_certain Nullable(Int64),
    inuse_samples Nullable(Int64),
    inuse_objects_variance Nullable(Float64),
    alloc_bytes Nullable(Int64),
    alloc_objects Nullable(Float64),
    alloc_variance Nullable(Float64),
    alloc_hidden Nullable(Int64),
    alloc_excess Nullable(Int64),
    alloc_certain Nullable(Int64),
    alloc_samples Nullable(Int64),
    alloc_objects_variance Nullable(Float64)
') WHERE (dump, extract(_file, '([0-9a-f]{16})[.]ndjson')) IN (SELECT dump, batch FROM dumps)
SETTINGS input_format_skip_unknown_fields = 1;

CREATE OR REPLACE TABLE stacks ENGINE = MergeTree ORDER BY stack AS
SELECT * FROM file('fleet/stacks/*.ndjson*', 'JSONEachRow', '
    stack String,
    names String,
    named Nullable(Int64),
    leaf Nullable(String),
    stack_group Nullable(String),
    functions Array(Nullable(String)),
    modules Array(Nullable(String)),
    files Array(Nullable(String)),
    lines Array(Nullable(Int64)),
    build_ids Array(Nullable(String))
') ORDER BY stack, named DESC, names LIMIT 1 BY stack SETTINGS input_format_skip_unknown_fields = 1;

-- Ends of the 95% confidence interval of a sum, as in duckdb.sql.
CREATE OR REPLACE FUNCTION hp_quantile AS (shape, z) -> shape * pow(greatest(1 - 1 / (9 * shape) + z / sqrt(9 * shape), 0), 3);
CREATE OR REPLACE FUNCTION hp_low AS (bytes, variance, excess, certain) ->
    if(bytes - excess <= 0 OR variance <= 0, toFloat64(greatest(bytes - excess, certain, 0)),
       greatest(toFloat64(certain), variance / (bytes - excess) * hp_quantile(pow(bytes - excess, 2) / variance, -1.959963985)));
CREATE OR REPLACE FUNCTION hp_high AS (bytes, variance, hidden, certain, period) ->
    if(variance <= 0 AND coalesce(period, 0) <= 0, toFloat64(bytes + hidden),
       greatest(toFloat64(bytes + hidden), least(certain, bytes + hidden)
           + (variance + pow(period, 2)) / (bytes + hidden - least(certain, bytes + hidden) + period)
           * hp_quantile(pow(bytes + hidden - least(certain, bytes + hidden) + period, 2) / (variance + pow(period, 2)), 1.959963985)));

CREATE OR REPLACE VIEW latest AS
SELECT * FROM dumps
ORDER BY process, final, sequence DESC NULLS LAST, time DESC NULLS LAST, path DESC LIMIT 1 BY process;

CREATE OR REPLACE VIEW totals AS
SELECT key, value, count() AS dumps, sum(inuse_bytes) AS bytes,
    hp_low(sum(inuse_bytes), sum(inuse_variance), sum(inuse_excess), sum(inuse_certain)) AS low,
    hp_high(sum(inuse_bytes), sum(inuse_variance), sum(inuse_hidden), sum(inuse_certain), max(period)) AS high
FROM latest ARRAY JOIN arrayPushBack(mapKeys(labels), '') AS key, arrayPushBack(mapValues(labels), '') AS value
GROUP BY key, value;

CREATE OR REPLACE VIEW by_stack AS
SELECT stack, count() AS dumps, sum(inuse_bytes) AS bytes, sum(inuse_variance) AS variance, sum(inuse_hidden) AS hidden,
    sum(inuse_excess) AS excess, sum(inuse_certain) AS certain, max(period) AS period
FROM rows WHERE dump IN (SELECT dump FROM latest) GROUP BY stack;
CREATE OR REPLACE VIEW by_function AS
SELECT function, sumIf(bytes, function = leaf) AS flat,
    hp_low(sumIf(bytes, function = leaf), sumIf(variance, function = leaf), sumIf(excess, function = leaf),
           sumIf(certain, function = leaf)) AS flat_low,
    hp_high(sumIf(bytes, function = leaf), sumIf(variance, function = leaf), sumIf(hidden, function = leaf),
            sumIf(certain, function = leaf), maxIf(period, function = leaf)) AS flat_high,
    sum(bytes) AS cum
FROM by_stack AS b JOIN stacks AS s USING (stack) ARRAY JOIN arrayDistinct(functions) AS function
GROUP BY function;

CREATE OR REPLACE VIEW per_process AS
SELECT l.process AS process, l.dump AS dump, l.labels AS labels, s.leaf AS function, sum(r.inuse_bytes) AS bytes, max(r.period) AS period
FROM rows AS r JOIN latest AS l ON r.dump = l.dump JOIN stacks AS s ON r.stack = s.stack
GROUP BY l.process, l.dump, l.labels, s.leaf;

CREATE OR REPLACE VIEW outliers AS
SELECT service, path, labels, inuse_bytes AS bytes, middle, (inuse_bytes - middle) / deviation AS deviations
FROM (
    SELECT *, labels['service'] AS service, quantileExactInclusive(0.5)(inuse_bytes) OVER (PARTITION BY labels['service']) AS middle
    FROM latest) AS l
JOIN (
    SELECT service, count() AS processes, 1.4826 * quantileExactInclusive(0.5)(abs(inuse_bytes - middle)) AS deviation
    FROM (
        SELECT labels['service'] AS service, inuse_bytes,
            quantileExactInclusive(0.5)(inuse_bytes) OVER (PARTITION BY labels['service']) AS middle
        FROM latest)
    GROUP BY service) AS typical USING (service)
WHERE processes >= 8 AND deviation > 0 AND abs(inuse_bytes - middle) >= 5 * deviation;

-- As regressions() in duckdb.sql: SELECT * FROM regressions(label = 'version', base = '1', new = '2').
CREATE OR REPLACE FUNCTION hp_tail AS z -> 2 * exp(-z * z / 2) / sqrt(2 * pi()) * (0.319381530 / (1 + 0.2316419 * z)
    - 0.356563782 / pow(1 + 0.2316419 * z, 2) + 1.781477937 / pow(1 + 0.2316419 * z, 3)
    - 1.821255978 / pow(1 + 0.2316419 * z, 4) + 1.330274429 / pow(1 + 0.2316419 * z, 5));
CREATE OR REPLACE FUNCTION hp_p AS (t, df) -> if(df > 0, hp_tail(sqrt(df * log(1 + t * t / df)) * (8 * df + 1) / (8 * df + 3)), NULL);
CREATE OR REPLACE VIEW regressions AS
WITH sides AS (
    SELECT dump, labels[{label:String}] = {new:String} AS is_new FROM latest
    WHERE labels[{label:String}] IN ({base:String}, {new:String})),
sizes AS (
    SELECT countIf(NOT is_new) AS n0, countIf(is_new) AS n1, assumeNotNull((SELECT toFloat64(max(period)) FROM latest)) AS one FROM sides),
held AS (
    SELECT s.leaf AS function, r.dump AS dump, any(d.is_new) AS is_new, ifNull(toFloat64(sum(r.inuse_bytes)), 0) AS x
    FROM rows AS r JOIN sides AS d ON r.dump = d.dump JOIN stacks AS s ON r.stack = s.stack GROUP BY s.leaf, r.dump),
sums AS (
    SELECT function, n0, n1, sumIf(x, NOT is_new) / n0 AS m0, sumIf(x, is_new) / n1 AS m1,
        sumIf(x * x, NOT is_new) AS s0, sumIf(x * x, is_new) AS s1, sumIf(log(1 + x / one), NOT is_new) / n0 AS l0,
        sumIf(log(1 + x / one), is_new) / n1 AS l1, sum(pow(log(1 + x / one), 2)) AS ll
    FROM held CROSS JOIN sizes GROUP BY function, n0, n1),
spreads AS (
    SELECT *, greatest(s0 - n0 * m0 * m0, 0) / (n0 - 1) / n0 AS v0, greatest(s1 - n1 * m1 * m1, 0) / (n1 - 1) / n1 AS v1,
        greatest(ll - n0 * l0 * l0 - n1 * l1 * l1, 0) / (n0 + n1 - 2) * (1 / n0 + 1 / n1) AS vl
    FROM sums WHERE n0 >= 5 AND n1 >= 5),
tested AS (
    SELECT function, m0 AS before, m1 AS after,
        greatest(hp_p((m1 - m0) / sqrt(v0 + v1), pow(v0 + v1, 2) / (v0 * v0 / (n0 - 1) + v1 * v1 / (n1 - 1))),
                 hp_p((l1 - l0) / sqrt(vl), n0 + n1 - 2)) AS p
    FROM spreads WHERE v0 + v1 > 0 AND vl > 0),
ranked AS (
    SELECT *, p * count() OVER () / row_number() OVER (ORDER BY p, function) AS step FROM tested)
SELECT function, before, after, p, least(min(step) OVER (ORDER BY p DESC, function DESC ROWS UNBOUNDED PRECEDING), 1) AS q
FROM ranked;

-- As since() in duckdb.sql: SELECT * FROM since(moment = 1700000000).
CREATE OR REPLACE VIEW since AS
WITH earlier AS (
    SELECT dump, process FROM dumps WHERE time < {moment:Int64} AND NOT final
    ORDER BY process, sequence DESC NULLS LAST, time DESC, path DESC LIMIT 1 BY process),
pairs AS (
    SELECT e.dump AS dump, -1 AS sign FROM earlier AS e JOIN latest AS l USING (process) WHERE l.dump <> e.dump
    UNION ALL SELECT l.dump AS dump, 1 AS sign FROM latest AS l JOIN earlier AS e USING (process) WHERE l.dump <> e.dump)
SELECT s.leaf AS function, sum(sign * inuse_bytes) AS growth
FROM rows AS r JOIN pairs AS p ON r.dump = p.dump JOIN stacks AS s ON r.stack = s.stack GROUP BY s.leaf;

CREATE OR REPLACE VIEW parca AS
SELECT 'memory' AS name, 'inuse_space' AS sample_type, 'bytes' AS sample_unit, 'space' AS period_type, 'bytes' AS period_unit,
    d.period AS period, 0 AS duration, d.time * 1000 AS timestamp, d.labels AS labels, s.functions AS stacktrace, r.inuse_bytes AS value
FROM rows AS r JOIN dumps AS d ON r.dump = d.dump JOIN stacks AS s ON r.stack = s.stack WHERE r.inuse_bytes IS NOT NULL;

"""Queries to the ClickHouse library, and a heap profile: /tmp/jemalloc_clickhouse.PID.0.heap

usage: JE_MALLOC_CONF=prof:true,prof_active:true,prof_thread_active_init:true python3 clickhouse.py
"""
import tempfile

from chdb import session

with tempfile.TemporaryDirectory() as folder:
    database = session.Session(folder)
    database.query('CREATE TABLE t ENGINE=Memory AS SELECT number AS a, '
                   'toString(number * 7919) AS b, [number, number + 1] AS c FROM numbers(3000)')
    try:
        database.query('SYSTEM JEMALLOC FLUSH PROFILE')
    except Exception as error:  # it writes the file, and then looks for it by another name
        print(error)

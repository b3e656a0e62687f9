"""Merge heap dumps: spark-submit --files hprof-agg hprof_agg_spark.py SHARDS INPUT OUTPUT.hpa [OPTION OF merge...]

INPUT: a file with absolute paths that all executors can read, or what binaryFiles() takes (s3a://..., hdfs://...,
a folder).  Names show which dump of a process is used in the first case, contents in the second.
"""
import io
import itertools
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zlib


class Permanent(Exception):
    """Usage, a dump twice, damage.  A task returns it: what a task raises Spark tries again."""


def binary():
    """The program that --files has shipped to this executor or driver, or the one that is installed."""
    try:
        from pyspark import SparkFiles
        shipped = ['./hprof-agg', SparkFiles.get('hprof-agg')]
    except (ImportError, AssertionError):  # without Spark
        shipped = ['./hprof-agg']
    return next((path for path in shipped if os.access(path, os.X_OK)), 'hprof-agg')


def of_tasks(options):
    """Options of tasks: a share of inputs that may be skipped is judged over all of them, at the end."""
    return [re.sub(r'^(--max-skipped=)[\d.]+%$', r'\g<1>100%', option) for option in options]


def check_paths(source):
    """Refuse relative paths, which executors would look for in folders of their own."""
    with open(source, 'rb') as lines:
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith(b'/'):
                raise ValueError(f'{source}:{number}: {line.strip().decode(errors="replace")} is a relative path')


def merge(feed, *arguments):
    """The aggregate file that one run of the program writes, or a Permanent."""
    with tempfile.TemporaryFile() as given:
        feed(given)  # a failure here is not the program's fault
        given.seek(0)
        done = subprocess.run([binary(), 'merge', '--no-symbols', '-q', '-fhpa', '-o-', *arguments], stdin=given,
                              capture_output=True, check=False)
    failure = f'hprof-agg: status {done.returncode}: {done.stderr.decode("utf-8", "replace")[-2000:]}'
    if done.returncode not in (0, 2, 3, 4, 5):  # 3: some were skipped, as --max-skipped allows
        raise RuntimeError(failure)
    return Permanent(failure) if done.returncode in (2, 4, 5) else done.stdout


def as_tar(members):
    def feed(file):
        with tarfile.open(fileobj=file, mode='w', format=tarfile.PAX_FORMAT) as tar:
            for name, content in members:
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return feed


def map_lists(lists, options=()):
    return [merge(lambda stream, text=text: stream.write(text), '--files-from=-', *options) for text in lists]


def map_files(files, options=()):
    for first in itertools.islice(files, 1):  # of an empty partition nothing
        yield merge(as_tar(itertools.chain([first], files)), '--tar=-', *options)


def join(a, b):
    failed = [part for part in (a, b) if isinstance(part, Permanent)]
    return failed[0] if failed else merge(as_tar([('a.hpa', a), ('b.hpa', b)]), '--tar=-')


def process_of(file):
    """A number that dumps of one process have in common, by jemalloc's names; the same in every Python."""
    return zlib.crc32(re.sub(r'\.\d+\.(f|[imu]\d+)\.heap(\.gz|\.zst)?$', '', file[0]).encode())


def run(context, shards, source, output, options=()):
    tasks = of_tasks(options)
    if os.path.isfile(source):
        check_paths(source)
        with tempfile.TemporaryDirectory() as folder:
            cut = [f'--tasks={shards}', f'--files-from={source}', f'--output={folder}/part.']
            subprocess.run([binary(), 'manifest', *cut], check=True)
            lists = [open(entry.path, 'rb').read() for entry in os.scandir(folder)]
        parts = context.parallelize(lists, len(lists)).mapPartitions(lambda some: map_lists(some, tasks))
    else:  # binaryFiles() itself cuts as it likes
        keyed = context.binaryFiles(source).keyBy(process_of).partitionBy(shards, int)
        parts = keyed.values().mapPartitions(lambda some: map_files(some, tasks))
    merged = parts.treeReduce(join)
    limits = [option for option in options if option.startswith('--max-skipped')]
    if limits and not isinstance(merged, Permanent):
        merged = merge(as_tar([('all.hpa', merged)]), '--tar=-', *limits)
    if isinstance(merged, Permanent):
        raise merged
    with open(output + '.new', 'wb') as file:
        file.write(merged)
    os.replace(output + '.new', output)


if __name__ == '__main__':
    from pyspark import SparkContext
    run(SparkContext(appName='hprof-agg'), int(sys.argv[1]), *sys.argv[2:4], sys.argv[4:])

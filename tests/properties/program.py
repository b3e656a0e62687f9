"""The program that a test runs: its command lines, and what its help says of commands and formats.  The harnesses of
tests/cli and of tests/properties are made of this."""
import functools
import re

from rooted import rooted


def without_next(screen):
    """A screen, as text or bytes, without the suggested command, which names the inputs."""
    pattern, nothing = (rb'^next: .*\n', b'') if isinstance(screen, bytes) else (r'^next: .*\n', '')
    return re.sub(pattern, nothing, screen, flags=re.M)


class Program:
    """A base of harnesses, which say what `help` prints: all of it, or what it prints of a topic, in wide lines."""
    is_rooted = True   # the program looks for binaries in folders of the test only
    is_coded = False   # messages of all runs have codes and values in place of sentences

    def __init__(self, binary):
        self.binary = binary
        self.help = functools.lru_cache(maxsize=None)(self.help)  # many loops ask

    def help(self, *topic):
        raise NotImplementedError

    def command(self, *args, is_rooted=True, is_coded=False):
        """The command line."""
        first = ['--message-codes'] if is_coded or self.is_coded else []
        return [self.binary, *first, *(rooted(args) if is_rooted and self.is_rooted else map(str, args))]

    def entries(self, title, *topic):
        """The entries of a part of the help: {name: description}."""
        part = self.help('--all', *topic).partition(f'\n{title}:\n')[2].partition('\n\n')[0]
        return dict(re.findall(r'^  (\w+)(?: \[\w+\])?  +(.*)$', part, re.M))

    def patterns_of(self, *command):
        """The formats that a command writes, or all: {name: patterns of names of files}."""
        return {name: text.rpartition(': ')[2].split()
                for name, text in self.entries('Formats, and names of files', *command).items()}

    def reports(self):
        """The commands that report on dumps alone: {name: arguments by its usage line}."""
        usages = {name: self.help(name).partition('\n')[0] for name in self.entries('Commands')}
        return {name: usage.partition('[OPTIONS] ')[2] for name, usage in usages.items()
                if '[OPTIONS]' in usage and 'STATS' not in usage}

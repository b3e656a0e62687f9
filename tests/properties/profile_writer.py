"""A writer of pprof profiles in every form that the format allows, sensible or not."""
import random


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def message(field, *parts):
    content = b''.join(part if isinstance(part, bytes) else part.encode() for part in parts)
    return varint(field << 3 | 2) + varint(len(content)) + content


class Profile:
    """Build one from names: samples are (stack of locations, values, labels)."""

    TYPES = (('inuse_objects', 'count'), ('inuse_space', 'bytes'))

    def __init__(self, types=TYPES, period=524288, packed=True):
        self.texts, self.packed, self.parts = [''], packed, []
        self.number_of = {'': 0}  # each text
        self.head = [message(1, number(1, self.text(kind)), number(2, self.text(unit)))
                     for kind, unit in types]
        self.head.append(message(11, number(1, self.text('space')),
                                 number(2, self.text('bytes'))))
        self.head.append(number(12, period))
        self.ids = 0

    def text(self, text):
        if text not in self.number_of:
            self.number_of[text] = len(self.texts)
            self.texts.append(text)
        return self.number_of[text]

    def new_id(self):
        self.ids += 1
        return self.ids

    def mapping(self, path, start, limit, offset=0, build_id=''):
        i = self.new_id()
        self.parts.append(message(
            3, number(1, i), number(2, start), number(3, limit), number(4, offset),
            number(5, self.text(path)), number(6, self.text(build_id))))
        return i

    def location(self, address=0, mapping=0, calls=()):
        """`calls`: (function, file, line) and perhaps its system name, innermost first."""
        lines = []
        for name, file, line, *system_name in calls:
            function = self.new_id()
            self.parts.append(message(5, number(1, function), number(2, self.text(name)),
                                      *(number(3, self.text(text)) for text in system_name),
                                      number(4, self.text(file))))
            lines.append(message(4, number(1, function), number(2, line)))
        i = self.new_id()
        self.parts.append(message(4, number(1, i), number(2, mapping), number(3, address),
                                  *lines))
        return i

    def numbers(self, field, values):
        if self.packed:
            return message(field, *map(varint, values))
        return b''.join(number(field, value) for value in values)

    def label(self, key, value):
        """A text, a number, or (number, unit)."""
        if isinstance(value, str):
            return message(3, number(1, self.text(key)), number(2, self.text(value)))
        value, unit = value if isinstance(value, tuple) else (value, '')
        return message(3, number(1, self.text(key)), number(3, value),
                       number(4, self.text(unit)))

    def sample(self, locations, values, size=0, labels=()):
        """`labels`: (key, value)."""
        labels = [*labels, ('bytes', size)] if size else labels
        self.parts.append(message(2, self.numbers(1, locations), self.numbers(2, values),
                                  *(self.label(*label) for label in labels)))

    def bytes(self, seed=None):
        parts = list(self.parts)
        if seed is not None:
            random.Random(seed).shuffle(parts)
        return b''.join(self.head + parts + [message(6, text) for text in self.texts])

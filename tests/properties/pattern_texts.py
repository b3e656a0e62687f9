"""Texts that a regular expression matches, by chance."""
import re
import warnings

with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    import sre_constants as c
    import sre_parse


def text_of(parts, r):
    return ''.join(PARTS[kind](value, r) for kind, value in parts)


def one_of(items, r):
    """A character of the first kind in a bracket expression, or, if it is negated, a letter that is not in it."""
    if items[0][0] is c.NEGATE:
        return 'q'
    kind, value = r.choice(items)
    return chr(value if kind is c.LITERAL else r.randint(*value))


def repeated(value, r):
    least, most, parts = value
    return ''.join(text_of(parts, r) for _ in range(r.randint(least, min(most, least + 2))))


PARTS = {
    c.LITERAL: lambda value, r: chr(value),
    c.NOT_LITERAL: lambda value, r: 'q',
    c.ANY: lambda value, r: 'q',
    c.IN: one_of,
    c.AT: lambda value, r: '',
    c.ASSERT_NOT: lambda value, r: '',
    c.BRANCH: lambda value, r: text_of(r.choice(value[1]), r),
    c.SUBPATTERN: lambda value, r: text_of(value[3], r),
    c.MAX_REPEAT: repeated,
}


def texts(pattern, count, r):
    parts = sre_parse.parse(pattern)
    found = {text_of(parts, r) for _ in range(count)}
    return sorted(text for text in found if text and re.search(pattern, text))

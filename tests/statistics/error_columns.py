"""Reads the errors that `--format=pprof --with-error` adds to the estimates."""
from profile_reader import fields


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def pprof_samples(profile):
    """(address of the leaf, {sample type: value}) of each sample."""
    message = list(fields(profile))
    strings = [value.decode() for number, value in message if number == 6]
    types = [strings[dict(fields(value))[1]] for number, value in message if number == 1]
    locations = [dict(fields(value)) for number, value in message if number == 4]
    addresses = {location[1]: location.get(3) for location in locations}
    for sample in (dict(fields(value)) for number, value in message if number == 2):
        leaf = next(varints(sample.get(1, b'')), None)
        yield addresses.get(leaf), dict(zip(types, varints(sample[2])))


def errors_in(values, metric):
    """{name: bytes} of a sample: `estimate`, `variance` (bytes^2) and any further columns."""
    prefix = f'{metric}_space'
    found = {name[len(prefix) + 1:] or 'estimate': value for name, value in values.items()
             if name.startswith(prefix)}
    found['variance'] = found.get('variance', 0) << 20  # from KiB^2
    return {'estimate': 0, 'certain': 0, 'hidden': 0, **found}

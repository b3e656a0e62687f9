// What is looked at, as a value: it stands in the address, so that a view can be shared and the browser's
// "back" undoes.  An address may be anyone's: what it says is held to what there is.
//
//     {metric, view, sort, name, zoom, from, to, search, only: [...], without: [...]}
//
// metric: its number; name: of the function screen, or -1; zoom: a node of the tree of this view; from, to: dumps
// of one process of a series.
const MOST_FILTERS = 20;
const SORTS = [...HELD, 'name'];

// The oldest give way.
function withFilter(filters, one) { return [...new Set([...filters, one])].slice(-MOST_FILTERS); }

function numberIn(text, count, otherwise) {
  return /^\d{1,9}$/.test(text || '') && Number(text) < count ? Number(text) : otherwise;
}

// The whole of a process, but where an address has one of its dumps or two.
function dumpsIn(series, from, to) {
  if (!series) {
    return { from: 0, to: 0 };
  }
  const { processes, process, dumps: { name: { length } } } = series, { first, count } = processes[process];
  const [start, end] = [numberIn(from, length, first), numberIn(to, length, first + count - 1)];
  const has = (one) => one.first <= start && start < end && end < one.first + one.count;
  return processes.some(has) ? { from: start, to: end } : { from: first, to: first + count - 1 };
}

function stateOfFragment(model, fragment) {
  const given = new URLSearchParams(fragment.slice(1, 30000));
  const list = (key) => [...new Set(given.getAll(key))].filter((one) => one && one.length <= PATTERN_LENGTH)
    .slice(0, MOST_FILTERS);
  const among = (key, all, otherwise) => (all.includes(given.get(key)) ? given.get(key) : otherwise);
  const metrics = model.metrics.map(({ name }) => name);
  return {
    metric: metrics.indexOf(among('metric', metrics, metrics[model.metric])),
    view: among('frames', Object.keys(model.views), model.view),
    sort: among('sort', SORTS, model.sort),
    name: numberIn(given.get('function'), model.nameCount, -1),
    zoom: numberIn(given.get('zoom'), 2 ** 30, 0),
    ...dumpsIn(model.series, given.get('from'), given.get('to')),
    search: (given.get('search') || '').slice(0, PATTERN_LENGTH),
    only: list('only'),
    without: list('without'),
  };
}

function fragmentOfState(model, state) {
  const out = new URLSearchParams(), first = stateOfFragment(model, '');
  const names = { view: 'frames', name: 'function' };
  for (const [key, value] of Object.entries(state)) {
    if (Array.isArray(value)) {
      value.forEach((filter) => out.append(key, filter));
    } else if (value !== first[key]) {
      out.append(names[key] || key, key === 'metric' ? model.metrics[value].name : value);
    }
  }
  return String(out);
}

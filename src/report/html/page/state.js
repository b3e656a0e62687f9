// What is looked at, as a value: it stands in the address, so that a view can be shared and the browser's
// "back" undoes.  An address may be anyone's: what it says is held to what there is.
//
//     {metric, view, sort, name, zoom, from, to, search, only: [...], without: [...]}
//
// metric: its number; name: of the function screen, or -1; zoom: a node of the tree of this view; from, to: dumps
// of one process of a series.
const MOST_FILTERS = 20;
const SORTS = ['flat', 'cum', 'name'];

function numberIn(text, count, otherwise) {
  return /^\d{1,9}$/.test(text || '') && Number(text) < count ? Number(text) : otherwise;
}

// The whole of a process, but where an address has two of its dumps.
function dumpsIn(series, from, to) {
  if (!series) {
    return { from: 0, to: 0 };
  }
  const { processes, process, dumps } = series, [first, last] = [from, to].map((text) => numberIn(text, dumps.name.length, -1));
  const has = (one) => first >= one.first && first < last && last < one.first + one.count;
  const { first: start, count } = processes[process];
  return processes.some(has) ? { from: first, to: last } : { from: start, to: start + count - 1 };
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
  const keys = { metric: model.metrics[state.metric].name, view: state.view, sort: state.sort, name: state.name,
    zoom: state.zoom, search: state.search };
  if (state.from !== first.from || state.to !== first.to) {
    Object.assign(keys, { from: state.from, to: state.to });
    delete first.from;
    delete first.to;
  }
  for (const [key, value] of Object.entries(keys)) {
    if (state[key] !== first[key]) {
      out.append({ view: 'frames', name: 'function' }[key] || key, value);
    }
  }
  state.only.forEach((pattern) => out.append('only', pattern));
  state.without.forEach((pattern) => out.append('without', pattern));
  return String(out);
}

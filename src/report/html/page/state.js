// What is looked at, as a value: it stands in the address, so that a view can be shared and the browser's
// "back" undoes.  An address may be anyone's: what it says is held to what there is.
//
//     {metric, view, sort, name, zoom, search, only: [...], without: [...]}
//
// metric: its number; name: of the function screen, or -1; zoom: a node of the tree of this view.
const MOST_FILTERS = 20;
const SORTS = ['flat', 'cum', 'name'];

function numberIn(text, count, otherwise) {
  return /^\d{1,9}$/.test(text || '') && Number(text) < count ? Number(text) : otherwise;
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
    search: (given.get('search') || '').slice(0, PATTERN_LENGTH),
    only: list('only'),
    without: list('without'),
  };
}

function fragmentOfState(model, state) {
  const out = new URLSearchParams(), first = stateOfFragment(model, '');
  const keys = { metric: model.metrics[state.metric].name, view: state.view, sort: state.sort, name: state.name,
    zoom: state.zoom, search: state.search };
  for (const [key, value] of Object.entries(keys)) {
    if (state[key] !== first[key]) {
      out.append({ view: 'frames', name: 'function' }[key] || key, value);
    }
  }
  state.only.forEach((pattern) => out.append('only', pattern));
  state.without.forEach((pattern) => out.append('without', pattern));
  return String(out);
}

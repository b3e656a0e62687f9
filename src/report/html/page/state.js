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
  let given;
  try {
    given = new URLSearchParams(fragment.replace(/^#/, '').slice(0, 30000));
  } catch {
    given = new URLSearchParams();
  }
  const text = (key) => (given.get(key) || '').slice(0, PATTERN_LENGTH);
  const list = (key) => [...new Set(given.getAll(key))].filter((one) => one && one.length <= PATTERN_LENGTH)
    .slice(0, MOST_FILTERS);
  const among = (key, all, otherwise) => (all.includes(given.get(key)) ? given.get(key) : otherwise);
  const metric = model.metrics.findIndex((one) => one.name === given.get('metric'));
  return {
    metric: metric < 0 ? model.metric : metric,
    view: among('frames', Object.keys(model.views), model.view),
    sort: among('sort', SORTS, model.sort),
    name: numberIn(given.get('function'), model.nameCount, -1),
    zoom: numberIn(given.get('zoom'), 2 ** 30, 0),
    search: text('search'),
    only: list('only'),
    without: list('without'),
  };
}

function fragmentOfState(model, state) {
  const out = new URLSearchParams(), first = stateOfFragment(model, '');
  const put = (key, value, is) => { if (is) { out.append(key, value); } };
  put('metric', model.metrics[state.metric].name, state.metric !== first.metric);
  put('frames', state.view, state.view !== first.view);
  put('sort', state.sort, state.sort !== first.sort);
  put('function', state.name, state.name >= 0);
  put('zoom', state.zoom, state.zoom > 0);
  put('search', state.search, state.search);
  state.only.forEach((pattern) => put('only', pattern, true));
  state.without.forEach((pattern) => put('without', pattern, true));
  return out.toString();
}

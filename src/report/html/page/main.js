// Begins when the document is there: reads the data, takes over what is shown, and follows the address.
const ALL_FUNCTIONS = { name: -1, zoom: 0 };

class App {
  constructor(model) {
    this.model = model;
    this.explorer = new Explorer(model);
    this.sentence = byId('sentence').textContent;
    this.live = byId('live');
    this.state = stateOfFragment(model, location.hash);
    this.tools = new Tools(this);
    this.facets = new FacetLists(this);
    this.table = new (model.series ? GrowthTable : model.comparison ? ChangeTable : FunctionTable)(this);
    this.screen = new FunctionScreen(this);
    this.series = model.series && new SeriesPicture(this);
    this.flames = new FlameGraph(this);
    this.calls = new CallGrid(this);
    addEventListener('hashchange', () => this.become(stateOfFragment(model, location.hash)));
    addEventListener('keydown', (event) => this.onKey(event));
    addEventListener('resize', () => this.redraw());
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print']) {
      matchMedia(query).addEventListener('change', () => this.redraw());
    }
    this.become(this.state);
    // What takes longest of a switch of the fold, while nobody waits for it.
    Object.keys(model.views).forEach((view) => setTimeout(() => this.explorer.tree({ view, name: -1 })));
  }

  say(text) { this.live.textContent = text; }

  redraw() {
    cancelAnimationFrame(this.drawing);
    this.drawing = requestAnimationFrame(() => {
      this.flames.draw();
      this.series?.draw();
    });
  }

  // Change the state, as a step of the browser's history or in place of the last.
  go(change, replaces) {
    const state = { ...this.state, ...change }, fragment = fragmentOfState(this.model, state);
    if (fragment !== fragmentOfState(this.model, this.state)) {
      history[replaces ? 'replaceState' : 'pushState'](null, '', `#${fragment}`);
      this.become(state, `${Object.keys(change)}` === 'zoom');
    }
  }

  // Coming closer changes calls alone.
  become(state, isZoom) {
    const last = this.state, had = document.activeElement, isFunction = state.name >= 0;
    this.state = state;
    this.lastKey = '';
    // They ask for their sizes: before anything else is changed, which would have to be laid out for that.
    this.flames.show();
    this.calls.show();
    if (!isZoom) {
      this.showHead();
      this.tools.show();
      this.facets.show();
      byId('facts').hidden = byId('rows').hidden = isFunction;
      this.screen.section.hidden = !isFunction;
      (isFunction ? this.screen : this.table).show();
      this.series?.show();
    }
    this.keepFocus(last, had);
  }

  // What the file says of the command makes room for what is looked at.
  showHead() {
    const { explorer, model, state } = this, { name, kind } = model.metrics[state.metric];
    const isSaid = explorer.comparison ? explorer.comparison.isTold(state) : isAsked(model, state);
    byId('charges').hidden = !isSaid;
    byId('sentence').textContent = isSaid ? this.sentence : `${safeText(name)}: ${amountText(explorer.total(state), kind)}`;
  }

  // Where what one asked for begins, or where one was.
  keepFocus(last, had) {
    const { name } = this.state, isElsewhere = name !== last.name && had !== this.tools.search;
    if (name >= 0 && (isElsewhere || !had.isConnected)) {
      byId('function-title').focus();
    } else if (isElsewhere) {
      this.table.focusRow(this.table.rows.indexOf(last.name));
    } else if (!had.isConnected) {
      (this.flames.way.querySelector('button') || this.tools.search).focus({ preventScroll: true });
    }
  }

  open(name) { this.go({ name, zoom: 0 }); }

  openFirst() {
    this.go(ALL_FUNCTIONS);
    if (this.table.rows.length > 0) {
      this.tools.search.blur();
      this.open(this.table.rows[0]);
    }
  }

  // The first row, or the first caller.
  focusFirst() {
    document.querySelector(this.state.name < 0 ? '#table tbody button' : '.neighbors tbody button')?.focus();
  }

  onKey(event) {
    const { key, target } = event;
    if (isModified(event) || event.defaultPrevented || target.matches('input, select')) {
      return;
    }
    if (key === '/') {
      event.preventDefault();
      this.tools.search.select();
    } else if (key === 'ArrowDown' && !target.closest('button, canvas')) {
      event.preventDefault();
      this.focusFirst();
    } else if (key === 'Escape') {
      this.go(this.state.name < 0 ? { search: '' } : ALL_FUNCTIONS);
    }
  }
}

async function begin() {
  const { dataset } = document.documentElement;
  try {
    new App(decodeModel(await readBlock(byId('data'))));
    dataset.ready = 'yes';
  } catch (error) {
    byId('tools').textContent = `Cannot start: ${error.message}`;
    dataset.ready = 'no';
    throw error;
  }
}

if (typeof document !== 'undefined') {
  document.addEventListener('DOMContentLoaded', begin);
}

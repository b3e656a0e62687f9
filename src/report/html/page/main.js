// Begins when the document is there: reads the data, takes over what is shown, and follows the address.
class App {
  constructor(model) {
    this.model = model;
    this.explorer = new Explorer(model);
    this.live = make('p', { id: 'live', class: 'quiet', 'aria-live': 'polite' });
    byId('main').append(this.live);
    this.state = stateOfFragment(model, location.hash);
    this.tools = new Tools(this);
    this.table = new FunctionTable(this);
    this.screen = new FunctionScreen(this);
    this.flames = new FlameGraph(this);
    byId('calls').hidden = true;
    addEventListener('hashchange', () => this.follow());
    addEventListener('keydown', (event) => this.onKey(event));
    addEventListener('resize', () => this.redraw());
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print']) {
      matchMedia(query).addEventListener('change', () => this.redraw());
    }
    this.show();
  }

  say(text) { this.live.textContent = text; }

  redraw() {
    cancelAnimationFrame(this.drawing);
    this.drawing = requestAnimationFrame(() => this.flames.draw());
  }

  // Change the state, as a step of the browser's history or in place of the last.
  go(change, replaces) {
    const last = this.state;
    this.state = { ...last, ...change };
    const fragment = fragmentOfState(this.model, this.state);
    if (fragment === fragmentOfState(this.model, last)) {
      return;
    }
    history[replaces ? 'replaceState' : 'pushState'](null, '', `#${fragment}`);
    this.show(last);
  }

  // The address has changed: by "back", or by hand.
  follow() {
    const last = this.state;
    this.state = stateOfFragment(this.model, location.hash);
    this.show(last);
  }

  show(last = this.state) {
    const { state } = this, isFunction = state.name >= 0, had = document.activeElement;
    this.tools.show(state);
    byId('rows').hidden = isFunction;
    if (isFunction) {
      this.screen.show(state);
    } else {
      this.screen.section.hidden = true;
      this.table.show(state);
    }
    this.flames.show(state);
    this.keepFocus(last, had);
  }

  // Where one was, or where what one asked for begins.
  keepFocus(last, had) {
    const { state } = this;
    if (state.name !== last.name && had !== this.tools.search) {
      if (state.name >= 0) {
        this.screen.focus();
        scrollTo(0, 0);
      } else {
        this.table.focusName(last.name);
      }
    } else if (had && had !== document.body && !had.isConnected) {
      const same = had.dataset && had.dataset.node && this.flames.way.querySelector('button');
      (same || (state.name >= 0 ? byId('function-title') : this.table.body.querySelector('button')) ||
        this.tools.search).focus({ preventScroll: true });
    }
  }

  open(name) {
    this.tools.isTyping = false;
    this.go({ name, zoom: 0 });
    this.say(`${cutText(shortName(this.model, name), 200)}: who calls it, and what it calls`);
  }

  openFirst() {
    if (this.state.name >= 0) {
      this.go({ name: -1, zoom: 0 });
    }
    if (this.table.rows && this.table.rows.length > 0) {
      this.tools.search.blur();
      this.open(this.table.rows[0]);
    }
  }

  focusFirst() {
    if (this.state.name < 0) {
      this.table.focusRow(0);
    } else {
      const first = this.screen.section.querySelector('.neighbors tbody button');
      (first || byId('function-title')).focus();
    }
  }

  onKey(event) {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) {
      return;
    }
    if (event.key === '/' && !isTyping) {
      event.preventDefault();
      this.tools.search.focus();
      this.tools.search.select();
    } else if (event.key === 'ArrowDown' && document.activeElement === document.body) {
      event.preventDefault();
      this.focusFirst();
    } else if (event.key === 'Escape' && !isTyping && this.state.name >= 0) {
      this.go({ name: -1, zoom: 0 });
    }
  }
}

async function begin() {
  const block = byId('data');
  try {
    const app = new App(decodeModel(await readBlock(block)));
    document.documentElement.dataset.ready = 'yes';
    return app;
  } catch (error) {
    byId('tools').replaceChildren(make('p', { role: 'alert' },
      `The interactive part of this report could not be started (${error.message}). The numbers below are complete as far as they go.`));
    document.documentElement.dataset.ready = 'no';
    throw error;
  }
}

if (typeof document !== 'undefined') {
  document.addEventListener('DOMContentLoaded', begin);
}

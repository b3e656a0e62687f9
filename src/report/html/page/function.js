// The screen of one function: who calls it above, what it calls below, over all stacks.
const NEIGHBORS_SHOWN = 12;

class FunctionScreen {
  constructor(app) {
    this.app = app;
    this.section = make('section', { id: 'function', 'aria-labelledby': 'function-title', hidden: true });
    byId('rows').before(this.section);
    this.section.addEventListener('keydown', (event) => this.onKey(event));
  }

  show(state) {
    const { explorer, model } = this.app, kind = explorer.kind(state);
    const { callers, callees } = explorer.neighbors(state), row = explorer.row(state, state.name, false);
    const title = make('h2', { id: 'function-title', tabindex: -1 }, cutText(shortName(model, state.name), 2000));
    const full = cutText(fullName(model, state.name), 10000);
    this.whole = row.cum.value;
    this.section.replaceChildren(
      make('button', { type: 'button', class: 'back', onclick: () => this.app.go({ name: -1, zoom: 0 }) },
        '\u2190 All functions'), title, ...(full === title.textContent ? [] : [make('p', { class: 'full' }, full)]),
      this.makeFacts(state, row), this.makePlaces(state),
      this.makeList(state, ['callers', 'Called by'], callers, 'Nothing calls it: it is a root.'),
      this.makeOwn(state, row, kind),
      this.makeList(state, ['callees', 'Calls'], callees, 'It calls nothing that holds memory.'));
    this.section.hidden = false;
  }

  // --- what it is ---

  makeFacts(state, row) {
    const { explorer, model } = this.app, kind = explorer.kind(state), total = explorer.total(state).value;
    const facts = [];
    const put = (what, key, { value, interval }, more) => facts.push(make('dt', {}, what),
      make('dd', { 'data-key': key }, make('b', {}, value), ` ${interval} ${more || ''}`));
    put('by itself', 'flat', estimateText(row.flat, kind), shareText(row.flat.value, total));
    put('with all it calls', 'cum', estimateText(row.cum, kind), shareText(row.cum.value, total));
    this.addObjects(state, put);
    if (row.cum.samples > 0) {
      facts.push(make('dt', {}, 'stands on'), make('dd', {}, row.cum.isOnce ? 'one sampled object'
        : `${row.cum.samples < 100 ? row.cum.samples.toFixed(1) : grouped(row.cum.samples)} effective samples` +
          (row.cum.isFew ? ', which is few' : '')));
    }
    facts.push(make('dt', {}, 'class'), make('dd', {}, className(model, state.name) || '\u2013'));
    return make('dl', { class: 'facts' }, ...facts);
  }

  addObjects(state, put) {
    const { explorer } = this.app;
    const bytes = explorer.sibling(state, 'bytes'), objects = explorer.sibling(state, 'objects');
    if (bytes < 0 || objects < 0) {
      return;
    }
    const other = explorer.kind(state) === 'bytes' ? objects : bytes;
    const row = explorer.row({ ...state, metric: other }, state.name, false);
    put(other === objects ? 'objects' : 'bytes', 'other', estimateText(row.cum, explorer.kind({ ...state, metric: other })));
    const size = explorer.row({ ...state, metric: bytes }, state.name, false).cum.value /
      explorer.row({ ...state, metric: objects }, state.name, false).cum.value;
    if (size > 0 && size < Infinity) {
      put('mean size', 'size', { value: bytesText(size), interval: '' });
    }
  }

  makePlaces(state) {
    const { explorer, model } = this.app, { frames, strings } = model, kind = explorer.kind(state);
    const items = explorer.places(state).slice(0, 10).map(({ frame, value }) => {
      const file = strings[frames.file[frame]], line = frames.line[frame];
      const place = [file ? cutText(file, 2000) + (line > 0 ? `:${line}` : '') : '',
        frames.module[frame] ? `in ${cutText(strings[frames.module[frame]], 2000)}` : '',
        frames.inlined[frame] ? '(inlined)' : ''].filter(Boolean).join(' ');
      return make('li', {}, make('span', { class: 'value' }, valueText(value, kind)), ` ${place || 'no place known'}`);
    });
    return make('ul', { class: 'places', 'aria-label': 'Places' }, ...items);
  }

  // --- callers and callees ---

  makeList(state, [id, title], all, otherwise) {
    const body = make('tbody', {});
    const section = make('div', { class: 'neighbors' }, make('h3', { id: `${id}-title` }, title),
      all.length === 0 ? make('p', {}, otherwise)
        : make('table', { id, 'aria-labelledby': `${id}-title` }, this.makeHead(), body));
    const fill = (count) => body.replaceChildren(...all.slice(0, count).map((one) => this.makeRow(state, one)));
    fill(NEIGHBORS_SHOWN);
    if (all.length > NEIGHBORS_SHOWN) {
      const more = make('button', {
        type: 'button',
        onclick: () => {
          fill(Infinity);
          more.remove();
          body.rows[NEIGHBORS_SHOWN].querySelector('button').focus();
        },
      }, `Show all ${grouped(all.length)}`);
      section.append(more);
    }
    return section;
  }

  makeHead() {
    return make('thead', {}, make('tr', {}, ...['function', 'value',
      `${+(100 * this.app.model.confidence).toPrecision(12)}% interval`, 'share']
      .map((text) => make('th', { scope: 'col' }, text))));
  }

  makeRow(state, one) {
    const { explorer, model } = this.app, { name } = one, estimate = explorer.neighbor(state, one);
    const text = estimateText(estimate, explorer.kind(state)), button = nameButton(model, name, false);
    button.addEventListener('click', () => this.app.open(name));
    const tr = make('tr', { 'data-name': name, 'data-class': className(model, name) },
      make('th', { scope: 'row' }, button), make('td', { 'data-key': 'value' }, text.value),
      make('td', { 'data-key': 'interval' }, text.interval),
      make('td', { 'data-key': 'share' }, shareText(estimate.value, this.whole)));
    tr.style.setProperty('--flat', this.whole > 0 ? estimate.value / this.whole : 0);
    return tr;
  }

  // What it holds itself, and the folded frames through which it does, opened in place.
  makeOwn(state, row, kind) {
    const root = this.app.explorer.folded(state), text = estimateText(row.flat, kind);
    const head = [make('b', {}, 'by itself '), `${text.value} ${text.interval}`];
    return make('div', { class: 'own' }, root.below.size > 0
      ? make('details', {}, make('summary', {}, ...head, ' through folded frames'), this.makeFolded(root, kind, 0))
      : make('p', {}, ...head));
  }

  makeFolded(at, kind, depth) {
    const { model } = this.app;
    const below = [...at.below.values()].sort((a, b) => b.value - a.value || a.name - b.name);
    const items = below.slice(0, 20).map((one) => {
      const button = nameButton(model, one.name, false);
      button.addEventListener('click', () => this.app.open(one.name));
      return make('li', {}, make('span', { class: 'value' }, valueText(one.value, kind)), ' ', button,
        ` ${className(model, one.name)}`, depth < 40 && one.below.size > 0 ? this.makeFolded(one, kind, depth + 1) : null);
    });
    return make('ul', {}, ...items);
  }

  focus() { byId('function-title').focus({ preventScroll: false }); }

  // Arrows go through callers and callees.
  onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const buttons = [...this.section.querySelectorAll('.neighbors tbody button')];
      const at = buttons.indexOf(document.activeElement);
      const to = buttons[at < 0 ? (step > 0 ? 0 : buttons.length - 1) : at + step];
      if (to) {
        event.preventDefault();
        to.focus();
      }
    }
  }
}

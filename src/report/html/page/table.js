// The table of functions: it begins as the one that is in the file, and takes its place.
const ROWS_MORE = 200;

class FunctionTable {
  constructor(app) {
    this.app = app;
    this.table = byId('table');
    this.body = this.table.tBodies[0];
    this.shown = this.least = Math.max(this.body.rows.length, 20);
    this.keys = [...this.table.tHead.rows[0].cells].map((cell) => cell.dataset.key);
    this.rest = byId('rest') || this.table.parentNode.appendChild(make('p', { id: 'rest' }));
    this.body.addEventListener('keydown', (event) => this.onKey(event));
    this.body.addEventListener('click', (event) => this.onClick(event));
    this.makeHead();
  }

  // Headings that sort are buttons.
  makeHead() {
    for (const cell of this.table.tHead.rows[0].cells) {
      const sort = { name: 'name', flat: 'flat', cum: 'cum' }[cell.dataset.key];
      if (sort) {
        const button = make('button', { type: 'button', onclick: () => this.app.go({ sort }) },
          cell.textContent);
        cell.replaceChildren(button);
        cell.dataset.sort = sort;
      }
    }
  }

  show(state) {
    const { explorer } = this.app, { model } = explorer;
    const all = explorer.rows(state);
    const names = state.search ? explorer.search.search(state.search).names : null;
    this.rows = names ? all.filter((name) => names[name]) : all;
    this.total = explorer.total(state);
    for (const cell of this.table.tHead.rows[0].cells) {
      if (cell.dataset.sort) {
        cell.setAttribute('aria-sort', cell.dataset.sort === state.sort
          ? (state.sort === 'name' ? 'ascending' : 'descending') : 'none');
      }
    }
    const hasObjects = model.metrics[state.metric].kind === 'bytes' && explorer.sibling(state, 'objects') >= 0;
    this.objects = hasObjects ? explorer.of(state).flats('objects') : null;
    this.fill(state);
    this.showRest(state, all.length);
  }

  fill(state) {
    const rows = this.rows.slice(0, this.shown).map((name, i) => this.makeRow(state, name, i));
    this.body.replaceChildren(...rows);
  }

  makeRow(state, name, i) {
    const { explorer } = this.app, { model } = explorer, kind = explorer.kind(state);
    const row = explorer.row(state, name, true);
    const flat = estimateText(row.flat, kind), cum = estimateText(row.cum, kind);
    const texts = {
      flat: flat.value, 'flat-interval': flat.interval, 'flat-share': shareText(row.flat.value, this.total.value),
      cum: cum.value, 'cum-interval': cum.interval, 'cum-share': shareText(row.cum.value, this.total.value),
      objects: this.objects ? grouped(this.objects[name]) : '', class: className(model, name),
    };
    const cells = this.keys.map((key) => (key === 'name' ? this.makeName(name, i)
      : make('td', { 'data-key': key }, texts[key] || '', ...marksOf(key, row))));
    const tr = make('tr', { 'data-name': name, 'data-class': className(model, name) }, ...cells);
    tr.style.setProperty('--flat', this.total.value > 0 ? row.flat.value / this.total.value : 0);
    return tr;
  }

  makeName(name, i) {
    return make('th', { scope: 'row' }, nameButton(this.app.model, name, i > 0));
  }

  showRest(state, all) {
    const shown = Math.min(this.shown, this.rows.length);
    const more = Math.min(ROWS_MORE, this.rows.length - shown);
    const text = this.rows.length < all ? `${grouped(shown)} of ${grouped(this.rows.length)} that match, of ` +
      `${grouped(all)} functions ` : `${grouped(shown)} of ${grouped(all)} functions `;
    this.rest.replaceChildren(text, more > 0 ? make('button', {
      type: 'button', onclick: () => this.showMore(state, all),
    }, `Show ${grouped(more)} more`) : '');
  }

  showMore(state, all) {
    const from = this.body.rows.length;
    this.shown += ROWS_MORE;
    this.fill(state);
    this.showRest(state, all);
    this.focusRow(from);
  }

  focusRow(number) {
    const row = this.body.rows[Math.max(0, Math.min(number, this.body.rows.length - 1))];
    if (row) {
      this.body.querySelectorAll('button').forEach((button) => { button.tabIndex = -1; });
      row.querySelector('button').tabIndex = 0;
      row.querySelector('button').focus();
    }
  }

  focusName(name) {
    this.focusRow([...this.body.rows].findIndex((row) => Number(row.dataset.name) === name));
  }

  onKey(event) {
    const row = event.target.closest('tr');
    const at = row ? row.sectionRowIndex : 0;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: Infinity, PageDown: at + 10,
      PageUp: at - 10 }[event.key];
    if (to !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      this.focusRow(to);
    }
  }

  onClick(event) {
    const row = event.target.closest('tr');
    if (row && !String(getSelection())) {
      this.app.open(Number(row.dataset.name));
    }
  }
}

// The short name, which opens the function; the full one is told as well.
function nameButton(model, name, isLater) {
  const shown = cutText(shortName(model, name), LONGEST_NAME);
  const full = cutText(fullName(model, name), 2000);
  return make('button', {
    type: 'button', class: 'name', title: full === shown ? null : full, tabindex: isLater ? -1 : null,
  }, shown);
}

// What an interval stands on, where it is little.
function marksOf(key, row) {
  const of = { 'flat-interval': row.flat, 'cum-interval': row.cum }[key];
  if (!of || !(of.isFew || of.isOnce)) {
    return [];
  }
  const text = of.isOnce ? 'one sampled object' : 'fewer than 5 effective samples';
  return [make('abbr', { title: text, 'aria-label': text, role: 'img' }, of.isOnce ? '!' : '*')];
}

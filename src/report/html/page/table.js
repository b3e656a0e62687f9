// The table of functions: it begins as the one that is in the file, and takes its place.
class FunctionTable extends Screen {
  constructor(app) {
    super(app);
    const table = byId('table');
    Object.assign(this, { body: table.tBodies[0], head: [...table.tHead.rows[0].cells], rest: byId('rest') });
    this.shown = 15;
    this.body.addEventListener('keydown', (event) => this.onKey(event));
    this.body.addEventListener('click', ({ target }) => app.open(Number(target.closest('tr').dataset.name)));
    const sorts = { name: 'name', flat: 'flat', cum: 'cum', delta: 'flat', slope: 'flat' };
    for (const cell of this.head.filter(({ dataset: { key } }) => sorts[key])) {
      cell.replaceChildren(pushButton(cell.textContent, () => app.go({ sort: sorts[cell.dataset.key] })));
    }
  }

  show() {
    const { explorer, state } = this;
    this.rows = explorer.foundRows(state);
    this.total = explorer.total(state).value;
    this.prepare();
    for (const cell of this.head.filter((one) => one.firstElementChild)) {
      const order = state.sort === 'name' ? 'ascending' : 'descending';
      cell.setAttribute('aria-sort', this.isSortedBy(cell.dataset.key) ? order : 'none');
    }
    let some = min(this.shown, this.rows.length);
    for (; some > 1 && this.shown === 15 && !this.held(this.rows[some - 1]); some--);
    this.body.replaceChildren(...this.rows.slice(0, some).map((name, i) => this.makeRow(name, i)));
    this.showRest(explorer.rows(state).length, some);
  }

  // What decides whether a row is shown at first.
  held(name) {
    const { value, change = value } = this.explorer.row(this.state, name)[comparedBy(this.state)];
    return change;
  }

  prepare() {
    const { explorer, state } = this, sums = explorer.of(state);
    this.objects = this.kind === 'bytes' && explorer.sibling(state, 'objects') >= 0 && sums.column.intervals && sums.flats('objects');
  }

  isSortedBy(key) { return key === this.state.sort; }

  // Of each column; and `row`, `share` of its bar.
  texts(name) {
    const row = this.explorer.row(this.state, name, true);
    const texts = { row, share: row.flat.value / this.total, objects: this.objects && grouped(this.objects[name]) };
    for (const key of HELD) {
      const { value, low, high, isFew } = row[key], text = estimateText(row[key], this.kind);
      texts[key] = text.value;
      texts[`${key}-interval`] = text.interval + (isFew && max(value - low, high - value) > value / 4 ? ' *' : '');
      texts[`${key}-share`] = shareText(value, this.total);
    }
    return texts;
  }

  makeRow(name, i) {
    const { model } = this, texts = { class: model.classOf[name], ...this.texts(name) };
    return barRow(model, name, texts.share, texts.row, ...this.head.map(({ dataset: { key } }) =>
      (key === 'name' ? make('th', { scope: 'row' }, nameButton(model, name, null, i > 0))
        : make('td', { 'data-key': key }, texts[key] || ''))));
  }

  showRest(all, shown) {
    const count = this.rows.length;
    const match = count < all ? ` that match, of ${grouped(all)}` : '';
    const more = pushButton('More', () => {
      this.shown += 200;
      this.show();
      this.focusRow(shown);
    });
    this.rest.replaceChildren(`${grouped(shown)} of ${grouped(count)}${match} `, shown < count ? more : '');
  }

  focusRow(number) {
    const buttons = this.body.querySelectorAll('button');
    const to = buttons[max(0, min(number, buttons.length - 1))];
    buttons.forEach((button) => { button.tabIndex = button === to ? 0 : -1; });
    to?.focus();
  }

  onKey(event) {
    const step = isModified(event) ? 0 : { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      this.focusRow(event.target.closest('tr').sectionRowIndex + step);
    }
  }
}

const isModified = ({ ctrlKey, altKey, metaKey }) => ctrlKey || altKey || metaKey;

// The short name; the full one is told as well.
function nameButton(model, name, onclick, isLater) {
  const shown = cutText(shortName(model, name)), full = cutText(fullName(model, name), 2000);
  return pushButton(shown, onclick, { class: 'name', title: full, tabindex: isLater ? -1 : null });
}

// A row with a bar as long as a share.
function barRow(model, name, share, amount, ...cells) {
  const row = make('tr', { 'data-name': name, 'data-class': model.classOf[name], 'data-change': amount.before ? lookOf(amount) : null }, ...cells);
  row.style.setProperty('--share', share > 0 ? share : 0);
  return row;
}

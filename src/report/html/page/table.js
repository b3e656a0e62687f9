// The table of functions: it begins as the one that is in the file, and takes its place.
const ROWS_MORE = 200;

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
    this.some = this.countShown();
    this.body.replaceChildren(...this.rows.slice(0, this.some).map((name, i) => this.makeRow(name, i)));
    this.showRest(explorer.rows(state).length);
  }

  // At first without rows at the end that hold nothing.
  countShown() {
    let count = min(this.shown, this.rows.length);
    while (count > 1 && this.shown < ROWS_MORE && this.isNothing(this.rows[count - 1])) {
      count--;
    }
    return count;
  }

  isNothing(name) { return this.explorer.row(this.state, name)[this.state.sort === 'cum' ? 'cum' : 'flat'].value === 0; }

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
      const { value, interval } = estimateText(row[key], this.kind);
      texts[key] = value;
      texts[`${key}-interval`] = interval + (isRough(row[key]) ? ' *' : '');
      texts[`${key}-share`] = shareText(row[key].value, this.total);
    }
    return texts;
  }

  makeRow(name, i) {
    const { model } = this, texts = { class: model.classOf[name], ...this.texts(name) };
    return barRow(model, name, texts.share, texts.row, ...this.head.map(({ dataset: { key } }) =>
      (key === 'name' ? make('th', { scope: 'row' }, nameButton(model, name, null, i > 0))
        : make('td', { 'data-key': key }, texts[key] || ''))));
  }

  showRest(all) {
    const count = this.rows.length, shown = this.some;
    const match = count < all ? ` that match, of ${grouped(all)}` : '';
    const more = pushButton('More', () => {
      this.shown += ROWS_MORE;
      this.show();
      this.focusRow(shown);
    });
    this.rest.replaceChildren(`${grouped(shown)} of ${grouped(count)}${match} row${count === 1 ? '' : 's'} `, shown < count ? more : '');
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

// Few samples leave it open by more than a quarter.
const isRough = ({ value, low, high, isOnce, isFew }) => (isOnce || isFew) && max(value - low, high - value) > abs(value) / 4;

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

// What the flame graph shows as a tree grid (ARIA): a call a row, below it what it calls, the largest first.  Rows
// are made for those that are seen, and for the one that has the focus.
const ROW_HEIGHT = 26;
const MOST_ROWS = 500000;
// What holds as much of all is open at first.
const OPEN_SHARE = 0.1;

// {node, level, place, size} in the order of rows; `open` says of which also what they call is there.
function rowsOfCalls(tree, sums, root, open) {
  const beside = (nodes, level) => nodes.map((node, i) => ({ node, level, place: i + 1, size: nodes.length })).reverse();
  const rows = [], left = beside(root === 0 ? calleesOf(tree, sums, 0) : [root], 1);
  while (left.length > 0 && rows.length < MOST_ROWS) {
    const row = left.pop();
    rows.push(row);
    if (open[row.node]) {
      beside(calleesOf(tree, sums, row.node), row.level + 1).forEach((callee) => left.push(callee));
    }
  }
  return rows;
}

class CallGrid extends Screen {
  constructor(app) {
    super(app);
    this.keys = app.model.comparison ? ['base', 'new', 'change', ...(hasNoBase(app.model.comparison.sides) ? [] : ['p'])] : ['value', 'interval', 'share', 'class'];
    this.made = new Map();
    this.space = make('div', { role: 'presentation', class: 'space' });
    this.body = make('div', { role: 'rowgroup', class: 'scroll', onscroll: () => this.draw() }, this.space);
    this.grid = make('div', {
      id: 'grid', role: 'treegrid', 'aria-labelledby': 'calls-title',
      onkeydown: (event) => this.onKey(event), onclick: (event) => this.onClick(event),
    }, make('div', { role: 'rowgroup' }, make('div', { role: 'row', 'aria-rowindex': 1 }, ...['function', ...this.keys].map((key) =>
      make('div', { role: 'columnheader', 'data-key': key }, titleOf(app.model, key))))), this.body);
    this.hint = make('p', {});
    byId('calls').replaceChildren(byId('calls-title'), make('div', { class: 'row' }, pushButton('Open all', () => this.openAll(true)),
      pushButton('Close all', () => this.openAll(false))), this.hint, this.grid);
  }

  // As the flame graph does, which was shown first.
  show() {
    const { tree, sums, zoom } = this.app.flames;
    byId('calls-title').textContent = this.state.name < 0 ? 'Calls' : 'All that it calls, as a tree';
    if (this.tree !== tree || this.sums !== sums || this.root !== zoom) {
      Object.assign(this, { tree, sums, root: zoom, active: 0 });
      tree.open = tree.open || new Uint8Array(sums.map((sum) => sum >= sums[zoom] * OPEN_SHARE));
      tree.open[zoom] = 1;
      this.list();
    }
  }

  list() {
    const { tree, sums, root } = this;
    this.rows = root < tree.count ? rowsOfCalls(tree, sums, root, tree.open) : [];
    this.active = min(this.active, max(this.rows.length - 1, 0));
    this.grid.setAttribute('aria-rowcount', this.rows.length + 1);
    this.hint.textContent = this.rows.length < MOST_ROWS ? '' : `The first ${grouped(MOST_ROWS)} rows`;
    this.space.style.setProperty('height', `${this.rows.length * ROW_HEIGHT}px`);
    this.space.replaceChildren();
    this.made.clear();
    this.draw();
  }

  // Of what holds anything.
  hasCallees(node) { return calleesOf(this.tree, this.sums, node).length > 0; }

  openAll(isOpen) {
    this.tree.open.fill(isOpen ? 1 : 0);
    this.active = 0;
    this.list();
  }

  toggle(number) {
    this.tree.open[this.rows[number].node] ^= 1;
    this.active = number;
    this.list();
    this.focus(number);
  }

  // --- rows ---

  // Those that are there already stay where they are, so that none loses the focus.
  draw() {
    const { body, made, space } = this, first = floor(body.scrollTop / ROW_HEIGHT) - 5;
    const end = first + ceil((body.clientHeight || 500) / ROW_HEIGHT) + 10, wanted = new Set(this.rows.length > 0 ? [this.active] : []);
    for (let i = max(first, 0); i < min(end, this.rows.length); i++) {
      wanted.add(i);
    }
    for (const [number, element] of made) {
      if (!wanted.has(number)) {
        element.remove();
        made.delete(number);
      }
    }
    [...wanted].sort((a, b) => b - a).reduce((before, number) => {
      if (!made.has(number)) {
        made.set(number, space.insertBefore(this.makeRow(number), before));
      }
      return made.get(number);
    }, null);
  }

  makeRow(number) {
    const { node, level, place, size } = this.rows[number], { tree, model, app: { flames } } = this, texts = this.texts(node);
    const isOpen = this.hasCallees(node) ? String(tree.open[node] > 0) : null, full = cutText(flames.fullName(node), 2000);
    const row = make('div', {
      role: 'row', 'aria-level': level, 'aria-posinset': place, 'aria-setsize': size, 'aria-rowindex': number + 2, 'aria-expanded': isOpen,
      tabindex: number === this.active ? 0 : -1, 'data-number': number, 'data-class': model.classOf[tree.name[node]],
    }, make('div', { role: 'gridcell', title: full }, make('span', { class: 'mark', 'aria-hidden': 'true' },
      { true: '\u25be', false: '\u25b8' }[isOpen] || ''), make('span', { class: 'name' }, flames.nodeName(node))),
    ...this.keys.map((key) => make('div', { role: 'gridcell', 'data-key': key }, texts[key] || '')));
    row.style.setProperty('top', `${number * ROW_HEIGHT}px`);
    row.style.setProperty('--level', level);
    return row;
  }

  texts(node) {
    const { flames } = this.app;
    return { ...amountTexts(flames.amountOf({ node }), this.kind, this.sums[flames.root]), class: flames.classOf({ node }) };
  }

  // --- keys and mouse ---

  focus(number) {
    const { body, made } = this, top = number * ROW_HEIGHT, height = body.clientHeight - ROW_HEIGHT, last = made.get(this.active);
    if (last) {
      last.tabIndex = -1;
    }
    this.active = number;
    if (top < body.scrollTop || top > body.scrollTop + height) {
      body.scrollTop = max(0, top < body.scrollTop ? top : top - height);
    }
    this.draw();
    made.get(number).tabIndex = 0;
    made.get(number).focus({ preventScroll: true });
  }

  // Where a key leads from the row that has the focus, or -1.
  target(key) {
    const { rows, active, tree } = this, { level } = rows[active], page = max(1, floor(this.body.clientHeight / ROW_HEIGHT) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length };
    if (steps[key]) {
      return max(0, min(active + steps[key], rows.length - 1));
    }
    if (key === 'ArrowLeft') {
      const caller = rows.findIndex(({ node }) => node === tree.parent[rows[active].node]);
      return caller < 0 ? active : caller;
    }
    if (key === 'ArrowRight') {
      return rows[active + 1]?.level > level ? active + 1 : active;
    }
    return /^[\w~<]$/.test(key) ? this.named(key.toLowerCase()) : -1;
  }

  // The next row whose name begins with a letter.
  named(letter) {
    const { rows, active } = this, isNamed = ({ node }) => this.app.flames.nodeName(node).toLowerCase().startsWith(letter);
    const after = rows.findIndex((row, i) => i > active && isNamed(row));
    return after < 0 ? rows.findIndex(isNamed) : after;
  }

  onKey(event) {
    const { key } = event, row = this.rows[this.active];
    if (isModified(event) || !row) {
      return;
    }
    const isOpen = this.tree.open[row.node] > 0, to = this.target(key);
    if ((key === 'ArrowRight' && !isOpen || key === 'ArrowLeft' && isOpen) && this.hasCallees(row.node)) {
      this.toggle(this.active);
    } else if (to >= 0) {
      this.focus(to);
    } else if (key === 'Enter') {
      this.app.open(this.tree.name[row.node]);
    } else {
      return;
    }
    event.preventDefault();
  }

  onClick({ target }) {
    const number = Number(target.closest('[data-number]')?.dataset.number ?? -1), { node } = this.rows[number] || {};
    if (target.matches('.mark') && this.hasCallees(node)) {
      this.toggle(number);
    } else if (target.matches('.name')) {
      this.app.open(this.tree.name[node]);
    } else if (number >= 0) {
      this.focus(number);
    }
  }
}

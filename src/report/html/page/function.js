// The screen of one function: who calls it above, what it calls below, over all stacks.
const NEIGHBORS_SHOWN = 12;

class FunctionScreen extends Screen {
  constructor(app) {
    super(app);
    this.keys = app.model.comparison ? ['base', 'new', 'change'] : ['value', 'interval', 'share'];
    this.section = make('section', { id: 'function', 'aria-labelledby': 'function-title', hidden: true });
    byId('rows').before(this.section);
  }

  show() {
    const { app, explorer, model, section, state } = this, row = explorer.row(state, state.name, false);
    const { callers, callees } = explorer.neighbors(state), full = cutText(fullName(model, state.name), 10000);
    const title = make('h2', { id: 'function-title', tabindex: -1 }, cutText(shortName(model, state.name), 10000));
    this.whole = max(row.cum.value, row.cum.before?.value || 0);
    section.replaceChildren(pushButton('\u2190 All rows', () => app.go(ALL_FUNCTIONS)), title,
      full === title.textContent ? '' : make('details', {}, make('summary', {}, 'Full name'), make('p', { class: 'full' }, full)),
      this.makeFacts(row), this.makePlaces(),
      this.makeList('callers', callers, 'Called by'),
      this.makeOwn(row, callees.length === 0 && ''),
      this.makeList('callees', callees, 'Calls'));
  }

  // --- what it is ---

  makeFacts(row) {
    const { explorer, kind, model, state } = this, total = explorer.total(state).value;
    const facts = make('dl', {});
    const put = (what, text, more) => facts.append(make('div', {}, make('dt', {}, what),
      make('dd', {}, make('b', {}, text.value), ` ${text.interval || ''} ${more || ''}`)));
    for (const [key, what] of [['flat', 'by itself'], ['cum', 'with all it calls']]) {
      if (model.comparison) {
        putChange(put, what, row[key], kind);
      } else {
        put(what, estimateText(row[key], kind), shareText(row[key].value, total));
      }
      if (explorer.growth) {
        this.putGrowth(put, what, key);
      }
    }
    return model.comparison ? facts : this.makeMore(facts, put, row);
  }

  // What an estimate stands on.
  makeMore(facts, put, row) {
    const { explorer, kind, model, state } = this;
    const [bytes, objects] = ['bytes', 'objects'].map((one) => explorer.sibling(state, one));
    if (bytes >= 0 && objects >= 0) {
      const [space, count] = [bytes, objects].map((metric) => explorer.row({ ...state, metric }, state.name, false).cum);
      put(...(kind === 'bytes' ? ['objects', estimateText(count, 'objects')] : ['bytes', estimateText(space, 'bytes')]));
      put('mean size', { value: count.value > 0 ? valueText(space.value / count.value, 'bytes') : '' });
    }
    const { samples, isFew } = row.cum;
    if (samples > 0) {
      put('effective samples', { value: grouped(samples) }, isFew && 'few');
    }
    put('class', { value: model.classOf[state.name] || 'none' });
    return facts;
  }

  putGrowth(put, what, key) {
    const { explorer, explorer: { growth }, kind, state } = this;
    const told = growth.tell(state, key, state.name, explorer.values(state, [state.name], key)[0]), { least, p } = told;
    put(`a ${growth.unit}, ${what}`, { value: rateText(told.slope, kind), interval: isNaN(least) ? '' : `at least ${rateText(least, kind)}` },
      !told.isTold ? 'not known for this selection' : isNaN(p) ? `p sampling ${pText(told.sampling)}`
        : `p ${pText(p)}, ${told.shape}${told.isSignificant ? ', significant' : ''}`);
  }

  makePlaces() {
    const { explorer, kind, model: { frames, strings } } = this;
    return make('ul', { class: 'places' }, ...explorer.places(this.state).map(({ frame, value }) => {
      const file = strings[frames.file[frame]], module = strings[frames.module[frame]], line = frames.line[frame];
      return make('li', {}, `${valueText(value, kind)} `, file ? cutText(file, 2000) + (line > 0 ? `:${line}` : '') : '',
        module ? ` in ${cutText(module, 2000)}` : '', frames.inlined[frame] ? ' (inlined)' : '');
    }));
  }

  // --- callers and callees ---

  makeList(id, all, title) {
    const body = make('tbody', {});
    const fill = (count) => body.replaceChildren(...all.slice(0, count).map((one) => this.makeRow(one)));
    const more = pushButton(`All ${grouped(all.length)}`, () => {
      fill(all.length);
      more.remove();
      body.rows[NEIGHBORS_SHOWN].querySelector('button').focus();
    });
    fill(NEIGHBORS_SHOWN);
    return make('div', { class: 'neighbors' }, make('h3', {}, title), all.length === 0 ? make('p', {}, 'None.')
      : makeTable({ id, 'aria-label': title }, ['function', ...this.keys].map((key) => titleOf(this.model, key)), body),
    all.length > NEIGHBORS_SHOWN ? more : '');
  }

  makeRow(one) {
    const { explorer, model, state } = this, passes = explorer.passes(state), amount = explorer.neighbor(state, one), texts = amountTexts(amount, this.kind, this.whole);
    return barRow(model, one.name, one.value / this.whole, amount, make('th', { scope: 'row' }, nameButton(model, one.name, () => this.app.open(one.name)),
      one.nodes.some((node) => passes[node]) ? this.makeThrough('folded frames', () => explorer.folded(state, one.nodes)) : ''),
      ...this.keys.map((key) => make('td', { 'data-key': key === 'interval' && key }, texts[key])));
  }

  // What it holds itself, and the folded frames through which it does.
  makeOwn(row, open) {
    const below = this.explorer.folded(this.state), text = `By itself ${amountText(row.flat, this.kind)}`;
    return make('div', { class: 'own' }, max(...below.keys()) < 0 ? make('p', {}, text)
      : this.makeThrough(`${text}, through folded frames`, () => below, open, null));
  }

  // Opened in place.
  makeThrough(text, belowOf, open = false, above = '') {
    const list = make('div', {});
    return make('details', { open, ontoggle: ({ target }) => list.replaceChildren(target.open ? this.makeFolded(belowOf(), above) : '') }, make('summary', {}, text), list);
  }

  // A row tells its values where they are others than above it; of what a function holds itself the first do so with
  // their share, and are folded.
  makeFolded(below, above) {
    const { app, kind, model } = this, sides = model.comparison?.sides, all = [...below].sort(([a, one], [b, other]) => max(...other.values) - max(...one.values) || a - b);
    return make('ul', {}, ...all.map(([name, { values, below: more }]) => {
      const text = sidesText(values, kind, sides), rest = more.size > 0 ? this.makeFolded(more, text) : '';
      return make('li', {}, text === above ? '' : `${text} `, above ? '' : `${shareText(max(...values), hasNoBase(sides) ? 0 : this.whole)} `,
        name < 0 ? 'directly' : nameButton(model, name, () => app.open(name)), rest && above === null ? make('details', {}, make('summary', {}, 'through'), rest) : rest);
    }));
  }
}

function putChange(put, what, change, kind) {
  change.sides.forEach((side, i) => put(`${side}, ${what}`, estimateText([change.before, change.after][i], kind)));
  put(`change, ${what}`, { value: signedText(change.change, kind), interval: rangeText(change, kind) },
    sureText(change).slice(2) || (change.isTold || hasNoBase(change.sides) ? '' : 'not known for this selection'));
}

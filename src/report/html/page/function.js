// The screen of one function: who calls it above, what it calls below, over all stacks.
const NEIGHBORS_SHOWN = 12;

class FunctionScreen {
  constructor(app) {
    this.app = app;
    this.section = make('section', { id: 'function', 'aria-labelledby': 'function-title', hidden: true });
    byId('rows').before(this.section);
  }

  show(state) {
    const { app, section } = this, { explorer, model } = app, row = explorer.row(state, state.name, false);
    const { callers, callees } = explorer.neighbors(state), full = cutText(fullName(model, state.name), 10000);
    const title = make('h2', { id: 'function-title', tabindex: -1 }, cutText(shortName(model, state.name), 10000));
    this.whole = Math.max(row.cum.value, row.cum.before ? row.cum.before.value : 0);
    section.replaceChildren(pushButton('\u2190 All rows', () => app.go(ALL_FUNCTIONS)), title,
      full === title.textContent ? '' : make('p', { class: 'full' }, full),
      this.makeFacts(state, row), this.makePlaces(state),
      this.makeList(state, 'callers', callers, 'Called by', 'Nothing that is shown.'),
      this.makeOwn(state, row),
      this.makeList(state, 'callees', callees, 'Calls', 'Nothing that is shown.'));
    section.hidden = false;
  }

  // --- what it is ---

  makeFacts(state, row) {
    const { explorer, model } = this.app, kind = explorer.kind(state), total = explorer.total(state).value;
    const facts = make('dl', {});
    const put = (what, text, more) => facts.append(make('div', {}, make('dt', {}, what),
      make('dd', {}, make('b', {}, text.value), ` ${text.interval || ''} ${more || ''}`)));
    if (model.comparison) {
      putChanges(put, row, kind);
      if (explorer.growth) {
        putGrowth(put, explorer, state);
      }
      return facts;
    }
    put('by itself', estimateText(row.flat, kind), shareText(row.flat.value, total));
    put('with all it calls', estimateText(row.cum, kind), shareText(row.cum.value, total));
    const [bytes, objects] = ['bytes', 'objects'].map((one) => explorer.sibling(state, one));
    if (bytes >= 0 && objects >= 0) {
      const [space, count] = [bytes, objects].map((metric) => explorer.row({ ...state, metric }, state.name, false).cum);
      put(...(kind === 'bytes' ? ['objects', estimateText(count, 'objects')] : ['bytes', estimateText(space, 'bytes')]));
      put('mean size', { value: count.value > 0 ? bytesText(space.value / count.value) : '' });
    }
    const { samples, isOnce, isFew } = row.cum;
    if (samples > 0) {
      put('stands on', { value: isOnce ? '1' : grouped(samples) },
        isOnce ? 'sampled object' : `effective samples${isFew ? ': few' : ''}`);
    }
    put('class', { value: model.classOf[state.name] || 'none' });
    return facts;
  }

  makePlaces(state) {
    const { explorer, model: { frames, strings } } = this.app, kind = explorer.kind(state);
    return make('ul', { class: 'places' }, ...explorer.places(state).map(({ frame, value }) => {
      const file = strings[frames.file[frame]], module = strings[frames.module[frame]], line = frames.line[frame];
      return make('li', {}, `${valueText(value, kind)} `, file ? cutText(file, 2000) + (line > 0 ? `:${line}` : '') : '',
        module ? ` in ${cutText(module, 2000)}` : '', frames.inlined[frame] ? ' (inlined)' : '');
    }));
  }

  // --- callers and callees ---

  makeList(state, id, all, title, otherwise) {
    const heading = make('h3', { id: `${id}-title` }, title), body = make('tbody', {});
    const { model } = this.app, head = model.comparison ? ['function', 'base', 'new', 'change']
      : ['function', 'value', `${+(100 * model.confidence).toFixed(9)}% interval`, 'share'];
    const fill = (count) => body.replaceChildren(...all.slice(0, count).map((one) => this.makeRow(state, one)));
    const more = pushButton(`All ${grouped(all.length)}`, () => {
      fill(all.length);
      more.remove();
      body.rows[NEIGHBORS_SHOWN].querySelector('button').focus();
    });
    fill(NEIGHBORS_SHOWN);
    return make('div', { class: 'neighbors' }, heading, all.length === 0 ? make('p', {}, otherwise)
      : make('table', { id, 'aria-labelledby': `${id}-title` }, make('thead', {}, make('tr', {},
        ...head.map((text) => make('th', { scope: 'col' }, text)))), body),
    all.length > NEIGHBORS_SHOWN ? more : '');
  }

  makeRow(state, one) {
    const { app } = this, { explorer, model } = app;
    const kind = explorer.kind(state), amount = explorer.neighbor(state, one), { value, interval } = estimateText(amount, kind);
    const name = make('th', { scope: 'row' }, nameButton(model, one.name, () => app.open(one.name)));
    return barRow(model, one.name, one.value / this.whole, amount, name, ...(amount.before
      ? [valueText(amount.before.value, kind), valueText(amount.after.value, kind), signedText(amount.change, kind)]
      : [value, interval, shareText(one.value, this.whole)]).map((text, i) => make('td', { 'data-key': ['value', 'interval', null][i] }, text)));
  }

  // What it holds itself, and the folded frames through which it does, opened in place.
  makeOwn(state, row) {
    const { explorer } = this.app, kind = explorer.kind(state), below = explorer.folded(state);
    const text = `By itself ${amountText(row.flat, kind)}`;
    return make('div', { class: 'own' }, below.size === 0 ? make('p', {}, text)
      : make('details', {}, make('summary', {}, `${text}, through folded frames`), this.makeFolded(below, kind)));
  }

  makeFolded(below, kind) {
    const { app } = this, all = [...below].sort(([, a], [, b]) => b.value - a.value);
    return make('ul', {}, ...all.slice(0, 20).map(([name, one]) => make('li', {}, `${valueText(one.value, kind)} `,
      nameButton(app.model, name, () => app.open(name)), one.below.size > 0 ? this.makeFolded(one.below, kind) : '')));
  }
}

function putGrowth(put, explorer, state) {
  const { growth } = explorer, kind = explorer.kind(state), rate = (one) => rateText(one, kind);
  for (const [key, what] of [['flat', 'by itself'], ['cum', 'with all it calls']]) {
    const { slope, least, p, sampling, shape, isTold, isSignificant } = growth.tell(state, key, state.name, explorer.values(state, [state.name], key)[0]);
    put(`a ${growth.unit}, ${what}`, { value: rate(slope), interval: Number.isNaN(least) ? '' : `at least ${rate(least)}` },
      !isTold ? 'no bound for this selection' : Number.isNaN(p) ? `p sampling ${pText(sampling)}`
        : `p growth ${pText(p)}, ${shape}${isSignificant ? ', significant' : ''}`);
  }
}

function putChanges(put, { flat, cum }, kind) {
  for (const [what, change] of [['by itself', flat], ['with all it calls', cum]]) {
    put(`base, ${what}`, estimateText(change.before, kind));
    put(`new, ${what}`, estimateText(change.after, kind));
    put(`change, ${what}`, { value: signedText(change.change, kind), interval: rangeText(change, kind) },
      sureText(change).slice(2) || (change.isTold ? '' : 'no interval for this selection'));
  }
}

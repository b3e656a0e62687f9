// What one sets: what is searched for, which stacks are left, what is measured, what is folded.
class Tools extends Screen {
  constructor(app) {
    super(app);
    const { model } = app;
    this.search = byId('search');
    Object.assign(this.search, { hidden: false, maxLength: PATTERN_LENGTH, oninput: () => this.onInput(), onkeydown: (event) => this.onKey(event) });
    this.filters = [['only', 'Only these'], ['without', 'Without these']]
      .map(([key, text]) => pushButton(text, () => this.filter(key)));
    const metric = this.makeChoice('metric', 'Measure', (value) => app.go({ metric: Number(value) }), model.metrics.map(({ name }) => safeText(name)));
    this.groups = [this.makeGroup('view', 'Frames', Object.keys(model.views), { zoom: 0 }),
      ...(model.comparison ? [this.makeGroup('sort', 'Compare', HELD)] : [])];
    this.result = byId('result');
    this.chips = byId('filters');
    byId('tools').prepend(
      make('div', { class: 'row' }, this.search, ...this.filters, metric, ...this.groups),
      model.series ? make('div', { class: 'row' }, ...this.makeDumps(model.series)) : '');
    byId('flames').after(makeExports(app));
  }

  // Buttons of which one is pressed.
  makeGroup(key, text, values, change) {
    return make('span', { role: 'group', 'aria-label': text }, `${text} `, ...values.map((value) =>
      pushButton(value, () => this.app.go({ [key]: value, ...change }), { [`data-${key}`]: value })));
  }

  // A list of which one is chosen, by its number.
  makeChoice(id, text, choose, texts = []) {
    this[id] = make('select', { id, onchange: () => choose(this[id].value) }, ...texts.map((name, value) => make('option', { value }, name)));
    return make('label', {}, `${text} `, this[id]);
  }

  // Which dumps are compared, and of which process.
  makeDumps({ processes }) {
    const process = this.makeChoice('process', 'Process', (value) => this.chooseProcess(processes[value]), processes.map(({ name }) => name));
    const [from, to] = [['from', 'Compare'], ['to', 'with']].map(([key, text]) => this.makeChoice(key, text, () => this.app.go(this.chosenDumps(key))));
    return [...(processes.length > 1 ? [process] : []), from, to,
      pushButton('All dumps', () => this.chooseProcess(this.explorer.growth.processOf(this.state)))];
  }

  chooseProcess({ first, count }) { this.app.go({ from: first, to: first + count - 1 }); }

  // The one that was not set gives way.
  chosenDumps(key) {
    const [from, to] = [this.from, this.to].map(({ value }) => Number(value));
    return key === 'from' ? { from, to: max(to, from + 1) } : { from: min(from, to - 1), to };
  }

  showDumps() {
    const { explorer: { growth }, model, state } = this, { first, count } = growth.processOf(state);
    const options = (start) => Array.from({ length: count - 1 }, (_, i) => make('option', { value: start + i }, dumpName(model, start + i)));
    this.from.replaceChildren(...options(first));
    this.to.replaceChildren(...options(first + 1));
    this.process.value = growth.numberOf(state);
    this.from.value = state.from;
    this.to.value = state.to;
  }

  show() {
    const { state } = this;
    if (this.from) {
      this.showDumps();
    }
    this.search.value = state.search;
    this.metric.value = state.metric;
    const pressed = [state.view, comparedBy(state)];
    this.groups.forEach((group, i) => group.querySelectorAll('button').forEach((button) =>
      button.setAttribute('aria-pressed', button.textContent === pressed[i])));
    this.filters.forEach((button) => { button.disabled = !state.search; });
    this.chips.replaceChildren(...['only', 'without'].flatMap((key) => this.makeChips(key)));
    const text = this.resultText();
    if (this.result.textContent !== text) {
      this.result.textContent = text;
      this.app.say(text);
    }
  }

  makeChips(key) {
    const { state } = this;
    return state[key].map((pattern) => {
      const error = isFacet(pattern) ? '' : this.explorer.search.search(pattern).error, shown = `${key} ${cutText(pattern.replace(/^\?/, ''), 100)}`;
      return make('li', {}, pushButton(`${shown} ${error && `(${error}) `}\u00d7`, () => {
        this.app.go({ [key]: state[key].filter((one) => one !== pattern), zoom: 0 });
        this.search.focus();
      }, { 'aria-label': `Remove ${shown}` }));
    });
  }

  resultText() {
    const { explorer, state } = this, text = (amount) => amountText(amount, this.kind);
    const { help, none } = byId('tools').dataset, { error, own } = state.search ? explorer.search.search(state.search) : { error: help };
    return (state.only.length + state.without.length > 0 ? `Filters leave ${text(explorer.total(state))}; ` : '') +
      (error || (own.includes(1) ? `matches hold ${text(explorer.found(state))}; Enter opens the first` : none));
  }

  // Letters that are typed one after the other are one step of the history.
  onInput() {
    this.app.go({ search: this.search.value }, this.app.lastKey === 'search');
    this.app.lastKey = 'search';
  }

  onKey(event) {
    if (event.key === 'Enter' && this.search.value) {
      this.app.openFirst();
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      this.app.focusFirst();
    } else if (event.key === 'Escape') {
      this.app.go({ search: '' });
      this.search.blur();
    }
  }

  filter(key) {
    const { state } = this;
    this.app.go({ [key]: withFilter(state[key], state.search), search: '', zoom: 0 });
    this.search.focus();
  }
}


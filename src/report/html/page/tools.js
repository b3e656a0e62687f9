// What one sets: what is searched for, which stacks are left, what is measured, what is folded.
const TOOLS_HINT = '/ searches; arrows and Enter, or a click, open a function; Escape returns';

class Tools {
  constructor(app) {
    const { model } = app;
    this.app = app;
    this.search = make('input', {
      id: 'search', type: 'search', autocomplete: 'off', maxlength: PATTERN_LENGTH,
      placeholder: 'Search function, file or module', 'aria-label': 'Search', oninput: () => this.onInput(), onkeydown: (event) => this.onKey(event),
    });
    this.filters = [['only', 'Only these'], ['without', 'Without these']]
      .map(([key, text]) => pushButton(text, () => this.filter(key)));
    this.metric = make('select', { id: 'metric', onchange: () => app.go({ metric: Number(this.metric.value) }) },
      ...model.metrics.map(({ name }, value) => make('option', { value }, safeText(name))));
    this.dumps = model.series ? this.makeDumps(model) : [];
    this.sorts = (model.comparison ? ['flat', 'cum'] : []).map((sort) => pushButton(sort, () => app.go({ sort }), { 'data-sort': sort }));
    this.views = Object.keys(model.views).map((view) => pushButton(view, () => app.go({ view, zoom: 0 }), { 'data-view': view }));
    this.result = make('p', { id: 'result' });
    this.chips = make('ul', { id: 'filters', 'aria-label': 'Filters' });
    byId('tools').replaceChildren(
      make('div', { class: 'row' }, this.search, ...this.filters, make('label', {}, 'Measure ', this.metric),
        make('span', { role: 'group', 'aria-labelledby': 'views' }, make('span', { id: 'views' }, 'Frames '), ...this.views),
        model.comparison ? make('span', { role: 'group', 'aria-labelledby': 'sorts' }, make('span', { id: 'sorts' }, 'Compare '), ...this.sorts) : ''),
      this.dumps.length > 0 ? make('div', { class: 'row' }, ...this.dumps, pushButton('All dumps', () => this.chooseProcess(app.explorer.growth.processOf(app.state)))) : '',
      this.result, this.chips);
    byId('flames').after(makeExports(app));
  }

  // Which dumps are compared, and of which process.
  makeDumps(model) {
    const { app } = this, { processes } = model.series;
    const list = (key, text) => make('label', {}, `${text} `, this[key] = make('select', { id: key, onchange: () => app.go(this.chosenDumps(key)) }));
    this.process = make('select', { id: 'process', onchange: () => this.chooseProcess(processes[this.process.value]) },
      ...processes.map(({ name }, value) => make('option', { value }, name)));
    return [...(processes.length > 1 ? [make('label', {}, 'Process ', this.process)] : []), list('from', 'Compare'), list('to', 'with')];
  }

  chooseProcess({ first, count }) { this.app.go({ from: first, to: first + count - 1 }); }

  // The one that was not set gives way.
  chosenDumps(key) {
    const [from, to] = [this.from, this.to].map(({ value }) => Number(value));
    return key === 'from' ? { from, to: Math.max(to, from + 1) } : { from: Math.min(from, to - 1), to };
  }

  showDumps(state) {
    const { app: { explorer: { growth }, model } } = this, { first, count } = growth.processOf(state);
    const options = (start) => Array.from({ length: count - 1 }, (_, i) => make('option', { value: start + i }, dumpName(model, start + i)));
    this.from.replaceChildren(...options(first));
    this.to.replaceChildren(...options(first + 1));
    Object.entries({ process: growth.numberOf(state), from: state.from, to: state.to }).forEach(([key, value]) => { this[key].value = value; });
  }

  show(state) {
    if (this.dumps.length > 0) {
      this.showDumps(state);
    }
    this.search.value = state.search;
    this.metric.value = state.metric;
    this.views.forEach((button) => button.setAttribute('aria-pressed', button.dataset.view === state.view));
    this.sorts.forEach((button) => button.setAttribute('aria-pressed', button.dataset.sort === comparedBy(state)));
    this.filters.forEach((button) => { button.disabled = !state.search; });
    this.chips.replaceChildren(...['only', 'without'].flatMap((key) => this.makeChips(state, key)));
    const text = this.resultText(state);
    if (this.result.textContent !== text) {
      this.result.textContent = text;
      this.app.say(text);
    }
  }

  makeChips(state, key) {
    return state[key].map((pattern) => {
      const { error } = this.app.explorer.search.search(pattern), shown = `${key} ${cutText(pattern, 100)}`;
      return make('li', {}, pushButton(`${shown} ${error && `(${error}) `}\u00d7`, () => {
        this.app.go({ [key]: state[key].filter((one) => one !== pattern), zoom: 0 });
        this.search.focus();
      }, { 'aria-label': `Remove ${shown}` }));
    });
  }

  resultText(state) {
    const { explorer } = this.app;
    const text = (amount) => amountText(amount, explorer.kind(state));
    const error = state.search && explorer.search.search(state.search).error;
    return (state.only.length + state.without.length > 0 ? `Filters leave ${text(explorer.total(state))}; ` : '') +
      (error || (state.search ? `matches hold ${text(explorer.found(state))}; Enter opens the first` : TOOLS_HINT));
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
    }
  }

  filter(key) {
    const { state } = this.app;
    this.app.go({ [key]: [...new Set([...state[key], state.search])].slice(-MOST_FILTERS), search: '', zoom: 0 });
    this.search.focus();
  }
}

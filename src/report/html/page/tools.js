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
    this.sorts = (model.comparison ? ['flat', 'cum'] : []).map((sort) => pushButton(sort, () => app.go({ sort }), { 'data-sort': sort }));
    this.views = Object.keys(model.views).map((view) => pushButton(view, () => app.go({ view, zoom: 0 }), { 'data-view': view }));
    this.result = make('p', { id: 'result' });
    this.chips = make('ul', { id: 'filters', 'aria-label': 'Filters' });
    byId('tools').replaceChildren(
      make('div', { class: 'row' }, this.search, ...this.filters, make('label', {}, 'Measure ', this.metric),
        make('span', { role: 'group', 'aria-labelledby': 'views' }, make('span', { id: 'views' }, 'Frames '), ...this.views),
        model.comparison ? make('span', { role: 'group', 'aria-labelledby': 'sorts' }, make('span', { id: 'sorts' }, 'Compare '), ...this.sorts) : ''),
      this.result, this.chips);
    byId('flames').after(makeExports(app));
  }

  show(state) {
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

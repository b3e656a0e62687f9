// What one sets: what is searched for, which stacks are left, what is measured, what is folded.
class Tools {
  constructor(app) {
    this.app = app;
    const { model } = app;
    this.search = make('input', {
      id: 'search', type: 'search', autocomplete: 'off', spellcheck: 'false', maxlength: PATTERN_LENGTH,
      placeholder: 'function, file or module', oninput: () => this.onInput(),
      onkeydown: (event) => this.onKey(event), onchange: () => { this.isTyping = false; },
    });
    this.only = make('button', { type: 'button', onclick: () => this.filter('only') }, 'Only these stacks');
    this.without = make('button', { type: 'button', onclick: () => this.filter('without') }, 'Without these');
    this.result = make('p', { id: 'result' });
    this.chips = make('ul', { id: 'filters', 'aria-label': 'Filters' });
    this.metric = make('select', { id: 'metric', onchange: () => app.go({ metric: Number(this.metric.value) }) },
      ...model.metrics.map((metric, i) => make('option', { value: i }, safeText(metric.name))));
    this.views = ['code', 'own', 'all', ...(model.view === 'raw' ? ['raw'] : [])].map((view) => make('button', {
      type: 'button', 'data-view': view, onclick: () => app.go({ view, zoom: 0 }), title: VIEW_HELP[view],
    }, view));
    byId('tools').replaceChildren(
      make('div', { class: 'row' }, make('label', { for: 'search' }, 'Search'), this.search, this.only, this.without),
      make('div', { class: 'row' }, make('label', { for: 'metric' }, 'Measure'), this.metric,
        make('span', { id: 'views-label' }, 'Frames'),
        make('span', { role: 'group', 'aria-labelledby': 'views-label', class: 'switch' }, ...this.views)),
      this.result, this.chips);
  }

  show(state) {
    const { explorer } = this.app;
    if (document.activeElement !== this.search || this.search.value.slice(0, PATTERN_LENGTH) !== state.search) {
      this.search.value = state.search;
    }
    this.metric.value = state.metric;
    this.views.forEach((button) => button.setAttribute('aria-pressed', button.dataset.view === state.view));
    this.only.disabled = this.without.disabled = !state.search;
    this.chips.replaceChildren(...this.makeChips(state, 'only', 'only'), ...this.makeChips(state, 'without', 'without'));
    const text = this.resultText(explorer, state);
    if (this.result.textContent !== text) {
      this.result.textContent = text;
      this.app.say(text);
    }
  }

  makeChips(state, key, word) {
    return state[key].map((pattern) => {
      const { error } = this.app.explorer.search.search(pattern), shown = cutText(pattern, 100);
      return make('li', {}, make('button', {
        type: 'button', class: 'chip', 'aria-label': `Remove the filter ${word} ${shown}`,
        onclick: () => {
          this.app.go({ [key]: state[key].filter((one) => one !== pattern), zoom: 0 });
          this.search.focus();
        },
      }, `${word} `, make('code', {}, shown), error ? ` (${error})` : '', ' \u00d7'));
    });
  }

  resultText(explorer, state) {
    const kind = explorer.kind(state), parts = [];
    if (state.only.length + state.without.length > 0) {
      const text = estimateText(explorer.total(state), kind);
      parts.push(`Filters leave ${text.value} ${text.interval}.`);
    }
    if (state.search) {
      const { error } = explorer.search.search(state.search);
      const text = error ? null : estimateText(explorer.found(state), kind);
      parts.push(error ? `This is no pattern that can be searched for: ${error}.`
        : `Stacks with a match hold ${text.value} ${text.interval}.`);
    }
    return parts.join(' ');
  }

  // Letters that are typed one after the other are one step of the history.
  onInput() {
    this.app.go({ search: this.search.value.slice(0, PATTERN_LENGTH) }, this.isTyping);
    this.isTyping = true;
  }

  onKey(event) {
    if (event.key === 'Enter' && this.search.value) {
      this.app.openFirst();
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      this.app.focusFirst();
    } else if (event.key === 'Escape' && !this.search.value) {
      this.search.blur();
    }
  }

  filter(key) {
    const { state } = this.app, list = [...new Set([...state[key], state.search])].slice(0, MOST_FILTERS);
    this.isTyping = false;
    this.app.go({ [key]: list, search: '', zoom: 0 });
    this.search.focus();
  }
}

const VIEW_HELP = {
  code: 'The program and its libraries: the standard library, wrappers of malloc, start-up and the allocator are folded',
  own: 'The program alone: libraries are folded, too',
  all: 'All frames but those of the allocator',
  raw: 'All frames',
};

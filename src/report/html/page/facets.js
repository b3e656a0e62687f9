// Facets: what stacks are told apart by, each having one value of it: the class and the module of the frame that is
// charged with it, and what the command was asked for.  A filter "?class=own" is of the stacks of one value; no
// pattern begins so.
const FACET_VALUES = 8;

const isFacet = (filter) => filter.startsWith('?');

// {key, values: texts, of: the number of that of each end}
function facetsOf(explorer, view) {
  const { model: { classes, facet: asked, frames, strings } } = explorer;
  return explorer.keep(['facets', view], () => {
    const { charged } = explorer.tree({ view, name: -1 }), facet = (key, values, of) => ({ key, values, of: charged.map((frame) => of[frame]) });
    return [facet('class', classes, frames.class), facet('module', strings, frames.module), ...(asked ? [asked] : [])];
  });
}

// Which stacks a filter is of.
function filteredEnds(explorer, view, filter) {
  if (!isFacet(filter)) {
    return explorer.search.stacks(filter);
  }
  const { key, values, of } = facetsOf(explorer, view).find((one) => filter.startsWith(`?${one.key}=`)) || { values: [], of: [] };
  const value = values.indexOf(filter.slice(`?${key}=`.length));
  return of.map((number) => number === value);
}

// Which stacks are left by filters; null: all.  Of patterns that are asked for one is enough, of values all have to
// be there.  A pattern that is none is not asked for.
function leftEnds(explorer, { view, only, without }) {
  const of = (filters) => filters.map((one) => filteredEnds(explorer, view, one)), values = of(only.filter(isFacet)), out = of(without);
  const patterns = of(only.filter((one) => !isFacet(one) && !explorer.search.search(one).error));
  return values.concat(patterns, out).length === 0 ? null : explorer.model.ends.map((_, end) => {
    const has = (stacks) => stacks[end];
    return values.every(has) && (patterns.length === 0 || patterns.some(has)) && !out.some(has);
  });
}

// A column as it is of the values of a facet that are left: of several as of the least sure.  It has no `intervals` if none of
// them tells of it.  Where none is left, or all, it is that of the file.
function leftColumn({ columns, facet }, number, { only, without }) {
  const column = columns[number], { period: all, chosen } = facet?.columns?.[number] || { period: [] };
  const isLeft = (_, i) => {
    const start = `?${facet.key}=`, own = start + facet.values[i];
    return only.every((one) => !one.startsWith(start) || one === own) && !without.includes(own);
  };
  const left = all.filter(isLeft), period = max(...left), { intervals } = column;
  return left.length % all.length ? { ...column, period, chosen: chosen.filter(isLeft).some(Boolean),
    intervals: period >= 0 && (period > 0 || intervals !== 'sampled' ? intervals : 'exact') } : column;
}

// What the largest values hold of the stacks that are seen: {key, held: [{text, amount, share}]} of each facet.
function heldFacets(explorer, state) {
  const kind = explorer.kind(state), both = explorer.seen(state);
  return facetsOf(explorer, state.view).map(({ key, values, of }) => {
    const sums = both.map((one) => one.apart(kind, of, values.length)), size = (number) => max(...sums.map((sum) => sum(number)[kind]));
    const all = [...new Set(of)].filter((number) => size(number) > 0).sort((a, b) => size(b) - size(a) || a - b);
    const whole = hasNoBase(explorer.model.comparison?.sides) ? 0 : sumOf(all, size), held = all.slice(0, FACET_VALUES).map((number) =>
      ({ text: values[number], amount: explorer.amountOf(sums.map((sum) => sum(number))), share: shareText(size(number), whole) }));
    return { key, held };
  });
}

class FacetLists extends Screen {
  constructor(app) {
    super(app);
    this.lists = make('div', { class: 'row' });
    this.section = make('details', { id: 'facets', ontoggle: () => this.show() }, make('summary', {}, byId('tools').dataset.facets), this.lists);
    byId('result').before(this.section);
  }

  show() {
    this.lists.replaceChildren(...(this.section.open ? heldFacets(this.explorer, this.state) : []).map(({ key, held }) => make('div', {}, cutText(key, 60),
      make('ul', { 'aria-label': cutText(key, 60) }, ...held.map(({ text, amount, share }) => make('li', {}, this.makeButton('only', key, text), ` ${amountText(amount, this.kind)} ${share} `,
        this.makeButton('without', key, text)))))));
  }

  // Of a facet one value can be asked for.
  makeButton(rule, key, text) {
    const shown = cutText(text || '[unmapped]', 100), start = `?${key}=`;
    const others = this.state[rule].filter((one) => rule === 'without' || !one.startsWith(start));
    return pushButton(rule === 'only' ? shown : rule, () => {
      this.app.go({ [rule]: withFilter(others, start + text), zoom: 0 });
      this.section.firstChild.focus();
    }, { class: 'name', 'aria-label': `${rule} ${shown}`, disabled: text.length > PATTERN_LENGTH / 2 && '' });
  }
}

// The dumps of a series as a picture: what the largest functions hold, one area on the other, over time; below a
// function what it holds with all it calls.  Where one draws from a dump to another these are compared; the
// tools have the same as lists, and the table below has the numbers.
const MOST_AREAS = 8;
const AREAS_HEIGHT = 220;

class SeriesPicture extends Screen {
  constructor(app) {
    super(app);
    this.section = byId('series');
    [this.text, this.picture, this.legend, this.numbers, this.table] = this.section.querySelectorAll('p, svg, ol, details, div');
    fill(this.picture, { height: AREAS_HEIGHT, onpointerdown: (event) => this.begin(event), onpointermove: (event) => this.move(event), onpointerup: () => this.end() });
    fill(this.numbers, { ontoggle: () => this.showNumbers() });
    this.section.hidden = false;
  }

  show() {
    const { explorer: { growth }, kind, model, state } = this;
    this.process = growth.processOf(state);
    this.areas = state.name >= 0 ? this.areasOf([state.name], 'cum') : this.largest();
    this.sums = this.areas[0].values.map((_, i) => sumOf(this.areas, ({ values }) => values[i]));
    this.most = this.sums.reduce((a, b) => max(a, b), 0);
    const { from, to } = state, { help, untold } = this.section.dataset;
    this.text.textContent = `${state.name < 0 ? 'By themselves' : 'With all it calls'}: up to ${valueText(this.most, kind)}, from ${dumpName(model, from)} to ${dumpName(model, to)}${growth.timeText(from, to)}. ` +
      (growth.isTold(state) ? help : untold);
    this.legend.replaceChildren(...this.areas.map(({ name, values }, i) => hued(i, make('li', { 'data-area': i },
      name < 0 ? 'others' : nameButton(model, name, () => this.app.open(name)), ` ${valueText(values[to - this.process.first], kind)}`))));
    this.draw();
    this.showNumbers();
  }

  areasOf(names, key) {
    const values = this.explorer.values(this.state, names, key);
    return names.map((name, i) => ({ name, values: values[i].map((one) => max(one, 0)), held: sumOf(values[i], (one) => one) }));
  }

  // By what they hold in all dumps together; others, if there are, last.
  largest() {
    const all = this.areasOf([...Array(this.model.nameCount).keys()], 'flat').filter(({ held }) => held > 0)
      .sort((a, b) => b.held - a.held || a.name - b.name);
    const areas = all.slice(0, MOST_AREAS), others = all.slice(MOST_AREAS), values = new Float64Array(this.process.count);
    others.forEach((one) => one.values.forEach((value, i) => { values[i] += value; }));
    return others.length > 0 || areas.length === 0 ? [...areas, { name: -1, values }] : areas;
  }

  // --- drawing ---

  draw() {
    const { explorer: { growth }, picture, areas, most, process: { first, count } } = this, below = new Float64Array(count);
    const times = Array.from(below, (_, i) => growth.time(first + i) - growth.time(first)), span = times[count - 1];
    const width = max(this.section.clientWidth, 100), y = (value) => AREAS_HEIGHT * (1 - (most > 0 ? value / most : 0));
    picture.setAttribute('width', width);
    this.places = times.map((time, i) => width * (span > 0 ? time / span : i / (count - 1)));
    picture.replaceChildren(...areas.flatMap(({ values }, area) => {
      const at = (value, i) => `${this.places[i].toFixed(1)},${y(value).toFixed(1)}`, low = Array.from(below, at).reverse();
      values.forEach((value, i) => { below[i] += value; });
      const thickest = values.indexOf(max(...values)), middle = y(below[thickest] - values[thickest] / 2);
      return [hued(area, makeSvg('polygon', { points: [...Array.from(below, at), ...low].join(' ') })),
        y(0) - y(values[thickest]) > 16 ? makeSvg('text', { x: max(8, min(this.places[thickest], width - 8)), y: middle + 5 }, area + 1) : ''];
    }), this.brush = makeSvg('g', {}));
    this.mark(this.state);
  }

  // What is not chosen lies in the shade.
  mark({ from, to }) {
    const { places, process: { first, count } } = this, left = places[from - first], right = places[to - first], end = places[count - 1];
    this.brush.replaceChildren(...[[-9, left], [right, end + 9]].map(([x, until]) => makeSvg('rect', { x, y: -9, width: until - x, height: AREAS_HEIGHT + 18 })));
  }

  showNumbers() {
    const { model, explorer: { growth }, areas, process: { first } } = this;
    const head = ['dump', ...areas.map(({ name }) => (name < 0 ? 'others' : cutText(shortName(model, name), 60))), 'together'];
    const rows = this.numbers.open ? Array.from(this.sums, (sum, i) => make('tr', {}, make('th', { scope: 'row' }, dumpName(model, first + i) + growth.timeText(first, first + i)),
      ...areas.map(({ values }) => values[i]).concat(sum).map((value) => make('td', {}, valueText(value, this.kind))))) : [];
    this.table.replaceChildren(makeTable({}, head, make('tbody', {}, ...rows)));
  }

  // --- choosing ---

  dumpAt({ clientX }) {
    const x = clientX - this.picture.getBoundingClientRect().left, off = this.places.map((place) => abs(place - x));
    return this.process.first + off.indexOf(min(...off));
  }

  begin(event) {
    this.start = this.dumpAt(event);
    this.chosen = this.state;
    this.picture.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (event.buttons) {
      const { start } = this, at = this.dumpAt(event);
      this.chosen = at === start ? this.state : { from: min(start, at), to: max(start, at) };
      this.mark(this.chosen);
    }
  }

  end() { this.app.go({ from: this.chosen.from, to: this.chosen.to }); }
}

// As make(), of what a picture is made of.
function makeSvg(tag, attributes, ...children) { return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children); }

function hued(area, element) {
  element.style.setProperty('--hue', 34 + area * 137);
  return element;
}

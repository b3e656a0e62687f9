// The flame graph, on a canvas: each function as wide as what it holds with all that it calls, below its
// caller.  Calls of less than a pixel are merged into one box of their caller's.  What it shows is also to be
// reached by buttons: the way from the root to where one is, and the largest calls from there.
const BOX_HEIGHT = 18;
const MOST_BOXES = 20000;
const MOST_LEVELS = 128;
const LEAST_WIDTH = 1; // pixels

// Boxes {node, level, left, width, merged}: the callers of `zoom` as wide as all, then what is below.
function layOut(tree, sums, zoom, width, least) {
  const boxes = [], way = [];
  for (let node = tree.parent[zoom]; node >= 0; node = tree.parent[node]) {
    way.unshift(node);
  }
  way.forEach((node, level) => boxes.push({ node, level, left: 0, width, merged: 0 }));
  boxes.push({ node: zoom, level: way.length, left: 0, width, merged: 0 });
  const scale = sums[zoom] > 0 ? width / sums[zoom] : 0;
  const deepest = way.length + MOST_LEVELS;
  for (let i = way.length; i < boxes.length && boxes.length <= MOST_BOXES; i++) {
    const box = boxes[i];
    if (!box.merged && box.level < deepest) {
      addCallees(boxes, tree, sums, box, scale, least);
    }
  }
  return boxes;
}

function addCallees(boxes, tree, sums, box, scale, least) {
  const large = [];
  let merged = 0, rest = 0, left = box.left;
  for (let node = tree.first[box.node]; node; node = tree.next[node]) {
    if (sums[node] * scale >= least) {
      large.push(node);
    } else if (sums[node] > 0) {
      merged++;
      rest += sums[node];
    }
  }
  large.sort((a, b) => sums[b] - sums[a] || a - b);
  for (const node of large) {
    boxes.push({ node, level: box.level + 1, left, width: sums[node] * scale, merged: 0 });
    left += sums[node] * scale;
  }
  if (rest * scale >= least) {
    boxes.push({ node: box.node, level: box.level + 1, left, width: rest * scale, merged, value: rest });
  }
}

// With fewer small boxes if there would be too many.
function boxesOf(tree, sums, zoom, width) {
  linkChildren(tree);
  for (let least = LEAST_WIDTH; ; least *= 2) {
    const boxes = layOut(tree, sums, zoom, width, least);
    if (boxes.length <= MOST_BOXES) {
      return boxes;
    }
  }
}

// What a function calls, over all stacks, as one tree, and its sums: {tree, sums}.
function treeBelow(tree, sums, name) {
  const table = new NodeTable(tree.count), at = new Int32Array(tree.count);
  const below = new Float64Array(tree.count + 1);
  for (let node = 1; node < tree.count; node++) {
    const up = at[tree.parent[node]];
    const isTop = up === 0 && tree.name[node] === name;
    at[node] = isTop ? table.find(0, name, true) : up > 0 ? table.find(up, tree.name[node], false) : 0;
    below[at[node]] += at[node] > 0 ? sums[node] : 0;
    below[0] += isTop ? sums[node] : 0;
  }
  return { tree: table.tree(null, null), sums: below };
}

class FlameGraph {
  constructor(app) {
    this.app = app;
    this.section = byId('flames');
    this.canvas = make('canvas', { role: 'img', 'aria-label': 'flame graph' });
    this.title = make('h2', { id: 'flames-title' }, 'Flame graph');
    this.way = make('nav', { class: 'way', 'aria-label': 'Calls from the root' });
    this.hint = make('p', { class: 'hint' });
    this.section.replaceChildren(this.title, this.way, this.hint, this.canvas, this.makeLegend());
    this.section.setAttribute('aria-labelledby', 'flames-title');
    this.section.hidden = false;
    this.canvas.addEventListener('mousemove', (event) => this.onMove(event));
    this.canvas.addEventListener('mouseleave', () => this.point(null));
    this.canvas.addEventListener('click', (event) => this.onClick(event));
  }

  makeLegend() {
    const { model } = this.app;
    const items = ['own', 'library', 'standard', 'wrapper', 'start-up', 'allocator', 'none']
      .filter((c) => model.names.class.some((number) => model.classes[number] === c))
      .map((c) => make('li', {}, make('span', { class: 'swatch', 'data-class': c, 'aria-hidden': 'true' }),
        c === 'none' ? 'no class' : c));
    return make('ul', { class: 'legend', 'aria-label': 'Colours' }, ...items);
  }

  show(state) {
    const { explorer } = this.app, kind = explorer.kind(state);
    const tree = explorer.tree(state), sums = explorer.of(state).nodes(kind);
    this.state = state;
    Object.assign(this, state.name < 0 ? { tree, sums }
      : explorer.of(state).keep(`below ${kind} ${state.name}`, () => treeBelow(tree, sums, state.name)));
    this.root = state.name < 0 ? 0 : Math.min(1, this.tree.count - 1);
    const isNode = state.zoom > this.root && state.zoom < this.tree.count && this.sums[state.zoom] > 0;
    this.zoom = isNode ? state.zoom : this.root;
    this.found = state.search ? explorer.search.search(state.search).names : null;
    this.title.textContent = state.name < 0 ? 'Flame graph' : 'All that it calls';
    this.draw();
    this.showWay();
    this.point(null);
  }

  nodeName(node) {
    return node === 0 ? 'all' : cutText(shortName(this.app.model, this.tree.name[node]), LONGEST_NAME);
  }

  draw() {
    const width = Math.max(this.section.clientWidth, 100), ratio = window.devicePixelRatio || 1;
    this.boxes = boxesOf(this.tree, this.sums, this.zoom, width);
    this.levels = [];
    for (const box of this.boxes) {
      (this.levels[box.level] = this.levels[box.level] || []).push(box);
    }
    const height = this.levels.length * BOX_HEIGHT + 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    this.paint = this.canvas.getContext('2d');
    this.paint.scale(ratio, ratio);
    this.drawBoxes();
    this.canvas.setAttribute('aria-label', `Flame graph of ${this.nodeName(this.zoom)}: ` +
      `${valueText(this.sums[this.zoom], this.app.explorer.kind(this.state))}, ${this.boxes.length} calls are drawn. ` +
      'The buttons above it, the table and the screens of functions show the same.');
  }

  drawBoxes() {
    const { paint } = this, colors = new BoxColors(this.section);
    paint.font = `12px ${getComputedStyle(document.documentElement).getPropertyValue('--mono')}`;
    paint.textBaseline = 'middle';
    const letter = paint.measureText('m').width || 7;
    for (const box of this.boxes) {
      this.drawBox(box, colors, letter);
    }
  }

  drawBox(box, colors, letter) {
    const { paint } = this, top = box.level * BOX_HEIGHT, name = this.tree.name[box.node];
    const isFound = !box.merged && name >= 0 && this.found && this.found[name];
    const style = colors.of(box.merged || name < 0 ? '' : className(this.app.model, name), name,
      isFound, Boolean(this.found));
    paint.fillStyle = style.fill;
    paint.fillRect(box.left, top, Math.max(box.width - (box.width > 3 ? 1 : 0), 0.6), BOX_HEIGHT - 1);
    if (isFound) {
      paint.fillStyle = style.text;
      paint.fillRect(box.left, top + BOX_HEIGHT - 4, Math.max(box.width - 1, 0.6), 2);
    }
    const room = Math.floor((box.width - 8) / letter);
    if (room >= 3) {
      const text = box.merged ? `${box.merged} smaller` : this.nodeName(box.node);
      paint.fillStyle = style.text;
      paint.fillText(text.length > room ? `${text.slice(0, room - 1)}\u2026` : text, box.left + 4,
        top + (BOX_HEIGHT - 1) / 2);
    }
  }

  // --- where one is ---

  showWay() {
    const { tree, zoom, root } = this, way = [];
    for (let node = zoom; node >= root; node = tree.parent[node]) {
      way.unshift(node);
    }
    const steps = way.length > 8 ? [way[0], -1, ...way.slice(-6)] : way;
    const list = make('ol', {}, ...steps.map((node) => make('li', {}, node < 0 ? '\u2026'
      : node === zoom ? make('strong', {}, this.nodeName(node)) : this.zoomButton(node))));
    const open = zoom > root ? make('button', {
      type: 'button', onclick: () => this.app.open(tree.name[zoom]),
    }, 'Open this function') : null;
    const wide = this.boxes.filter((box) => tree.parent[box.node] === zoom && !box.merged).slice(0, 5);
    const calls = wide.length > 0 ? make('p', { class: 'calls' }, 'calls ', ...wide.flatMap((box) =>
      [this.zoomButton(box.node), ` ${shareText(this.sums[box.node], this.sums[zoom])} `])) : null;
    this.way.replaceChildren(list, ...[open, calls].filter(Boolean));
  }

  zoomButton(node) {
    return make('button', {
      type: 'button', class: 'name', 'data-node': node, onclick: () => this.zoomTo(node),
    }, this.nodeName(node));
  }

  zoomTo(node) {
    this.app.go({ zoom: node === this.root ? 0 : node });
    const button = this.way.querySelector('button');
    if (button && document.activeElement === document.body) {
      button.focus({ preventScroll: true });
    }
    this.app.say(`${this.nodeName(this.zoom)}: ${this.describe({ node: this.zoom, merged: 0 })}`);
  }

  // --- pointing ---

  boxAt(event) {
    const level = this.levels[Math.floor(event.offsetY / BOX_HEIGHT)] || [];
    return level.find((box) => event.offsetX >= box.left && event.offsetX < box.left + box.width) || null;
  }

  describe(box) {
    const { explorer, model } = this.app, kind = explorer.kind(this.state);
    const share = shareText(box.merged ? box.value : this.sums[box.node], this.sums[this.root]);
    if (box.merged) {
      return `${box.merged} smaller calls of ${this.nodeName(box.node)}: ${valueText(box.value, kind)}, ${share}`;
    }
    if (this.state.name >= 0) {
      return `${valueText(this.sums[box.node], kind)}, ${share}`;
    }
    const sum = explorer.of(this.state).pick('nodes', box.node, kind);
    const text = estimateText(estimateOf(model, this.state.metric, sum, 1), kind);
    return `${text.value} ${text.interval}, ${share}`;
  }

  point(box) {
    this.pointed = box;
    this.canvas.style.cursor = box ? 'pointer' : '';
    this.hint.textContent = !box ? 'Click a box to look closer; hold Shift to open its function.'
      : `${box.merged ? '' : `${this.nodeName(box.node)}  `}${this.describe(box)}` +
        (box.merged || box.node === 0 ? '' : `  ${className(this.app.model, this.tree.name[box.node])}`);
  }

  onMove(event) {
    const box = this.boxAt(event);
    if (box !== this.pointed) {
      this.point(box);
    }
  }

  onClick(event) {
    const box = this.boxAt(event);
    if (box && event.shiftKey && box.node > 0) {
      this.app.open(this.tree.name[box.node]);
    } else if (box && box.node !== this.zoom) {
      this.zoomTo(Math.max(box.node, this.root));
    }
  }
}

// Colours of boxes, by class, somewhat lighter or darker by name; those of the theme, and of the system's
// where it forces its own.
class BoxColors {
  constructor(element) {
    this.style = getComputedStyle(element);
    this.isForced = matchMedia('(forced-colors: active)').matches;
    this.isDark = this.style.getPropertyValue('--dark').trim() === '1';
    this.known = new Map();
  }

  of(c, name, isFound, isSearch) {
    const shade = c ? Math.imul(name + 1, 0x9e3779b1) >>> 30 : 0;
    const key = `${c} ${shade} ${isFound} ${isSearch}`;
    if (!this.known.has(key)) {
      this.known.set(key, this.make(c, shade, isFound, isSearch));
    }
    return this.known.get(key);
  }

  make(c, shade, isFound, isSearch) {
    if (this.isForced) {
      return isFound ? { fill: 'Highlight', text: 'HighlightText' } : { fill: 'ButtonFace', text: 'ButtonText' };
    }
    const hues = { own: 28, library: 205, standard: 145, wrapper: 265, 'start-up': 320, allocator: 320 };
    const hue = hues[c], saturation = hue === undefined ? 0 : isSearch && !isFound ? 8 : 62;
    const light = this.isDark ? 24 + shade * 2 : 84 - shade * 3;
    return isFound ? { fill: this.isDark ? '#6d2a7f' : '#f0b9ff', text: this.isDark ? '#fff' : '#000' }
      : { fill: `hsl(${hue || 0} ${saturation}% ${light}%)`, text: this.isDark ? '#f2f2f2' : '#111' };
  }
}

// The flame graph, on a canvas: each function as wide as what it holds with all that it calls, below its
// caller.  Calls of less than a pixel are merged into one box of their caller's.  What it shows is also to be
// reached by buttons: the way from the root to where one is, and the largest calls from there.
const MOST_BOXES = 20000;
const MOST_LEVELS = 128;

// Boxes {node, level, left, width, merged}: the nearest callers of `zoom` as wide as all, then what is below;
// with fewer small ones if there would be too many.
function boxesOf(tree, sums, zoom, width, sides = [], least = 1) {
  const boxes = [];
  for (let node = zoom; node >= 0 && boxes.length < MOST_LEVELS; node = tree.parent[node]) {
    boxes.unshift({ node, left: 0, width });
  }
  const first = boxes.length - 1;
  boxes.forEach((box, level) => { box.level = level; });
  for (let i = first; i < boxes.length && boxes.length <= MOST_BOXES; i++) {
    if (!boxes[i].merged && boxes[i].level < first + MOST_LEVELS) {
      addCallees(boxes, tree, sums, sides, boxes[i], width / sums[zoom], least);
    }
  }
  return boxes.length <= MOST_BOXES ? boxes : boxesOf(tree, sums, zoom, width, sides, least * 2);
}

function addCallees(boxes, tree, sums, sides, { node: caller, level, left }, scale, least) {
  const rest = { node: caller, level: level + 1, left, value: 0, merged: 0, sides: sides.map(() => 0) };
  for (const node of calleesOf(tree, sums, caller)) {
    const width = sums[node] * scale;
    if (width >= least) {
      boxes.push({ node, level: level + 1, left: rest.left, width });
      rest.left += width;
    } else {
      rest.merged++;
      rest.value += sums[node];
      rest.sides = rest.sides.map((sum, i) => sum + sides[i][node]);
    }
  }
  rest.width = rest.value * scale;
  if (rest.width >= least) {
    boxes.push(rest);
  }
}

// What a function calls, over all stacks, as one tree, and sums of its nodes, of each of those that are given.
function treeBelow(tree, given, name) {
  const table = new NodeTable(tree.count), at = new Int32Array(tree.count);
  const sums = given.map(() => new Float64Array(tree.count + 1));
  for (let node = 1; node < tree.count; node++) {
    const up = at[tree.parent[node]];
    at[node] = up > 0 || tree.name[node] === name ? table.find(up, tree.name[node]) : 0;
    given.forEach((one, i) => { sums[i][at[node]] += at[node] > 0 ? one[node] : 0; });
  }
  const below = table.tree();
  below.parent[1] = -1;
  return { tree: below, sums, root: 1 };
}

// A name without what it begins with, as long as it is too long.
function lastOf(name, room) {
  const last = name.replace(/^(\w+::|\([^()]*\)::|[\w.-]+\/)/, '');
  return name.length > room && last !== name ? lastOf(last, room) : name;
}

class FlameGraph extends Screen {
  constructor(app) {
    super(app);
    this.section = byId('flames');
    [this.title, this.legend, this.way, this.hint, this.canvas] = this.section.querySelectorAll('h2, ul, nav, strong, canvas');
    fill(this.canvas, { onmousemove: (event) => this.point(this.boxAt(event)), onmouseleave: () => this.point(), onclick: (event) => this.onClick(event) });
    this.help = this.hint.textContent;
    this.section.hidden = false;
  }

  show() {
    const { explorer, state } = this;
    const { tree, sums: [sums, ...sides], root } = explorer.flames(state);
    // Zooming moves nothing.
    this.levels = sums === this.sums ? this.levels : 1;
    Object.assign(this, { tree, sums, sides, root });
    this.zoom = state.zoom > root && sums[state.zoom] > 0 ? state.zoom : root;
    this.found = state.search && explorer.search.search(state.search).names;
    this.title.textContent = state.name < 0 ? 'Flame graph' : 'All that it calls';
    this.draw();
    this.showWay();
    this.point();
  }

  // A function that no stack shows has no node.
  nodeName(node) {
    const { tree: { count, name }, state, model } = this;
    return node === 0 ? 'all' : cutText(shortName(model, node < count ? name[node] : state.name));
  }

  fullName(node) { return fullName(this.model, this.tree.name[node]); }

  // Few are as high as there is room for.
  get boxHeight() { return this.levels < 14 ? 26 : 20; }

  // What a box of a comparison stands for.
  changeOf({ node, merged, sides }) {
    const { comparison } = this.explorer, [before, after] = merged ? sides : this.sides.map((side) => side[node]);
    const change = { ...untested(this.model), before: { value: before }, after: { value: after }, change: after - before };
    return this.root > 0 || !comparison.isTold(this.state) ? change : comparison.tellBox(change, this.tree, merged ? -1 : node);
  }

  classOf({ node, merged }) { return merged || node === 0 ? '' : this.model.classOf[this.tree.name[node]]; }

  // --- drawing ---

  draw() {
    const { canvas } = this, width = max(this.section.clientWidth, 100), ratio = window.devicePixelRatio;
    this.boxes = this.zoom < this.tree.count ? boxesOf(this.tree, this.sums, this.zoom, width, this.sides) : [];
    this.levels = this.boxes.reduce((most, { level }) => max(most, level + 1), this.levels);
    const paint = canvas.getContext('2d'), high = this.levels * this.boxHeight;
    canvas.style.height = `${high}px`;
    // Another bitmap takes longer than what is drawn: one that is too high is cut off by the style.
    if (canvas.width !== floor(width * ratio) || canvas.height < high * ratio - 1) {
      canvas.width = width * ratio;
      canvas.height = high * ratio;
    }
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.clearRect(0, 0, width, high);
    paint.font = `${this.boxHeight * 0.6}px monospace`;
    const style = this.style();
    this.boxes.forEach((box) => this.drawBox(paint, box, style));
    canvas.setAttribute('aria-label', `Flame graph of ${this.nodeName(this.zoom)}: ${this.boxes.length} calls are drawn`);
  }

  // The legend tells of what is there.
  style() {
    const is = (query) => matchMedia(query).matches, hues = {}, looks = this.boxes.map((box) => (this.sides[1] ? lookOf(this.changeOf(box)) : this.classOf(box)));
    for (const item of this.legend.children) {
      const { change, class: one } = item.dataset;
      item.hidden = !looks.includes(change || one);
      hues[one] = getComputedStyle(item).getPropertyValue('--hue');
    }
    return { isForced: is('(forced-colors: active)'), isDark: is('screen and (prefers-color-scheme: dark)'),
      letter: this.canvas.getContext('2d').measureText('m').width, hues };
  }

  isFound({ node, merged }) { return !merged && this.found?.[this.tree.name[node]]; }

  // Of a box and its text; where the system forces its colours, these.
  fillOf(box, { isForced, isDark, hues }) {
    const isFound = this.isFound(box);
    if (isForced) {
      return isFound ? ['Highlight', 'HighlightText'] : ['ButtonFace', 'ButtonText'];
    }
    if (isFound) {
      return ['#f0b9ff', '#000'];
    }
    const [hue, strength, light] = this.sides[1] ? this.colorOfChange(this.changeOf(box), isDark)
      : this.colorOf(hues[this.classOf(box)], this.tree.name[box.node] * 7 % 4, isDark);
    return [`hsl(${hue} ${strength}% ${light}%)`, isDark ? '#f4f4f4' : '#111'];
  }

  // By class, somewhat lighter or darker by name.
  colorOf(hue, shade, isDark) { return [hue || 0, !hue ? 0 : this.found ? 20 : isDark ? 60 : 90, (isDark ? 25 : 76) + shade * 2]; }

  // By direction; what is not significant is grey, what nobody tested pale.
  colorOfChange({ change, p, isSignificant }, isDark) {
    return [change > 0 ? 4 : 207, isSignificant ? 90 : p >= 0 || change === 0 ? 0 : 45, isDark ? 44 : 70];
  }

  // As much as there is room for; changes have their sign.
  labelOf(box, { letter }) {
    const room = floor((box.width - 8) / letter), change = this.sides[1] ? this.changeOf(box).change : 0;
    const sign = ['\u25bc ', '', '\u25b2 '][Math.sign(change) + 1];
    const text = sign + (box.merged ? `${box.merged} smaller` : box.node === 0 ? this.describe(box) : lastOf(this.nodeName(box.node), room - sign.length));
    const more = box.merged || box.node === 0 ? '' : `  ${this.partOf(box.node)}`;
    return room < 3 ? '' : text.length > room ? cutText(text, room - 1) : text.length + more.length > room ? text : text + more;
  }

  drawBox(paint, box, style) {
    const { boxHeight } = this, top = box.level * boxHeight, width = box.width - (box.width > 3), place = [box.left, top, width, boxHeight - 1];
    const [fill, color] = this.fillOf(box, style), isFound = this.isFound(box);
    paint.fillStyle = fill;
    paint.fillRect(...place);
    if (this.sides[1] && !isFound && !style.isForced && !hasNoBase(this.model.comparison.sides)) {
      paint.fillStyle = style.isDark ? '#444' : '#ddd';
      this.drawRest(paint, this.changeOf(box), ...place);
    }
    paint.fillStyle = color;
    if (isFound) {
      paint.fillRect(box.left, top + boxHeight - 4, width, 2);
    }
    if (box.width > 30) {
      paint.fillText(this.labelOf(box, style), box.left + 4, top + boxHeight * 0.65);
    }
  }

  // As much of a box as did not change; what is gone has stripes.
  drawRest(paint, { before: { value: before }, after: { value: after }, change }, left, top, width, height) {
    paint.fillRect(left, top, width - width * abs(change) / max(before, after), height);
    for (let x = 4; x < width && after === 0; x += 6) {
      paint.fillRect(left + x, top, 2, height);
    }
  }

  // --- where one is ---

  showWay() {
    const { tree, zoom, root } = this;
    const way = [...(root > 0 ? [] : [0]), ...nodesTo(tree, zoom)]
      .flatMap((node) => [node === zoom ? make('strong', {}, this.nodeName(node)) : this.zoomButton(node), ' \u203a ']);
    const largest = this.boxes.filter(({ node, merged }) => tree.parent[node] === zoom && !merged).slice(0, 5);
    this.way.replaceChildren(...(way.length > 16 ? way.slice(0, 2).concat('\u2026 ', way.slice(-12)) : way),
      ...largest.flatMap(({ node }) => [this.zoomButton(node), ` ${this.partOf(node)}  `]),
      ...(zoom > root ? [pushButton('Open this function', () => this.app.open(tree.name[zoom])), ' ',
        pushButton('Copy stack', () => copyText(this.app, nodesTo(tree, zoom).map((node) => safeText(this.fullName(node))).join('\n')))] : []));
  }

  partOf(node) { return this.sides[1] ? signedText(this.changeOf({ node }).change, this.kind) : shareText(this.sums[node], this.sums[this.zoom]); }

  zoomButton(node) { return pushButton(this.nodeName(node), () => this.zoomTo(node), { class: 'name' }); }

  zoomTo(node) {
    this.app.go({ zoom: node === this.root ? 0 : node });
    this.app.say(this.describe({ node: this.zoom }));
  }

  // --- pointing ---

  boxAt({ offsetX, offsetY }) {
    const level = floor(offsetY / this.boxHeight);
    return this.boxes.find((box) => box.level === level && offsetX >= box.left && offsetX < box.left + box.width);
  }

  // A change, or an estimate; below a function the stacks of several nodes are one, of which no interval is known.
  amountOf(box) {
    const { explorer, state } = this, { merged, node, value } = box;
    return this.sides[1] ? this.changeOf(box) : merged || this.root > 0 ? { value: merged ? value : this.sums[node], low: NaN, high: NaN }
      : explorer.amountOf([explorer.of(state).pick('nodes', node, this.kind)]);
  }

  describe(box) {
    const { node, merged } = box, amount = this.amountOf(box), share = amount.before ? '' : shareText(amount.value, this.sums[this.root]);
    return `${merged ? `${merged} smaller in ` : ''}${this.nodeName(node)}: ${amountText(amount, this.kind)} ${share} ${this.classOf(box)}`;
  }

  point(box) {
    this.hint.textContent = box ? this.describe(box) : this.help;
  }

  onClick(event) {
    const node = this.boxAt(event)?.node;
    if (event.shiftKey && node > 0) {
      this.app.open(this.tree.name[node]);
    } else if (node >= 0) {
      this.zoomTo(max(node, this.root));
    }
  }
}

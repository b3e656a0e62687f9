// What is looked at, as files and texts for elsewhere; nothing of it leaves the machine by itself.

// Stacks of a flame graph from where one has zoomed on: {node, values}, of a comparison two, whole numbers that
// add up to the rounded totals.
function wholeStacks({ tree, sums: [widths, ...both] }, zoom) {
  const sides = both.length > 1 ? both : [widths], { parent, count } = tree, stacks = [];
  const own = sides.map((side) => Float64Array.from(side)), total = sides.map(() => 0);
  for (let node = count - 1; node > 0; node--) {
    own.forEach((side, i) => { side[parent[node]] -= sides[i][node]; });
  }
  const isBelow = new Uint8Array(count);
  for (let node = 0; node < count; node++) {
    isBelow[node] = node === zoom || isBelow[parent[node]];
    if (isBelow[node] && node > 0) {
      const values = own.map((side, i) => max(0, Math.round(total[i] + side[node]) - Math.round(total[i])));
      own.forEach((side, i) => { total[i] += side[node]; });
      if (values.some(Boolean)) {
        stacks.push({ node, values });
      }
    }
  }
  return stacks;
}

// As --format=folded; of a comparison as --format=difffolded.
function foldedText({ tree, stacks, nameOf }) {
  const clean = (node) => nameOf(node).replace(/;/g, ':').replace(/ (?=\d+$)/, '_');
  return stacks.map(({ node, values }) => `${nodesTo(tree, node).map(clean).join(';')} ${values.join(' ')}\n`).join('');
}

// From the root.
function nodesTo({ parent }, node) {
  const nodes = [];
  for (let at = node; at > 0; at = parent[at]) {
    nodes.push(at);
  }
  return nodes.reverse();
}

// A profile of each side, with its stacks from the root.
function speedscopeText({ tree, stacks, nameOf, types, isSpace }) {
  const numbers = new Map(), frames = [];
  const frame = (node) => kept(numbers, tree.name[node], () => frames.push({ name: nameOf(node) }) - 1);
  const samples = stacks.map(({ node }) => nodesTo(tree, node).map(frame));
  return JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json', shared: { frames },
    profiles: types.map(({ type }, i) => ({ type: 'sampled', name: type, unit: isSpace ? 'bytes' : 'none', startValue: 0,
      endValue: sumOf(stacks, ({ values }) => values[i]), samples, weights: stacks.map(({ values }) => values[i]) })),
  });
}

// RFC 4180.  A text that spreadsheets would take for a formula begins with an apostrophe.
function csvText(rows) {
  const cell = (value) => (typeof value === 'number' ? (Number.isFinite(value) ? value : '')
    : `"${value.replace(/^[=+@\t\r-]/, "'$&").replace(/"/g, '""')}"`);
  return rows.map((row) => `${row.map(cell).join()}\r\n`).join('');
}

// All rows of the table, with all digits.
function csvOf({ explorer, model, state }) {
  const ends = (key, { value, low, high }) => ({ [key]: value, [`${key}_low`]: low, [`${key}_high`]: high });
  const names = explorer.foundRows(state), key = comparedBy(state), values = explorer.growth && explorer.values(state, names, key);
  const grown = (name, i) => {
    const { slope, least, p, sampling, shape, isSignificant } = explorer.growth.tell(state, key, name, values[i]);
    return { slope, at_least: least, p_growth: p, p_sampling: sampling, shape, significant: String(isSignificant) };
  };
  const rows = names.map((name, i) => {
    const row = explorer.row(state, name, true), change = row[key];
    return { name: safeText(fullName(model, name)), class: model.classOf[name], ...(!model.comparison ? { ...ends('flat', row.flat), ...ends('cum', row.cum) }
      : { ...ends(change.sides[0], change.before), ...ends(change.sides[1], change.after), ...ends('change', { ...change, value: change.change }),
        p: change.p, status: statusOf(change), ...(values ? grown(name, i) : {}) }) };
  });
  return csvText([Object.keys(rows[0] || {}), ...rows.map(Object.values)]);
}

// The flame graph as it is drawn.
function svgOf(flames) {
  const inert = (text) => text.replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`), { boxHeight, canvas } = flames, style = flames.style();
  const put = flames.boxes.map((box) => {
    const [fill, color] = flames.fillOf(box, style);
    return `<g transform="translate(${box.left} ${box.level * boxHeight})"><title>${inert(flames.describe(box))}</title><rect width="${box.width}" height="${boxHeight - 1}" fill="${fill}"/><text x="4" y="${boxHeight * 0.65}" fill="${color}">${inert(flames.labelOf(box, style))}</text></g>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${canvas.clientWidth}" height="${canvas.clientHeight}" font-family="monospace" font-size="${boxHeight * 0.6}">\n${put.join('')}</svg>\n`;
}

// The command that prints the same in a terminal, whose inputs are to be filled in, and a message if a part is missing.
// Facets are left out, and names that would control a terminal where they are pasted, as in `next` of JSON.
function commandOf({ model, explorer: { growth }, state }) {
  const { metric, view, sort, name, only, without } = state, isTrend = growth?.isWhole(state), isDiff = model.comparison, hasSides = isDiff && !isTrend && !hasNoBase(isDiff.sides);
  const pattern = name < 0 ? [] : [`^${fullName(model, name).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`];
  const isSafe = (one) => one === safeText(one) && !isFacet(one);
  const list = (rule, patterns) => patterns.map((one) => (isFacet(one) ? one : `--${rule}=${one}`));
  const words = [isTrend ? 'trend' : isDiff ? 'diff' : pattern.some(isSafe) ? 'peek' : 'top', `--metric=${model.metrics[metric].name}`, `--frames=${view}`, `--by=${model.by}`,
    `--confidence=${+(100 * model.confidence).toFixed(9)}`, isDiff ? sort === 'cum' && '--cum' : `--sort=${sort}`,
    ...model.read, ...model.filters.map(({ rule, pattern: one }) => `--${rule}=${one}`), ...list('focus', isDiff ? only.concat(pattern) : only),
    ...list('ignore', without), ...(isDiff ? [] : pattern)].filter(Boolean);
  const texts = words.filter(isSafe).map((text) => (/^[\w=-]*$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`)).join(' ');
  return [`hprof-agg ${texts} ${hasSides ? 'BASE... --to NEW...' : 'INPUT...'}`, !words.every(isSafe) && 'Copied in part'];
}

// --- out of the page ----------------------------------------------------------------------------------

function saveFile(name, type, content) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  make('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10000);
}

// Also where a file has no clipboard of its own.
function copyText(app, text, done) {
  const area = make('textarea', {}, text), had = document.activeElement;
  byId('main').append(area);
  area.select();
  app.say(document.execCommand('copy') ? done || 'Copied' : 'Not copied');
  area.remove();
  had.focus();
}

// What the flame graph shows, for files of stacks; types are named as pprof does.
function shownStacks({ explorer, model, state, flames }) {
  const { name, unit } = model.metrics[state.metric], shown = explorer.flames(state), { tree } = shown, names = new Map();
  const type = name.replace(/^(inuse|alloc)-/, '$1_'), nameOf = (node) => kept(names, tree.name[node], () => safeText(fullName(model, tree.name[node])));
  return {
    tree, nameOf, stacks: wholeStacks(shown, flames.zoom), isSpace: explorer.kind(state) === 'bytes',
    types: (model.comparison?.sides.map((side) => `${side}_`) || ['']).map((side) => ({ type: side + type, unit: unit === 'objects' ? 'count' : unit })),
  };
}

function makeExports(app) {
  const save = (text, name, type, make) => pushButton(text, async () => saveFile(name, type, await make(app)));
  const stacks = (make) => () => make(shownStacks(app));
  return make('details', { id: 'exports' }, make('summary', {}, 'Save or copy'), make('div', { class: 'row' },
    save('Table as CSV', 'heap.csv', 'text/csv', csvOf),
    save('Stacks, folded', 'heap.folded', 'text/plain', stacks(foldedText)),
    save('Stacks for pprof', 'heap.pb.gz', 'application/gzip', stacks(pprofOf)),
    save('Stacks for speedscope', 'heap.speedscope.json', 'application/json', stacks(speedscopeText)),
    save('Flame graph as SVG', 'heap.svg', 'image/svg+xml', () => svgOf(app.flames)),
    pushButton('Copy the command', () => copyText(app, ...commandOf(app)))));
}

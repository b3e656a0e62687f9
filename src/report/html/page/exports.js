// What is looked at, as files and texts for elsewhere; nothing of it leaves the machine by itself.

// Stacks that the flame graph shows, as --format=folded: whole numbers that add up to the rounded total; of a
// comparison two, as --format=difffolded.
function foldedText({ tree, sums: [widths, ...both] }, zoom, nameOf) {
  const sides = both.length > 1 ? both : [widths], { parent, count } = tree;
  const own = sides.map((side) => Float64Array.from(side)), total = sides.map(() => 0), paths = [''], lines = [];
  const clean = (node) => safeText(nameOf(node)).replace(/;/g, ':').replace(/ (?=\d+$)/, '_');
  for (let node = count - 1; node > 0; node--) {
    own.forEach((side, i) => { side[parent[node]] -= sides[i][node]; });
  }
  for (let node = 1; node < count; node++) {
    const up = paths[parent[node]], path = paths[node] = (up ? `${up};` : '') + clean(node);
    if (isBelow(tree, node, zoom)) {
      const values = own.map((side, i) => Math.round(total[i] + side[node]) - Math.round(total[i]));
      own.forEach((side, i) => { total[i] += side[node]; });
      if (values.some(Boolean)) {
        lines.push(`${path} ${values.join(' ')}\n`);
      }
    }
  }
  return lines.join('');
}

function isBelow({ parent }, node, zoom) {
  let at = node;
  while (at > zoom) {
    at = parent[at];
  }
  return at === zoom;
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
  const rows = explorer.foundRows(state).map((name) => {
    const row = explorer.row(state, name, true), { flat, cum } = row, change = row[comparedBy(state)];
    return { name: safeText(fullName(model, name)), class: model.classOf[name], ...(!model.comparison ? { ...ends('flat', flat), ...ends('cum', cum) }
      : { ...ends('base', change.before), ...ends('new', change.after), ...ends('change', { ...change, value: change.change }),
        p: change.p, status: statusOf(change) }) };
  });
  return csvText([Object.keys(rows[0] || {}), ...rows.map(Object.values)]);
}

// The flame graph as it is drawn.
function svgOf(flames) {
  const inert = (text) => text.replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`), { boxes, canvas } = flames;
  const style = flames.style(), put = boxes.map((box) => {
    const [fill, color] = flames.fillOf(box, style), left = box.left.toFixed(2), top = box.level * BOX_HEIGHT;
    return `<g transform="translate(${left} ${top})"><title>${inert(flames.describe(box))}</title><rect width="${box.width.toFixed(2)}" height="17" ` +
      `fill="${fill}"/><text x="4" y="12.5" fill="${color}">${inert(flames.labelOf(box, style))}</text></g>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${canvas.clientWidth}" height="${canvas.clientHeight}" font-family="monospace" ` +
    `font-size="12">\n${put.join('')}</svg>\n`;
}

// What prints the same in a terminal; the inputs are to be filled in.
function commandOf({ model, state: { metric, view, sort, name, only, without } }) {
  const pattern = name < 0 ? [] : [`^${fullName(model, name).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`], isDiff = model.comparison;
  const list = (rule, patterns) => patterns.map((one) => `--${rule}=${one}`);
  const words = [isDiff ? 'diff' : name < 0 ? 'top' : 'peek', `--metric=${model.metrics[metric].name}`, `--frames=${view}`, `--by=${model.by}`,
    `--confidence=${+(100 * model.confidence).toFixed(9)}`, ...(isDiff ? (sort === 'cum' ? ['--cum'] : []) : [`--sort=${sort}`]),
    ...model.filters.map(({ rule, pattern: one }) => `--${rule}=${one}`), ...list('focus', isDiff ? only.concat(pattern) : only),
    ...list('ignore', without), ...(isDiff ? [] : pattern)];
  const quoted = words.map((word) => (/^[\w=-]*$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`));
  return `hprof-agg ${quoted.join(' ')} ${isDiff ? 'BASE... --to NEW...' : 'INPUT...'}`;
}

// --- out of the page ----------------------------------------------------------------------------------

function saveText(name, type, text) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  make('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10000);
}

// Also where a file has no clipboard of its own.
function copyText(app, text) {
  const area = make('textarea', {}, text), had = document.activeElement;
  byId('main').append(area);
  area.select();
  app.say(document.execCommand('copy') ? 'Copied' : 'The browser lets no page copy');
  area.remove();
  had.focus();
}

function makeExports(app) {
  const save = (text, name, type, make) => pushButton(text, () => saveText(name, type, make()));
  return make('details', { id: 'exports' }, make('summary', {}, 'Save or copy'), make('div', { class: 'row' },
    save('Table as CSV', 'heap.csv', 'text/csv', () => csvOf(app)),
    save('Stacks, folded', 'heap.folded', 'text/plain', () => foldedText(app.explorer.flames(app.state), app.flames.zoom, app.flames.fullName)),
    save('Flame graph as SVG', 'heap.svg', 'image/svg+xml', () => svgOf(app.flames)),
    pushButton('Copy the command', () => copyText(app, commandOf(app)))));
}

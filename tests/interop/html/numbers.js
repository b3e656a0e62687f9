// Every number of the page's table and screen of a function is the command line's: values to 1e-9, ends of
// intervals to 1e-6, rows in one order; of real dumps, in three views, under eight filters.
//
// usage: node --test numbers.js -- (in the environment: BINARY TESTDATA QUANTILES [ALL])
const assert = require('assert');
const { execFileSync } = require('child_process');
const path = require('path');
const test = require('node:test');
const { Program, load } = require('./report.js');

const { BINARY, TESTDATA, QUANTILES, ALL } = process.env;
const program = new Program(BINARY, TESTDATA);
const DUMPS = {
  'C++': [program.symbols, 'golden/cxx.heap'],
  'four processes': [program.symbols, 'golden/procs1.heap', 'golden/procs2.heap', 'golden/procs3.heap', 'golden/procs4.heap'],
  Go: ['--no-symbols', 'formats/go-text.heap'],
  redis: ['--no-symbols', 'real/redis_lg13.27533.13.f.heap.gz'],
  postgres: ['--no-symbols', 'real/postgres_lg13.17969.0.f.heap.gz'],
};
// Offsets of frames without a function; those of others are not in a report.
const OFFSETS = '0x[0-9a-f]*[02468ace]$';
const FILTERS = [
  { only: [], without: [] },
  { only: ['main'], without: [] },
  { only: [], without: ['main'] },
  { only: ['^[a-z_]+$'], without: [] },
  { only: ['lib[a-z]+\\.so', '\\.c(pp|c)?$'], without: [] },
  { only: [], without: [OFFSETS, 'std::(vector|__cxx11)'] },
  { only: ['(?i)ALLOC|runtime'], without: ['string\\b'] },
  { only: ['.'], without: ['[0-9]{3,}.*[bd]$'] },
];
const HAS_NO_NAMES = ['redis', 'postgres'];
const VIEWS = ['no-std', 'no-libs', 'no-alloc'];

// --- quantiles ----------------------------------------------------------------------------------------

test('quantiles of the gamma distribution equal those of the library', () => {
  const { page } = load(program.write('quantiles', '--no-symbols', program.file('golden/cxx.heap')));
  const lines = execFileSync(QUANTILES, { encoding: 'utf8' }).trim().split('\n');
  let worst = 0;
  for (const line of lines) {
    const [shape, p, below, above] = line.split(' ').map(Number);
    for (const [want, is] of [[below, false], [above, true]]) {
      const got = page.gammaQuantile(shape, p, is);
      const off = want === got ? 0 : Math.abs(got - want) / want;
      worst = Math.max(worst, off);
      assert.ok(off <= 1e-9, `shape ${shape}, p ${p}, ${is ? 'above' : 'below'}: ${got}, not ${want}`);
    }
  }
  assert.ok(lines.length > 1000);
  console.log(`# ${2 * lines.length} quantiles, none further off than ${worst}`);
});

// --- tables -------------------------------------------------------------------------------------------

// A value of JSON has three decimals, and an end nine digits.
function same(got, want, what) {
  assert.ok(Math.abs(got.value - want.estimate) <= Math.abs(want.estimate) * 1e-9 + 0.00051,
    `${what}: ${got.value}, not ${want.estimate}`);
  for (const end of ['low', 'high']) {
    const is = want[end] === null ? Number.isNaN(got[end])
      : Math.abs(got[end] - want[end]) <= Math.abs(want[end]) * 1e-6 + 1e-6;
    assert.ok(is, `${what}: ${end} ${got[end]}, not ${want[end]}`);
  }
}

const label = (model, name) => `${model.strings[model.names.text[name]]} ${model.classOf[name]}`;

function inOrder(values) {
  values.forEach((value, i) => assert.ok(i === 0 || value <= values[i - 1], `row ${i} is larger than the one before`));
}

// Functions that hold the same are in another order where names are short.
function compareTable({ explorer, model, state, has = () => true }, json) {
  const names = explorer.rows(state);
  const rows = json ? json.rows : [];
  const keyOf = (row) => `${row.name} ${row.class}`;
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  assert.deepStrictEqual(Array.from(names, (name) => label(model, name)).sort(), [...byKey.keys()].sort());
  inOrder(names.map((name) => byKey.get(label(model, name)).flat[model.metrics[state.metric].name].estimate));
  let count = 0;
  model.metrics.forEach((metric, number) => {
    (has(metric) ? names : []).forEach((name) => {
      const row = explorer.row({ ...state, metric: number }, name, true);
      for (const key of ['flat', 'cum']) {
        same(row[key], byKey.get(label(model, name))[key][metric.name], `${label(model, name)} ${key} ${metric.name}`);
        count++;
      }
    });
  });
  return count;
}

const quoted = (text) => `^${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;

function comparePeek({ explorer, model, state }, json, name) {
  const row = json.rows.find((one) => `${one.name} ${one.class}` === label(model, name));
  const own = { ...state, name }, { flat, cum } = explorer.row(own, name, false);
  same(flat, row.flat, `${row.name} flat`);
  same(cum, row.cum, `${row.name} cum`);
  const { callers, callees } = explorer.neighbors(own);
  for (const [what, list, wants] of [['caller', callers, row.callers], ['callee', callees, row.callees]]) {
    const got = new Map(Array.from(list, (one) => [label(model, one.name), explorer.neighbor(own, one)]));
    assert.deepStrictEqual([...got.keys()].sort(), wants.map((one) => `${one.name} ${one.class}`).sort(), `${what}s of ${row.name}`);
    wants.forEach((one) => same(got.get(`${one.name} ${one.class}`), one.value, `${what} ${one.name} of ${row.name}`));
    inOrder(Array.from(list, (one) => one.value));
  }
  return 2 + callers.length + callees.length;
}

async function compare(report, args, view, filter) {
  const explorer = new report.page.Explorer(report.model);
  const state = { ...report.page.stateOfFragment(report.model, ''), view, ...filter };
  const options = [`--frames=${view}`, ...filter.only.map((p) => `--focus=${p}`),
    ...filter.without.map((p) => `--ignore=${p}`), ...args];
  const shown = { explorer, model: report.model, state };
  const json = await program.json('top', ...options);
  let count = compareTable(shown, json);
  const top = json ? [...explorer.rows(state).slice(0, 1), ...explorer.rows({ ...state, sort: 'cum' }).slice(0, 1)] : [];
  for (const name of new Set(top)) {
    const pattern = quoted(report.model.strings[report.model.names.text[name]]);
    count += comparePeek(shown, await program.json('peek', pattern, ...options), name);
  }
  return count;
}

for (const [what, [option, ...files]] of Object.entries(DUMPS)) {
  test(`${what}: sums and intervals are the command line's`, { concurrency: 2 }, async (t) => {
    const args = [option, ...files.map((file) => program.file(file))];
    const report = load(program.write(what, ...args));
    let count = 0;
    // Each filter once, in turn in each view; or each in each.
    const cases = VIEWS.flatMap((view, v) => FILTERS.map((filter, f) => ({ view, filter, is: ALL || (f + 1) % 3 === v })));
    const fits = ({ filter }) => !filter.without.includes(OFFSETS) || HAS_NO_NAMES.includes(what);
    await Promise.all(cases.filter((one) => one.is && fits(one)).map(({ view, filter }) =>
      t.test(`${view} ${JSON.stringify(filter)}`, async () => { count += await compare(report, args, view, filter); })));
    console.log(`# ${what}: ${count} numbers`);
  });
}

test('a sum in another order is the same', async () => {
  const args = ['--no-symbols', program.file('real/rep_python_same_lg15.7620.0.f.heap.gz')], { page, model } = load(program.write('same', ...args));
  const state = { ...page.stateOfFragment(model, ''), view: 'no-libs', metric: model.metrics.findIndex(({ name }) => name === 'alloc-space') };
  compareTable({ explorer: new page.Explorer(model), model, state }, await program.json('top', '--frames=no-libs', '--metric=alloc-space', ...args));
});

// --- comparisons --------------------------------------------------------------------------------------

const DIFFS = {
  'one process': ['--no-symbols', 'processes/cx.7.heap.gz', 'processes/cx.9.heap.gz'],
  RocksDB: ['--no-symbols', 'real/dbbench_lg15.18185.3.i3.heap.gz', 'real/dbbench_lg15.18185.12.i12.heap.gz'],
  'redis, a process': ['--no-symbols', 'real/redis_lg13.27533.2.i2.heap.gz', 'real/redis_lg13.27533.9.i9.heap.gz'],
  'two fleets': [program.symbols, 'golden/procs1.heap', 'golden/procs2.heap', '--to', 'golden/procs3.heap', 'golden/procs4.heap'],
  'Go, a process': ['--no-symbols', 'processes/t.1.pb.gz', 'processes/t.3.pb.gz'],
};

// Rows are in one order, too, where the page has all that the command line knows.
function compareChanges({ explorer, model, state }, json, isTold, isOther) {
  const rows = json ? json.rows : [], names = explorer.rows(state), key = state.sort;
  const byKey = new Map(rows.map((row) => [`${row.name} ${row.class}`, row]));
  assert.deepStrictEqual(Array.from(names, (name) => label(model, name)).sort(), [...byKey.keys()].sort());
  const sizes = names.map((name) => {
    const row = byKey.get(label(model, name)), { delta } = row, change = explorer.row(state, name, true)[key];
    same(change.before, row.base, `${row.name} base`);
    same(change.after, row.new, `${row.name} new`);
    assert.ok(Math.abs(change.change - delta.estimate) <= 1e-9 * row.new.estimate + 0.002 && change.isTold === isTold, `${row.name}: ${change.change}`);
    const all = [[change.low, delta.low], [change.high, delta.high], [change.p, row.p]];
    assert.ok(all.every(([got, want]) => (!isTold || want === null ? Number.isNaN(got) : Math.abs(got - want) <= Math.abs(want) * 1e-6)), row.name);
    assert.strictEqual(change.isSignificant, isTold && row.significant);
    return (isTold && row.significant ? 1e12 : 0) + Math.abs(delta.estimate);
  });
  if (isOther) {
    return 3 * names.length; // in the order of a trend
  }
  inOrder(sizes);
  if (isTold) {
    assert.deepStrictEqual(Array.from(sizes, Math.round), rows.map((row) => Math.round((row.significant ? 1e12 : 0) + Math.abs(row.delta.estimate))));
  }
  return 3 * names.length;
}

// A node is as wide as all stacks below it, each as wide as the larger of both sides.
function compareWidths({ explorer, state }) {
  const { tree, sums: [widths, base, sums] } = explorer.flames(state), held = new Float64Array(tree.count);
  const both = explorer.both(state), kind = explorer.kind(state);
  const own = both.map((one) => one.own(kind, one.leaf, new Float64Array(tree.count)));
  for (let node = tree.count - 1; node >= 0; node--) {
    held[node] += Math.max(own[0][node], own[1][node]);
    if (node > 0) {
      held[tree.parent[node]] += held[node];
    }
    assert.ok(Math.abs(widths[node] - held[node]) <= 1e-9 * held[node], `node ${node}`);
    assert.ok(widths[node] >= Math.max(base[node], sums[node]) * (1 - 1e-9));
  }
}

for (const [what, [option, ...files]] of Object.entries(DIFFS)) {
  test(`diff of ${what}: sums, intervals and p are the command line's`, async () => {
    const args = [option, ...files.map((file) => (file === '--to' ? file : program.file(file)))];
    const { page, model } = load(program.writeOf('diff', `diff ${what}`, ...args)), explorer = new page.Explorer(model);
    let count = 0;
    const cases = VIEWS.flatMap((view, v) => FILTERS.map((filter, f) => ({ view, filter, f, is: ALL || (f + 1) % 3 === v || f === 0 })));
    for (const { view, filter, f } of cases.filter((one) => one.is && !one.filter.without.includes(OFFSETS))) {
      const state = { ...page.stateOfFragment(model, ''), view, sort: f % 2 ? 'cum' : 'flat', ...filter };
      const options = [`--frames=${view}`, ...(state.sort === 'cum' ? ['--cum'] : []), ...filter.only.map((p) => `--focus=${p}`),
        ...filter.without.map((p) => `--ignore=${p}`), ...args];
      count += compareChanges({ explorer, model, state }, await program.json('diff', ...options), view === 'no-std' && f === 0);
      compareWidths({ explorer, state });
    }
    console.log(`# diff of ${what}: ${count} numbers`);
  });
}

// What shrank is the base and what grew is new; neither has an interval, nor a change a p.
const asChanges = (json) => json && { ...json, rows: json.rows.map((row) => ({ ...row, base: row.shrank, new: row.grew, p: null, significant: false })) };

for (const name of ['delta', 'leak']) {
  test(`difference of two profiles, ${name}: growth and shrinkage are the command line's`, async () => {
    const args = ['--no-symbols', program.file(`differences/${name}.pb.gz`)];
    const { page, model } = load(program.write(`difference ${name}`, ...args)), explorer = new page.Explorer(model), first = page.stateOfFragment(model, '');
    let count = 0;
    for (const view of VIEWS) {
      for (const [f, filter] of FILTERS.filter(({ without }) => !without.includes(OFFSETS)).entries()) {
        const state = { ...first, view, sort: f % 2 ? 'cum' : 'flat', ...filter };
        const json = await program.json('diff', `--frames=${view}`, ...(state.sort === 'cum' ? ['--cum'] : []), ...filter.only.map((p) => `--focus=${p}`),
          ...filter.without.map((p) => `--ignore=${p}`), ...args);
        count += compareChanges({ explorer, model, state }, asChanges(json), view === 'no-std' && f === 0);
        compareWidths({ explorer, state });
        for (const row of explorer.rows(state)) {
          const changed = explorer.row(state, row, true)[state.sort], own = json.rows.find((one) => `${one.name} ${one.class}` === label(model, row));
          assert.deepStrictEqual([page.statusOf(changed), page.lookOf(changed)], [own.status, { grew: 'more', shrank: 'less' }[own.status] || own.status]);
        }
      }
    }
    assert.ok(count > 20);
    assert.match(page.commandOf({ model, explorer, state: first })[0], /^hprof-agg diff .* INPUT\.\.\.$/);
    console.log(`# ${name}: ${count} numbers`);
  });
}

// --- series -------------------------------------------------------------------------------------------

const dumpsOf = (name, numbers) => numbers.map((n) => `real/${name}.${n}.${n === 13 ? 'f' : `i${n}`}.heap.gz`);
const SERIES = {
  'redis, its dumps': ['--no-symbols', ...dumpsOf('redis_lg13.27533', Array.from({ length: 14 }, (_, i) => i))],
  'RocksDB, with times': ['--no-symbols', '--time-from=\\.(\\d+)\\.[if]\\d*\\.heap', ...dumpsOf('dbbench_lg15.18185', [0, 3, 6, 9, 12, 13])],
  'a leak, three dumps': ['--no-symbols', ...[7, 8, 9].map((n) => `processes/cx.${n}.heap.gz`)],
  'two processes': ['--no-symbols', ...dumpsOf('redis_lg13.27533', [0, 3, 5, 6, 9, 10, 11, 12]), ...dumpsOf('mariadbd_lg14.15432', [0, 6, 12, 13])],
};

function near(got, want, what, relative = 1e-9, more = 6e-4) {
  assert.ok(want === null ? Number.isNaN(got) : Math.abs(got - want) <= relative * Math.abs(want) + more, `${what}: ${got}, not ${want}`);
}

// Of one process, in the order of the command line.
function compareTrend({ page, explorer, model, state }, json) {
  const { growth } = explorer, kind = explorer.kind(state), key = state.sort, { name: process, told } = growth.processOf(state);
  const rows = (json ? json.rows : []).filter((row) => (row.process || process) === process), names = Array.from(explorer.rows(state));
  const byKey = new Map(rows.map((row) => [`${row.name} ${row.class}`, row])), isTold = growth.isTold(state);
  assert.deepStrictEqual(names.map((name) => label(model, name)).sort(), [...byKey.keys()].sort());
  const values = explorer.values(state, names, key);
  const sizes = names.map((name, i) => {
    const row = byKey.get(label(model, name)), change = explorer.row(state, name, true)[key];
    const grown = growth.tell(state, key, name, values[i]), most = Math.max(...row.values), unit = growth.time(state.to) - growth.time(state.from);
    near(change.before.value, row.first, `${row.name} first`);
    near(change.after.value, row.last, `${row.name} last`);
    near(grown.slope, row.slope, `${row.name} slope`, 1e-8, 1e-9 * most * Math.max(1, 1 / unit) + 1e-6);
    near(growth.slope(values[i], state, growth.processOf(state)), row.slope, `${row.name}, its line`, 1e-8, 1e-8 * most * Math.max(1, 1 / unit) + 1e-6);
    row.values.forEach((value, dump) => near(values[i][dump], value, `${row.name} ${dump}`, 1e-8));
    for (const [number, wanted] of [['least', row.at_least], ['p', row.p], ['sampling', row.p_sampling]]) {
      near(grown[number], isTold ? wanted : null, `${row.name} ${number}`, 1e-6, 0);
    }
    assert.deepStrictEqual([grown.shape, grown.isSignificant], [isTold && told ? { none: '-', levelled: 'plateau' }[row.shape] || row.shape : '-', isTold && row.significant], row.name);
    assert.ok(page.lineText(values[i]).length === Math.min(row.values.length, 20));
    return (isTold && row.significant ? 1e12 : 0) + Math.round(Math.abs(row.last - row.first));
  });
  inOrder(sizes);
  assert.ok(isTold || !names.length || !sizes.some((size) => size > 1e12));
  return names.length * (4 + growth.processOf(state).count);
}

for (const [what, [option, ...rest]] of Object.entries(SERIES)) {
  test(`trend of ${what}: values, slopes, bounds and shapes are the command line's`, async () => {
    const files = rest.filter((one) => !one.startsWith('--')).map((file) => program.file(file));
    const args = [option, ...rest.filter((one) => one.startsWith('--')), ...files];
    const { page, model } = load(program.writeOf('trend', `trend ${what}`, ...args)), explorer = new page.Explorer(model);
    const first = page.stateOfFragment(model, ''), { processes, dumps } = model.series;
    let count = 0;
    for (const { view, filter, f } of VIEWS.flatMap((one, v) => FILTERS.map((each, f) => ({ view: one, filter: each, f, is: f === 0 || (f + 1) % 3 === v })))
      .filter(({ is, filter: { without } }) => is && !without.includes(OFFSETS))) {
      const options = [`--frames=${view}`, ...(f % 2 ? ['--cum'] : []), ...filter.only.map((p) => `--focus=${p}`), ...filter.without.map((p) => `--ignore=${p}`)];
      const json = await program.json('trend', ...options, ...args);
      for (const process of processes) {
        const state = { ...first, view, ...filter, sort: f % 2 ? 'cum' : 'flat', from: process.first, to: process.first + process.count - 1 };
        count += compareTrend({ page, explorer, model, state }, json);
      }
    }
    // Two dumps of it are a diff; the first and the last as the command has tested them.
    const { first: start, count: length } = processes[model.series.process], last = start + length - 1;
    for (const [from, to, sort] of [[start, last, 'flat'], [start, last, 'cum'], [start, start + 1, 'flat'], [start + 1, last, 'cum'], [last - 1, last, 'flat']]) {
      const state = { ...first, from, to, sort }, isTold = from === start && to === last;
      const json = await program.json('diff', option, ...(sort === 'cum' ? ['--cum'] : []), dumps.name[from], dumps.name[to]);
      const is = new Set(json.rows.map((row) => `${row.name} ${row.class}`));
      const shown = { rows: (one) => explorer.rows(one).filter((name) => is.has(label(model, name))), row: (...one) => explorer.row(...one) };
      assert.ok(isTold || explorer.rows(state).length === json.rows.length);
      count += compareChanges({ explorer: isTold ? shown : explorer, model, state: { ...state } }, json, isTold, isTold);
      compareWidths({ explorer, state });
    }
    console.log(`# trend of ${what}: ${count} numbers`);
  });
}

// --- folded frames ------------------------------------------------------------------------------------

// The frames of a stack, from its end on, as schema/html.md says which are shown: [{name, isShown}].
function framesOf({ classes, ends, frame, frames, parent, truncated, views }, { view, name }, end) {
  const all = [];
  for (let node = ends[end]; node >= 0; node = parent[node]) {
    all.push(frame[node]);
  }
  const none = classes.indexOf('none'), allocator = classes.indexOf('allocator'), rest = all.filter((f) => f !== truncated);
  const isAsked = (f) => frames.name[f] === name && (frames.function[f] > 0 || frames.class[f] !== allocator);
  const isFolded = (f) => (views[view] >> frames.class[f] & 1) === 1 && !isAsked(f), nearest = rest.find((f) => !isFolded(f));
  const allocating = rest.findIndex((f) => !(frames.class[f] === allocator && isFolded(f))), at = allocating < 0 ? rest.length - 1 : allocating;
  const kept = (nearest === undefined || frames.class[nearest] === none) && isFolded(rest[at]) ? at : -1;
  return all.map((f, i) => ({ name: frames.name[f], isShown: i === kept || !isFolded(f), isHidden: frames.hidden[f] === 1 })).filter(({ isHidden }) => !isHidden);
}

// What is between the first call of `callee` by `caller`, from the root; null: there is none.
function between(stack, caller, callee) {
  const shown = stack.map((one, i) => i).filter((i) => stack[i].isShown).reverse();
  const at = shown.findIndex((i, k) => k > 0 && stack[i].name === callee && stack[shown[k - 1]].name === caller);
  return at < 0 ? null : stack.slice(shown[at] + 1, shown[at - 1]).map(({ name }) => name).reverse();
}

// Each way of a tree with what it has itself.
function waysOf(below, ways = {}, path = []) {
  for (const [name, one] of below) {
    const own = [...path, name], rest = one.values.map((value, i) => value - [...one.below.values()].reduce((sum, { values }) => sum + values[i], 0));
    if (rest.some((value) => Math.abs(value) > 1e-3)) {
      ways[own.join()] = rest;
    }
    waysOf(one.below, ways, own);
  }
  return ways;
}

function compareWays({ model, explorer, state }, pick, below) {
  const wanted = {}, isChosen = explorer.ends(state), columns = explorer.sides(state).map((number) => model.columns[number]);
  model.ends.forEach((_, end) => {
    const all = !isChosen || isChosen[end] ? pick(framesOf(model, state, end)) : null, way = all && all.filter((name) => model.classOf[name] !== 'allocator');
    const key = way && (way.length > 0 ? way : [-1]).join();
    if (way) {
      wanted[key] = columns.map(({ sum, values }, i) => (wanted[key] ? wanted[key][i] : 0) + values[explorer.kind(state)][sum[end]]);
    }
  });
  const got = waysOf(below);
  assert.deepStrictEqual(Object.keys(got).sort(), Object.keys(wanted).filter((key) => wanted[key].some((value) => value > 1e-3)).sort());
  Object.entries(got).forEach(([key, values]) => values.forEach((value, i) => near(value, wanted[key][i], key, 1e-9, 0.01)));
  return Object.keys(got).filter((key) => key !== '-1').length;
}

// Of every function, what each call goes through; together that is what the row has.
function compareFolded(shown) {
  let count = 0;
  for (const name of shown.explorer.rows(shown.state).slice(0, 6)) {
    const state = { ...shown.state, name }, one = { ...shown, state }, { callers, callees } = shown.explorer.neighbors(state), passes = shown.explorer.passes(state);
    count += compareWays(one, (stack) => {
      const leaf = stack.findIndex(({ isShown }) => isShown);
      return leaf >= 0 && stack[leaf].name === name ? stack.slice(0, leaf).map((frame) => frame.name).reverse() : null;
    }, shown.explorer.folded(state));
    for (const [list, callOf] of [[callers, (other) => [other, name]], [callees, (other) => [name, other]]]) {
      for (const { name: other, nodes, value } of list) {
        const below = shown.explorer.folded(state, nodes), ways = compareWays(one, (stack) => between(stack, ...callOf(other)), below);
        const sums = [...below.values()].reduce((all, { values }) => values.map((number, i) => number + (all[i] || 0)), []);
        assert.ok(sums.length > 1 || Math.abs(sums[0] - value) <= 1e-9 * value + 0.01, `${sums}, not ${value}`);
        assert.ok(ways === 0 || nodes.some((node) => passes[node]), 'what is folded can be opened');
        count += ways;
      }
    }
  }
  return count;
}

const FOLDED = {
  'C++': ['top', DUMPS['C++']],
  'a server': ['top', ['--no-symbols', 'frames/server.pb.gz']],
  'postgres, of the allocator alone': ['top', DUMPS.postgres],
  'a diff': ['diff', ['--no-symbols', 'processes/t.1.pb.gz', '--to', 'frames/server.pb.gz']],
};

for (const [what, [command, [option, ...files]]] of Object.entries(FOLDED)) {
  test(`folded frames of ${what} have the sums of their stacks`, () => {
    const args = files.map((file) => (file.startsWith('-') ? file : program.file(file)));
    const { page, model } = load(program.writeOf(command, `folded frames of ${what}`, option, ...args)), explorer = new page.Explorer(model);
    let count = 0;
    for (const [v, view] of VIEWS.slice(0, 2).entries()) {
      for (const filter of [FILTERS[0], FILTERS[v + 2]]) {
        count += compareFolded({ model, explorer, state: { ...page.stateOfFragment(model, ''), view, ...filter } });
      }
    }
    assert.strictEqual(count > 5, !/allocator/.test(what));
    console.log(`# folded frames of ${what}: ${count} ways`);
  });
}

// --- facets -------------------------------------------------------------------------------------------

// What the rows of a report hold together by `key`, the largest first, as many as the page has.
function largestBy(rows, key, value) {
  const held = new Map();
  for (const row of rows) {
    held.set(key(row), (held.get(key(row)) || 0) + value(row));
  }
  return [...held].filter(([, sum]) => sum > 0).sort(([, a], [, b]) => b - a).slice(0, 8);
}

// Of what holds the same nobody says which comes first.
function compareFacet(facet, wanted, valueOf = ({ value }) => value) {
  const held = Array.from(facet.held, ({ text, amount }) => [text || '[unmapped]', valueOf(amount)]), known = new Map(wanted);
  assert.strictEqual(held.length, wanted.length, facet.key);
  held.forEach(([text, value], i) => {
    near(value, wanted[i][1], `${facet.key} ${i}`, 1e-9, 0.01);
    near(known.get(text) ?? value, value, `${facet.key} ${text}`, 1e-9, 0.01);
  });
  assert.ok(held.filter(([text]) => known.has(text)).length >= held.length - 1, `${facet.key}: ${held} and ${wanted}`);
  return held.length;
}

const flatOf = (metric) => (row) => row.flat[metric].estimate;

// Filters of the page are those of the command; each value can be kept, or left out.
async function compareFacets({ page, model }, args, state, options) {
  const explorer = new page.Explorer(model), metric = model.metrics[state.metric].name, total = explorer.total(state).value;
  const [rows, modules] = (await Promise.all([[], ['--by=module']].map((by) => program.json('top', ...options, ...by, ...args))))
    .map((json) => (json ? json.rows : []));
  const facets = page.heldFacets(explorer, state), [classes, places] = facets;
  let count = compareFacet(classes, largestBy(rows, (row) => row.class, flatOf(metric))) + compareFacet(places, largestBy(modules, (row) => row.name, flatOf(metric)));
  for (const { key, held } of facets) {
    for (const { text, amount: { value } } of held) {
      near(explorer.total({ ...state, only: [...state.only, `?${key}=${text}`] }).value, value, `only ${key} ${text}`);
      near(explorer.total({ ...state, without: [...state.without, `?${key}=${text}`] }).value, total - value, `without ${key} ${text}`, 1e-9, 1e-6 * total);
      count += 2;
    }
  }
  return count;
}

for (const [what, [option, ...files]] of Object.entries(DUMPS)) {
  test(`facets of ${what} have the sums of classes and modules`, async () => {
    const args = [option, ...files.map((file) => program.file(file))], { page, model } = load(program.write(`facets of ${what}`, ...args));
    let count = 0;
    for (const [v, view] of VIEWS.entries()) {
      for (const filter of [FILTERS[0], FILTERS[v + 1]]) {
        const options = [`--frames=${view}`, ...filter.only.map((p) => `--focus=${p}`), ...filter.without.map((p) => `--ignore=${p}`)];
        count += await compareFacets({ page, model }, args, { ...page.stateOfFragment(model, ''), view, ...filter }, options);
      }
    }
    const explorer = new page.Explorer(model), state = page.stateOfFragment(model, ''), [first] = explorer.rows({ ...state, sort: 'cum' });
    const sumOf = (one) => page.heldFacets(explorer, one)[0].held.reduce((sum, { amount }) => sum + amount.value, 0);
    near(sumOf({ ...state, name: first }), explorer.row(state, first, false).cum.value, 'those of a function');
    near(sumOf({ ...state, search: 'l' }), explorer.found({ ...state, search: 'l' }).value, 'those of what is found');
    console.log(`# facets of ${what}: ${count} numbers`);
  });
}

// What samples have beside stacks, or what tells their inputs apart, as the command was asked for it.
const LABELED = { 'threads of one process': ['--by=thread', 'golden/procs4.heap'], 'threads of four': ['--by=thread', ...DUMPS['four processes'].slice(1)],
  'threads with names': ['--by=thread', 'formats/jemalloc-threadname.heap'], 'a label of tcmalloc': ['--by=label:access_hint', 'formats/tcmalloc.pb.gz'],
  'four inputs': ['--by=input', ...DUMPS['four processes'].slice(1)], 'four processes': ['--by=process', ...DUMPS['four processes'].slice(1)],
  'two programs': ['--by=program', 'golden/procs1.heap', 'golden/cxx.heap', 'golden/procs2.heap'] };

async function compareLabels(by, args) {
  const { page, model } = load(program.write(`facet ${by}`, '--no-symbols', by, ...args)), explorer = new page.Explorer(model);
  let count = 0;
  for (const [view, filter] of [['no-std', FILTERS[0]], ['no-alloc', FILTERS[3]], ['no-libs', FILTERS[5]]]) {
    const options = [`--frames=${view}`, ...filter.only.map((p) => `--focus=${p}`), ...filter.without.map((p) => `--ignore=${p}`)];
    const json = await program.json('top', by, '--no-symbols', ...options, ...args), state = { ...page.stateOfFragment(model, ''), view, ...filter };
    for (const [number, { name }] of model.metrics.entries()) {
      const [, , facet] = page.heldFacets(explorer, { ...state, metric: number });
      assert.strictEqual(facet.key, by.slice(5));
      count += compareFacet(facet, largestBy(json ? json.rows : [], (row) => row.name, flatOf(name)));
    }
  }
  const state = page.stateOfFragment(model, ''), own = explorer.rows(state).reduce((sum, name) => sum + explorer.row(state, name, true).flat.value, 0);
  near(own, explorer.total(state).value, 'rows stand for functions all the same');
  return count;
}

for (const [what, [by, ...files]] of Object.entries(LABELED)) {
  test(`facet of ${what} has the rows of the command line`, async () => {
    const count = await compareLabels(by, files.map((file) => program.file(file)));
    assert.ok(count > 1);
    console.log(`# facet of ${what}: ${count} numbers`);
  });
}

test('facet of a label with several values has the rows of the command line', async () => {
  const merged = path.join(program.folder, 'inputs.pb.gz');
  execFileSync(BINARY, ['merge', '-q', '--no-symbols', '--by=input', '-o', merged, ...DUMPS['four processes'].slice(1).map((file) => program.file(file))]);
  assert.ok(await compareLabels('--by=label:input', [merged]) > 8);
});

test('facet of a label of samples, or else of inputs, has the rows of the command line', async () => {
  const files = ['golden/procs1.heap', 'golden/procs2.heap', 'formats/tcmalloc.pb.gz'].map((file) => program.file(file));
  assert.ok(await compareLabels('--by=label:access_hint', ['--label-from=(?<access_hint>procs[0-9])', ...files]) > 4);
});

// Inputs that are unlike: of one process, with other periods, exact ones, some without what was allocated, groups of several.
const GROUPS = {
  'four inputs': { by: 'input', files: DUMPS['four processes'].slice(1) },
  'dumps of one process': { by: 'input', files: [0, 1, 2, 3, 4].map((i) => `golden/series/jp.10978.${i}.i${i}.heap`), options: ['--dumps=sum'] },
  'several periods': { by: 'input', files: ['formats/jemalloc-default-lg19.heap', 'formats/jemalloc-cxx.heap', 'golden/procs1.heap', 'formats/jemalloc-lg0-accum.heap'] },
  'exact and sampled': { by: 'input', files: ['formats/jemalloc-lg0.heap', 'golden/procs2.heap', 'formats/go-text.heap', 'formats/gperftools-heapprofile.heap'] },
  'a merged profile': { by: 'input', files: ['golden/procs3.heap'], isMerged: true },
  programs: { by: 'program', files: ['golden/procs1.heap', 'golden/cxx.heap', 'golden/procs2.heap', 'formats/jemalloc-cxx.heap'] },
};

// Of the metrics of all, those that a group has.
function compareGroup({ explorer, model, state }, json) {
  const has = ({ name }) => json.total[name] !== null, totals = model.metrics.map((metric, number) => [metric, explorer.total({ ...state, metric: number })]);
  for (const [metric, total] of totals) {
    assert.strictEqual(Number.isNaN(total.value), !has(metric), `${metric.name} is known`);
    if (has(metric)) {
      same(total, (json.stacks_total ?? json.total)[metric.name], 'all');
    }
  }
  return totals.length + compareTable({ explorer, model, state: { ...state, metric: model.metrics.findIndex(has) }, has }, json);
}

// Of several no interval is shorter than that of them alone.
function comparePair({ explorer, model, state }, { rows }) {
  const byKey = new Map(rows.map((row) => [`${row.name} ${row.class}`, row]));
  for (const name of explorer.rows(state)) {
    const { flat } = explorer.row(state, name, true), want = byKey.get(label(model, name)).flat[model.metrics[state.metric].name];
    assert.ok(!(flat.low > want.low * (1 + 1e-6) || flat.high < want.high * (1 - 1e-6)), `${label(model, name)}: ${flat.low} \u2026 ${flat.high} in ${want.low} \u2026 ${want.high}`);
  }
  return 2 * rows.length;
}

for (const [what, { by, files, options = [], isMerged }] of Object.entries(GROUPS)) {
  test(`${what}: one value has the rows and intervals of a report on it only`, async () => {
    const paths = files.map((file) => program.file(file)), merged = path.join(program.folder, 'one.pb.gz'), groups = new Map();
    if (isMerged) {
      execFileSync(BINARY, ['merge', '-q', '--no-symbols', '--with-error', '-o', merged, program.file('golden/procs4.heap')]);
      paths.push(merged);
    }
    const all = ['--no-symbols', ...options, ...paths], report = load(program.write('groups', `--by=${by}`, ...all));
    const explorer = new report.page.Explorer(report.model);
    for (const file of paths) {
      const [{ name }] = (await program.json('top', `--by=${by}`, '--no-symbols', ...options, file)).rows;
      groups.set(name, [...groups.get(name) || [], file]);
    }
    assert.deepStrictEqual([...groups.keys()].sort(), [...report.model.facet.values].sort());
    let count = 0;
    for (const [value, own] of groups) {
      const state = { ...report.page.stateOfFragment(report.model, ''), only: [`?${by}=${value}`] };
      count += compareGroup({ explorer, model: report.model, state }, await program.json('top', '--no-symbols', ...options, ...own));
    }
    for (const [i, [value, own]] of [...groups].slice(1).entries()) {
      const [other, more] = [...groups][i], without = [...groups.keys()].filter((one) => one !== value && one !== other).map((one) => `?${by}=${one}`);
      const state = { ...report.page.stateOfFragment(report.model, ''), without };
      count += comparePair({ explorer, model: report.model, state }, await program.json('top', '--no-symbols', ...options, ...more, ...own));
    }
    console.log(`# ${what}: ${count} numbers`);
  });
}

test('facets of a diff and of a series have the sums of both sides', async () => {
  const name = ({ name: one }) => one, sides = { base: ({ before }) => before.value, new: ({ after }) => after.value };
  for (const [command, [option, ...rest], keys] of [['diff', DIFFS.RocksDB, ['base', 'new']], ['trend', SERIES['a leak, three dumps'], ['first', 'last']]]) {
    const args = [option, ...rest.map((file) => program.file(file))], { page, model } = load(program.writeOf(command, `facets of a ${command}`, ...args));
    const explorer = new page.Explorer(model), state = { ...page.stateOfFragment(model, ''), only: ['.'] }, facets = page.heldFacets(explorer, state);
    for (const [i, key] of keys.entries()) {
      for (const [facet, by, group] of [[facets[0], [], (row) => row.class], [facets[1], ['--by=module'], name]]) {
        const json = await program.json(command, '--focus=.', `--frames=${model.view}`, ...by, ...args);
        const wanted = new Map(largestBy(json.rows, group, (row) => row[key].estimate ?? row[key]));
        facet.held.forEach(({ text, amount }) => near(Object.values(sides)[i](amount), wanted.get(text || '[unmapped]') || 0, `${text}, ${key}`, 1e-8, 0.01));
        assert.ok(facet.held.length >= wanted.size && facet.held.length > 0);
      }
    }
  }
});

// --- patterns -----------------------------------------------------------------------------------------

test('patterns match like those of the browser, and stop in time', () => {
  const { page } = load(program.write('patterns', '--no-symbols', program.file('golden/cxx.heap')));
  let seed = 1, count = 0;
  const random = (n) => { seed = (seed * 1103515245 + 12345) & 0x7fffffff; return (seed >> 8) % n; };
  const atoms = ['a', 'b', '.', '[ab]', '[^a]', '\\w', '\\d', 'x', '(a|b)', '(ab?)', '(?:a|bx)', '\\b', '^', '$', '_', '-', '\\.'];
  for (let i = 0; i < 20000; i++) {
    let pattern = '', text = '';
    for (let j = 1 + random(5); j > 0; j--) {
      const atom = atoms[random(atoms.length)];
      pattern += atom + (/^[$^]|b$/.test(atom) && atom !== 'b' ? '' : ['*', '+', '?', '{2}', '{1,2}', '+?'][random(9)] || '') +
        (random(9) === 0 ? '|' : '');
    }
    for (let j = random(9); j > 0; j--) {
      text += 'abx_-1.'[random(7)];
    }
    const { found, error } = page.searchTexts(pattern, [text], 1e6);
    assert.strictEqual(error, '', pattern);
    assert.strictEqual(Boolean(found[0]), new RegExp(pattern).test(text), `${pattern} in ${text}`);
    count++;
  }
  assert.strictEqual(count, 20000);
  for (const [pattern, text] of [['(a*)*b', 'a'.repeat(1e6)], ['(x+x+)+y', 'x'.repeat(1e6)], ['^(\\w+\\s?)*$', 'word '.repeat(1e5) + '!'],
    ['.{1,900}.{1,900}.{1,900}z', 'x'.repeat(1e6)], ['(.?){500}(.?){500}z', 'ab'.repeat(1e5)],
    ['(){9999}{9999}{9999}', '']]) {
    const texts = Array.from({ length: 10 }, (_, i) => text + i), begin = process.cpuUsage();
    page.searchTexts(pattern, texts, 400000);
    const { user, system } = process.cpuUsage(begin);
    assert.ok(user + system < 200000, `${pattern}: ${user + system} us of CPU`);
  }
  for (const bad of ['(', 'a)', '[', '*', '\\1', '(?=a)', 'a{2,1}', '\\', '(?<n>a)', 'x'.repeat(2000), '('.repeat(500)]) {
    assert.ok(page.searchTexts(bad, ['a'], 400000).error, bad);
  }
});

// --- texts and boxes ----------------------------------------------------------------------------------

test('invisible characters are escaped as on the command line', () => {
  const { page } = load(program.write('texts', '--no-symbols', program.file('golden/cxx.heap')));
  for (const [text, shown] of [['a\u00adb', 'a\\u{00AD}b'], ['\u200b\u200d', '\\u{200B}\\u{200D}'], ['\u{e0041}', '\\u{E0041}'],
    ['\ufffe\uffff\u{1ffff}', '\\u{FFFE}\\u{FFFF}\\u{1FFFF}'], ['\x1b\x7f\x85', '\\x1B\\x7F\\u{0085}'], ['\u202e', '\\u{202E}'],
    ['\u6f22\u{1f4a3} \u00e9', '\u6f22\u{1f4a3} \u00e9']]) {
    assert.strictEqual(page.safeText(text), shown);
  }
  for (const [text, most, shown] of [['ab\u{1f4a3}', 3, 'ab\u2026'], ['ab\u{1f4a3}', 4, 'ab\u{1f4a3}'], ['ab\u{1f4a3}c', 4, 'ab\u{1f4a3}\u2026'],
    ['abc', 2, 'ab\u2026'], ['abc', 3, 'abc']]) {
    assert.strictEqual(page.cutText(text, most), shown);
  }
});

test('names too long for a box lose namespaces and folders first', () => {
  const { page } = load(program.write('labels', '--no-symbols', program.file('golden/cxx.heap')));
  for (const [name, room, shown] of [['a::b::Box<c::d>::grow', 21, 'a::b::Box<c::d>::grow'], ['a::b::Box<c::d>::grow', 20, 'b::Box<c::d>::grow'],
    ['a::b::Box<c::d>::grow', 5, 'Box<c::d>::grow'], ['(anonymous namespace)::Hidden::go', 10, 'Hidden::go'], ['a::~a', 4, '~a'],
    ['github.com/a.b/c.(*T).Read', 20, 'a.b/c.(*T).Read'], ['github.com/a.b/c.(*T).Read', 3, 'c.(*T).Read'], ['malloc', 3, 'malloc']]) {
    assert.strictEqual(page.lastOf(name, room), shown);
  }
});

test('a search has the sum of its rows, also for offsets in names', () => {
  const { page, model } = load(program.write('found', '--no-symbols', program.file('real/redis_lg13.27533.13.f.heap.gz')));
  const explorer = new page.Explorer(model), state = page.stateOfFragment(model, '');
  const first = explorer.rows(state)[0], text = model.strings[model.names.text[first]];
  assert.match(text, /\+0x[0-9a-f]+$/);
  for (const search of [text.replace(/.*x/, ''), quoted(text)]) {
    const found = explorer.found({ ...state, search }), { cum } = explorer.row(state, first, true);
    assert.ok(found.value > 0 && Math.abs(found.value - cum.value) <= 1e-9 * cum.value, `${search}: ${found.value}, not ${cum.value}`);
  }
  near(explorer.total({ ...state, only: [quoted(text)] }).value, explorer.row(state, first, true).cum.value, 'a filter by the name that is shown');
});

test('a search has the sum of a filter, also if one of several frames of a name matches', () => {
  const { page, model } = load(program.write('some frames', program.symbols, program.file('golden/cxx.heap'))), { frames } = model;
  const held = new page.Explorer(model), state = { ...page.stateOfFragment(model, ''), view: 'no-alloc' };
  const shared = held.rows(state).find((name) => new Set(held.places({ ...state, name }).map(({ frame }) => frame)).size > 1);
  const { frame } = held.places({ ...state, name: shared })[0];
  frames.module[frame] = model.strings.push('/elsewhere.so') - 1;
  const explorer = new page.Explorer(model), found = explorer.found({ ...state, search: 'elsewhere' }).value;
  near(found, explorer.total({ ...state, only: ['elsewhere'] }).value, 'what filters leave');
  assert.ok(found > 0 && found < explorer.row(state, shared, true).cum.value);
});

test('old searches are forgotten', () => {
  const { page, model } = load(program.write('forgotten', '--no-symbols', program.file('golden/cxx.heap')));
  const { search } = new page.Explorer(model), first = search.search('e');
  for (let i = 0; i < 40; i++) {
    search.search(`[${i}e]`);
    assert.strictEqual(search.search('e'), first, 'what is asked for again is known');
  }
  for (let i = 0; i < 200; i++) {
    search.search(`${i}|x`);
  }
  assert.ok(search.known.size <= 50 && search.search('e') !== first);
});

test('calls of any depth are drawn, with the nearest callers', () => {
  const { page } = load(program.write('deep', '--no-symbols', program.file('golden/cxx.heap')));
  const count = 60000, parent = Int32Array.from({ length: count }, (_, i) => i - 1);
  const boxes = page.boxesOf({ count, parent, name: new Int32Array(count) }, new Float64Array(count).fill(1), count - 1, 1000);
  assert.ok(boxes.length > 100 && boxes.length < 1000 && boxes.at(-1).node === count - 1);
});

// --- addresses ----------------------------------------------------------------------------------------

test('the address restores the state, and any address is a state', () => {
  const { page, model } = load(program.write('addresses', '--no-symbols', program.file('golden/cxx.heap')));
  const state = { metric: model.metrics.length - 1, view: 'no-libs', sort: 'cum', name: 3, zoom: 2, from: 0, to: 0, search: 'a&b=%c', only: ['x y', '#'],
    without: ['\u202e', '"><img>'] };
  assert.deepEqual(page.stateOfFragment(model, `#${page.fragmentOfState(model, state)}`), state);
  assert.strictEqual(page.fragmentOfState(model, page.stateOfFragment(model, '')), '');
  const keys = Object.keys(state), words = ['metric=', 'frames=', 'sort=', 'function=', 'zoom=', 'search=', 'only=', 'without=',
    '&', '%', '%zz', '%00', '-1', '9'.repeat(30), '1e9', '__proto__=', 'constructor=', 'own', '<script>', '\ud800', '\n', '((((', 'inuse-space', '='];
  let seed = 7;
  const random = (n) => { seed = (seed * 1103515245 + 12345) & 0x7fffffff; return (seed >> 8) % n; };
  for (let i = 0; i < 20000; i++) {
    const fragment = `#${Array.from({ length: random(12) }, () => words[random(words.length)]).join('')}`;
    const got = page.stateOfFragment(model, fragment);
    assert.deepEqual(Object.keys(got).sort(), keys.slice().sort());
    assert.ok(model.metrics[got.metric] && got.view in model.views && ['flat', 'cum', 'name'].includes(got.sort), fragment);
    assert.ok(Number.isInteger(got.name) && got.name >= -1 && got.name < model.nameCount, fragment);
    assert.ok(Number.isInteger(got.zoom) && got.zoom >= 0 && got.only.length <= 20 && got.without.length <= 20, fragment);
  }
});

// Reports in Chromium and in a stock Firefox, from their files.
//
// usage: node --test pages.js, with BINARY TESTDATA PEERS HOSTILE HOSTILE_AGAIN HOSTILE_NAMES RANDOM [ALL] in the environment
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const test = require('node:test');
const { BROWSERS, back, focused, isChromium, isReady, isThere, keys, modules, open, puppeteer, resize, textOf, until } = require('./browsers.js');
const { Program, load, partsOf } = require('./report.js');

const { BINARY, TESTDATA, HOSTILE, HOSTILE_AGAIN, HOSTILE_NAMES, RANDOM } = process.env;
const AXE = fs.readFileSync(path.join(modules, 'axe-core', 'axe.min.js'), 'utf8');

const program = new Program(BINARY, TESTDATA);
const cxx = program.write('cxx', program.file('frames/server.pb.gz'));
const go = program.write('go', program.file('processes/t.3.pb.gz'));
const rust = program.write('rust', program.file('pprof/rust.pb'));
const python = program.write('python', '--no-symbols', program.file('real/python_lg12.26874.0.f.heap.gz'));
const rocksdb = [3, 12].map((n) => program.file(`real/dbbench_lg15.18185.${n}.i${n}.heap.gz`));
const threads = program.write('threads', '--no-symbols', '--by=thread', program.file('golden/procs4.heap'));
const diff = program.writeOf('diff', 'diff', '--no-symbols', ...rocksdb);
const difference = program.write('difference', '--no-symbols', program.file('differences/leak.pb.gz'));
const redis = Array.from({ length: 14 }, (_, n) => program.file(`real/redis_lg13.27533.${n}.${n === 13 ? 'f' : `i${n}`}.heap.gz`));
const trend = program.writeOf('trend', 'trend', '--no-symbols', ...redis);
const processes = program.writeOf('trend', 'processes', '--no-symbols', ...redis,
  ...['0.i0', '6.i6', '12.i12', '13.f'].map((n) => program.file(`real/mariadbd_lg14.15432.${n}.heap.gz`)));
const withTimes = program.writeOf('trend', 'timed', '--no-symbols', '--time-from=\\.(\\d+)\\.[if]\\d*\\.heap',
  ...['0.i0', '3.i3', '6.i6', '9.i9', '12.i12', '13.f'].map((n) => program.file(`real/dbbench_lg15.18185.${n}.heap.gz`)));
const hostileTrend = program.writeOf('trend', 'hostile trend', HOSTILE, HOSTILE_AGAIN);
const hostile = program.write('hostile', HOSTILE);
const random = program.write('random', RANDOM);

const rowTexts = () => [...document.querySelectorAll('#table tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent));

// --- as one uses it -----------------------------------------------------------------------------------

// The largest function, who calls it, and its line.
async function leak(browser, file, [name, caller, place]) {
  const { page, faults } = await open(browser, file);
  const is = async (how) => {
    assert.strictEqual(await textOf(page, '#function-title'), name, how);
    assert.match(await textOf(page, '#callers'), caller, how);
    assert.match(await textOf(page, '#function .places'), place, how);
  };
  await keys(page, 'ArrowDown', 'Enter');
  await is('two keys');
  assert.strictEqual(await focused(page), name, 'the focus is on what one asked for');
  await keys(page, 'ArrowDown', 'Enter');
  assert.match(await textOf(page, '#function-title'), caller);
  await back(page);
  await is('back from its caller');
  await back(page);
  assert.ok(await page.$eval('#function', (element) => element.hidden));
  assert.strictEqual(await focused(page), name, 'the focus is on its row again');
  await page.click('#table tbody tr:first-child td');
  await is('one click');
  await keys(page, 'Escape', '/');
  await page.keyboard.type(name.slice(-4));
  await keys(page, 'Enter');
  await is('searched for');
  await keys(page, '/');
  await page.keyboard.type('no function is called so');
  assert.match(await textOf(page, '#result'), /^No matches \(case-sensitive\)$/);
  await keys(page, 'Escape');
  assert.notStrictEqual(await focused(page), 'search', 'Escape leaves what one searches in');
  assert.strictEqual(await page.$eval('#search', ({ value }) => value), '', 'and empties it');
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// Filters, views, measures and zoom, each undone by "back".
async function undo(browser) {
  const { page, faults } = await open(browser, cxx);
  const states = [await page.evaluate(rowTexts)];
  const step = async (what) => { await what(); states.push(await page.evaluate(rowTexts)); };
  await step(() => page.click('[data-view=no-alloc]'));
  await step(() => page.select('#metric', '1'));
  await step(() => page.click('th[data-key=cum] button'));
  await page.type('#search', 'plugin');
  states.push(await page.evaluate(rowTexts));
  await step(() => page.click('#tools .row button'));
  assert.match(await textOf(page, '#result'), /Filters leave/);
  states.forEach((state, i) => assert.ok(i === 0 || JSON.stringify(state) !== JSON.stringify(states[i - 1]), `step ${i} shows another table`));
  const address = await page.evaluate(() => location.hash);
  for (let i = states.length - 2; i >= 0; i--) {
    await back(page);
    assert.deepStrictEqual(await page.evaluate(rowTexts), states[i], `back to ${i}`);
  }
  const again = await open(browser, cxx, { fragment: address });
  assert.deepStrictEqual(await again.page.evaluate(rowTexts), states[states.length - 1], 'the address alone shows the same');
  assert.deepStrictEqual(faults.concat(again.faults), []);
  await again.page.close();
  await page.close();
}

// Values of facets: [key, ["own 56.5 MiB ± 3.6 MiB 99.7%", ...]].
const facetTexts = (page) => page.$$eval('#facets .row > div', (all) => all.map((one) => [one.querySelector('ul').getAttribute('aria-label'),
  [...one.querySelectorAll('li')].map((item) => item.textContent.replace(/ without$/, ''))]));

const press = (page, label) => page.$eval(`#facets [aria-label="${label}"]`, (button) => button.click());

// One value of a facet alone, or without it; with what is searched for; undone by "back", and in the address.
async function facets(browser) {
  const { page, faults } = await open(browser, threads), table = await page.evaluate(rowTexts);
  await page.focus('#facets summary');
  await keys(page, 'Enter');
  await isThere(page, '#facets li');
  const first = await facetTexts(page);
  assert.deepStrictEqual(first.map(([key]) => key), ['class', 'module', 'thread']);
  assert.match(first[0][1][0], /^own 56\.5 MiB \u00b1 3\.4 MiB 99\.7%$/);
  assert.deepStrictEqual(first[2][1].map((text) => text.replace(/ MiB.*/, '')), ['alloc_c 19.6', 'worker 2 11.3', 'worker 3 10.9', 'worker 1 9.7', 'worker 0 5.1']);
  await page.focus('#facets [aria-label="only alloc_c"]');
  await keys(page, 'Enter');
  assert.match(await textOf(page, '#result'), /^Filters leave 19\.6 MiB/);
  assert.strictEqual(await page.evaluate(() => document.activeElement.tagName), 'SUMMARY', 'the focus stays where one is');
  assert.deepStrictEqual((await facetTexts(page)).map(([, values]) => values.length), [2, 2, 1]);
  assert.match(await textOf(page, '#filters'), /only thread=alloc_c/);
  await press(page, 'without standard');
  assert.strictEqual(await page.evaluate(() => decodeURIComponent(location.hash)), '#only=?thread=alloc_c&without=?class=standard');
  const again = await open(browser, threads, { fragment: await page.evaluate(() => location.hash) });
  assert.deepStrictEqual(await again.page.evaluate(rowTexts), await page.evaluate(rowTexts), 'the address alone shows the same');
  await again.page.close();
  await back(page);
  await back(page);
  assert.deepStrictEqual([await page.evaluate(rowTexts), await facetTexts(page)], [table, first], 'back undoes');
  await press(page, 'without alloc_c');
  await press(page, 'without worker 3');
  assert.match(await textOf(page, '#result'), /^Filters leave 26\.1 MiB/);
  await page.type('#search', '143a');
  assert.deepStrictEqual((await facetTexts(page))[2][1], [], 'of what is searched for they have nothing');
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// The flame graph by the mouse and by its buttons.
async function flames(browser) {
  const { page, faults } = await open(browser, python);
  const shown = () => page.$eval('#flames canvas', (canvas) => canvas.getAttribute('aria-label'));
  const first = await shown();
  assert.ok(Number(/(\d+) calls are drawn/.exec(first)[1]) <= 20000);
  await page.$eval('#flames canvas', (canvas) => canvas.scrollIntoView());
  const box = await (await page.$('#flames canvas')).boundingBox();
  await page.mouse.click(box.x + 40, box.y + 50);
  const zoomed = await shown();
  assert.notStrictEqual(zoomed, first);
  await page.click('#flames nav button');
  assert.strictEqual(await shown(), first, 'the way leads back');
  await page.focus('#flames nav button');
  await keys(page, 'Enter');
  assert.notStrictEqual(await shown(), first, 'and down');
  assert.notStrictEqual(await focused(page), '', 'the focus stays');
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// The places of the heads and of the rows, which are what is read first.
const placesOf = (page) => page.$$eval('#head > *, #rows h2, #rows tr', (all) => all.map((element) => element.getBoundingClientRect().top));

// The page is laid out with scripts allowed and its own taken out: what can be read before the script runs, on a machine of any
// speed.  Once the script has run, each head and row is where it was, but for the buttons in the table's head.
async function movesNothing(browser, page, file) {
  const still = file.replace(/html$/, 'still.html'), { html, script } = partsOf(file);
  fs.writeFileSync(still, html.replace(script, () => ''));
  const before = await browser.newPage();
  await resize(before, 1280);
  await before.goto(`file://${still}`);
  const places = await placesOf(before), moved = (await placesOf(page)).slice(0, places.length).map((top, i) => Math.abs(top - places[i]));
  await before.close();
  assert.ok(places.length >= 9 && moved.length === places.length && Math.max(...moved) < 4, `moved by ${moved}`);
}

// What is in the file is what the script shows in its place, without a jump.
async function takesOver(browser) {
  const before = partsOf(python).html;
  const { page, faults } = await open(browser, python);
  const count = [...before.matchAll(/<tr data-name="(\d+)"/g)].map((match) => match[1]);
  const rows = await page.$$eval('#table tbody tr', (all) => all.map((row) => row.dataset.name));
  assert.deepStrictEqual(rows, count);
  assert.deepStrictEqual((await page.evaluate(rowTexts)).map((row) => row.slice(1, 4)),
    [...before.matchAll(/<tr data-name[^]*?<\/tr>/g)].map(([row]) => [...row.matchAll(/<td[^>]*>([^<]*)/g)].slice(0, 3).map((cell) => cell[1])));
  await movesNothing(browser, page, python);
  for (const [key, arrow] of [['cum', '\u25be'], ['name', '\u25b4']]) {
    await page.click(`th[data-key=${key}] button`);
    assert.deepStrictEqual(await page.$$eval('#table thead th', (all) => all.map((cell) => [cell.dataset.key, getComputedStyle(cell, '::after').content])
      .filter(([, content]) => /\w|\W{3}/.test(content) && content !== 'none')), [[key, `" ${arrow}"`]]);
  }
  assert.deepStrictEqual(faults, []);
  await page.close();
}

const cellTexts = (page) => page.$$eval('#table tbody tr', (rows) => rows.map((row) => [...row.cells].slice(1).map((cell) => cell.textContent)));

const takesOverDiff = (browser) => takesOverFile(browser, diff);
const takesOverDifference = (browser) => takesOverFile(browser, program.write('all of a difference', '--no-symbols', '--frames=no-alloc', program.file('differences/leak.pb.gz')));
const takesOverTrend = async (browser) => { await takesOverFile(browser, trend); await takesOverFile(browser, withTimes); };

async function takesOverFile(browser, file) {
  const { page, faults } = await open(browser, file), before = partsOf(file).html;
  const entities = (text) => text.replace(/&lt;/g, '<').replace(/&amp;/g, '&');
  assert.deepStrictEqual(await cellTexts(page), [...before.matchAll(/<tr data-name[^]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<td[^>]*>([^<]*)/g)].map((cell) => entities(cell[1]))));
  await movesNothing(browser, page, file);
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// A series by the keyboard: what grows, of which dumps, and back; every number of a row is that of the data.
async function findsTrend(browser) {
  const { page, faults } = await open(browser, trend), table = await cellTexts(page);
  assert.match(table[0].join(' '), /^9\.7 MiB 24\.4 MiB \+589\.1 KiB -1\.4 MiB 0\.1374 step [\u2581-\u2588]{13} own/);
  await page.focus('#from');
  await page.select('#from', '2');
  await page.select('#to', '9');
  assert.strictEqual(await page.evaluate(() => location.hash), '#from=2&to=9');
  assert.match((await cellTexts(page))[0].join(' '), /^21\.1 MiB 21\.7 MiB \+66\.4 KiB - - - /, 'what is not known is said');
  assert.match(await textOf(page, '#series-text'), /no significance test/);
  assert.match(await textOf(page, '#grid'), /\+596\.3 KiB\s+-/);
  await page.select('#from', '11');
  await page.select('#to', '5');
  assert.strictEqual(await page.evaluate(() => location.hash), '#from=4&to=5', 'the first is before the last');
  for (let i = 0; i < 4; i++) {
    await back(page);
  }
  assert.deepStrictEqual(await cellTexts(page), table, 'back undoes');
  await page.focus('#table tbody button');
  await keys(page, 'Enter');
  assert.match(await textOf(page, '#function dl'), /a dump, by itself\s+\+589\.1 KiB at least -1\.4 MiB p 0\.1374, step/);
  assert.match(await textOf(page, '#series-text'), /^With all it calls/);
  await keys(page, 'Escape');
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// The same by the mouse: from one dump to another.
async function drawsSelection(browser) {
  const { page, faults } = await open(browser, trend);
  await page.$eval('#series svg', (picture) => picture.scrollIntoView({ block: 'center' }));
  const box = await (await page.$('#series svg')).boundingBox(), x = (dump) => box.x + Math.max(2, Math.min(box.width * dump / 12, box.width - 2));
  await page.mouse.move(x(9), box.y + 50);
  await page.mouse.down();
  await page.mouse.move(x(2.2), box.y + 60, { steps: 4 });
  await page.mouse.up();
  assert.strictEqual(await page.evaluate(() => location.hash), '#from=2&to=9');
  assert.deepStrictEqual(await page.$$eval('#from, #to', (all) => all.map(({ value }) => value)), ['2', '9']);
  await page.mouse.click(x(5), box.y + 50);
  assert.strictEqual(await page.evaluate(() => location.hash), '#from=2&to=9', 'a click alone chooses nothing');
  const areas = await page.$$eval('#series polygon', (all) => all.map((area) => area.getBoundingClientRect().height));
  assert.ok(areas.length === 9 && Math.max(...areas) > 50);
  await page.click('#series summary');
  await isThere(page, '#series tbody tr'); // what opens is told a task later
  const numbers = await page.$$eval('#series tbody tr', (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.ok(numbers.length === 13 && /redis_lg13.27533.12.i12/.test(numbers[12][0]) && numbers[12].at(-1) === '59.5 MiB', `${numbers[12]}`);
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// Each process by itself, whatever is chosen.
async function showsProcesses(browser) {
  const { page, faults } = await open(browser, processes);
  const first = await cellTexts(page);
  assert.deepStrictEqual([...new Set(first.map((cells) => cells.at(-2)))], ['pid 27533']);
  await page.select('#process', '0');
  const second = await cellTexts(page);
  assert.deepStrictEqual([...new Set(second.map((cells) => cells.at(-2)))], ['pid 15432']);
  assert.strictEqual(await page.$$eval('#from option', (all) => all.length), 2);
  assert.match(await textOf(page, '#series-text'), /3: mariadbd/);
  await back(page);
  assert.deepStrictEqual(await cellTexts(page), first);
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// What grew, who calls it, and is it real: by the keyboard.
async function findsGrowth(browser) {
  const { page, faults } = await open(browser, diff);
  await page.keyboard.press('/');
  await page.keyboard.type('52fdba');
  await page.keyboard.press('Enter');
  assert.match(await textOf(page, '#function-title'), /52fdba/);
  assert.match(await textOf(page, '#function dl'), /with all it calls\s*\+7\.2 MiB \+6\.3 MiB \u2026 \+8\.1 MiB p <0\.0001, significant/);
  assert.match(await textOf(page, '.neighbors tbody'), /\u002b7\.2 MiB/);
  await keys(page, 'Escape', 'Escape');
  await page.click('[data-sort=cum]');
  assert.match((await cellTexts(page))[0].join(' '), /81\.9 MiB 17\.7 MiB -64\.2 MiB .* <0\.0001 \* shrank/);
  await page.click('[data-view=no-libs]');
  assert.deepStrictEqual([...new Set((await cellTexts(page)).map((cells) => cells[3]))], [''], 'of another view nobody knows intervals');
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// Of a difference of two profiles each number is of what grew or of what shrank; there is no base, share or p, and nothing is gone.
async function showsBothSigns(browser) {
  const { page, faults } = await open(browser, difference), grid = () => textOf(page, '#grid');
  const hasNone = async (where) => {
    const all = await page.evaluate(() => document.querySelector('#main').innerText);
    assert.deepStrictEqual(/\b(base|new|gone|chance|tested|not known)\b|\u2192|%|\bp </.exec(all)?.[0], undefined, where);
  };
  assert.strictEqual(await textOf(page, '#sentence'), '20.5 MiB that shrank, 5.0 MiB that grew: -15.5 MiB; most in main.leak');
  assert.deepStrictEqual(await cellTexts(page), [['20.5 MiB', '5.0 MiB', '-15.5 MiB', 'shrank', 'own']]);
  assert.match(await grid(), /^function\s*shrank\s*grew\s*change\W*main\.main\s*20\.5 MiB\s*5\.0 MiB\s*-15\.5 MiB/);
  assert.deepStrictEqual(await page.$$eval('.legend li', (all) => all.filter(({ hidden }) => !hidden).map((item) => item.textContent)), ['shrank more']);
  await page.$$eval('#facets', (all) => all.forEach((one) => { one.open = true; }));
  await isThere(page, '#facets li');
  await hasNone('table');
  await page.click('[data-view=no-alloc]');
  await page.type('#search', 'json');
  assert.match(await textOf(page, '#result'), /matches hold .* MiB that shrank, .* that grew: /);
  assert.strictEqual(await textOf(page, '#sentence'), 'inuse-space: 20.5 MiB that shrank, 5.0 MiB that grew: -15.5 MiB');
  await hasNone('another view');
  await page.click('[data-view=no-std]');
  await keys(page, 'Escape', 'Escape');
  await page.click('#table tbody button');
  const facts = await textOf(page, '#function dl');
  assert.match(facts, /shrank, by itself\s*20\.5 MiB\s*grew, by itself\s*5\.0 MiB\s*change, by itself\s*-15\.5 MiB/);
  await page.$$eval('#function details', (all) => all.forEach((one) => { one.open = true; }));
  await isThere(page, '#function .own li');
  assert.match(await textOf(page, '#function .own ul'), /MiB that shrank, .* that grew/);
  assert.match(await textOf(page, '#callers'), /function\s*shrank\s*grew\s*change/);
  await hasNone('function');
  await page.click('#exports summary');
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// What was 40 % and is gone has its place, at first sight.
async function showsGone(browser) {
  const files = ['before', 'after'].map((name) => path.join(program.folder, `${name}.heap`));
  const stack = (address, count) => `@ ${address} 0x400100\n  t*: ${count}: ${count * 1000} [0: 0]\n  t0: ${count}: ${count * 1000} [0: 0]\n`;
  const head = (count) => `heap_v2/4096\n  t*: ${count}: ${count * 1000} [0: 0]\n  t0: ${count}: ${count * 1000} [0: 0]\n`;
  const map = '\nMAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 fe:01 12 /srv/none/server\n';
  fs.writeFileSync(files[0], head(1000) + stack('0x400200', 600) + stack('0x400300', 400) + map);
  fs.writeFileSync(files[1], head(600) + stack('0x400200', 600) + map);
  const file = program.writeOf('diff', 'gone', '--no-symbols', ...files);
  for (const scheme of isChromium(browser) ? ['light', 'dark'] : ['']) {
    const { page, faults } = await open(browser, file);
    if (scheme) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    }
    await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
    const share = await page.$eval('#flames canvas', (canvas) => {
      const y = canvas.height - 4, { data } = canvas.getContext('2d').getImageData(0, y, canvas.width, 1);
      let blue = 0;
      for (let i = 0; i < data.length; i += 4) {
        blue += data[i + 2] > data[i] + 20;
      }
      return blue / canvas.width;
    });
    assert.ok(share > 0.3 && share < 0.42, `${scheme}: ${share} of the lowest calls are those that are gone`);
    assert.match((await cellTexts(page))[0].join(' '), /^\d.* - -.* <0\.0001 \* gone/);
    assert.deepStrictEqual(faults, []);
    await page.close();
  }
}

// Files and texts for html_page.py to read: of a table, of a selection, of a function, of changes.
const SAVED = { table: [cxx, ''], selection: [cxx, 'only=handle&frames=no-libs&sort=cum'], function: [cxx, 'function='], changes: [diff, ''],
  'changes by cum': [diff, 'sort=cum'], difference: [difference, ''], hostile: [hostile, ''], 'hostile function': [hostile, 'function='] };

async function saves(browser) {
  const all = {};
  for (const [what, [file, fragment]] of Object.entries(SAVED)) {
    const { page, faults } = await open(browser, file, { fragment: `#${fragment}`, saves: true });
    if (what.endsWith('function')) {
      const buttons = await page.$$('#table tbody button'), texts = await Promise.all(buttons.map((one) => one.evaluate(({ textContent }) => textContent)));
      await buttons[what === 'function' ? 0 : texts.findIndex((text) => text.startsWith('\\x1B'))].click();
      await page.reload();
      await isReady(page);
    }
    await page.click('#exports summary');
    const buttons = await page.$$('#exports button');
    for (const button of buttons) {
      await button.click();
    }
    await until(page, () => Object.keys(window.saved).length === 5 && window.copied !== '');
    all[what] = await page.evaluate(() => ({ ...window.saved, command: window.copied, page: decodeURI(location.pathname) }));
    assert.strictEqual(await textOf(page, '#live'), what === 'hostile function' ? 'Copied in part' : 'Copied');
    assert.strictEqual(await focused(page), 'Copy the command', 'the focus stays');
    assert.deepStrictEqual(faults, []);
    await page.close();
  }
  if (process.env.SAVED) {
    fs.writeFileSync(path.join(process.env.SAVED, `${isChromium(browser) ? 'Chromium' : 'Firefox'}.json`), JSON.stringify(all));
  }
}

// The calls that lead to where one has zoomed.
async function copiesStack(browser) {
  const { page, faults } = await open(browser, cxx, { saves: true });
  await page.click('#flames nav .name');
  await page.click('#flames nav .name:nth-of-type(2)');
  const way = await page.$eval('#flames nav strong', (element) => element.textContent);
  const [button] = await page.$$('#flames nav button:last-child');
  await button.click();
  const lines = (await page.evaluate(() => window.copied)).split('\n');
  assert.ok(lines.length === 2 && lines[1].startsWith(way), `${lines}, not ${way}`);
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// Rows of the tree grid that are made: {level, name, value, expanded, index, isFocused}.
const gridRows = () => [...document.querySelectorAll('#grid .space [role=row]')].map((row) => ({
  level: Number(row.getAttribute('aria-level')), name: row.querySelector('.name').textContent, value: row.children[1].textContent,
  expanded: row.getAttribute('aria-expanded'), index: Number(row.getAttribute('aria-rowindex')), isFocused: row === document.activeElement }));

// The tree grid, by the keys of the pattern and by the mouse; what the file has without a script is in it.
async function callTree(browser) {
  const { page, faults } = await open(browser, cxx), at = async () => (await page.evaluate(gridRows)).find((row) => row.isFocused);
  const press = async (...all) => { await keys(page, ...all); return at(); };
  const [first] = await page.evaluate(gridRows);
  await page.focus('#grid [role=row][tabindex="0"]');
  assert.deepStrictEqual(await at(), { ...first, isFocused: true });
  assert.strictEqual((await press('ArrowLeft')).expanded, 'false');
  assert.strictEqual((await press('ArrowRight')).expanded, 'true');
  assert.strictEqual((await press('ArrowRight')).level, 2);
  assert.deepStrictEqual([(await press('ArrowLeft', 'ArrowLeft')).index, (await press('ArrowLeft')).index], [2, 2]);
  const closed = await page.$eval('#grid', (grid) => Number(grid.getAttribute('aria-rowcount')));
  await page.evaluate(() => document.querySelector('#calls .row button').click());
  const count = await page.$eval('#grid', (grid) => Number(grid.getAttribute('aria-rowcount'))), rows = await page.evaluate(gridRows);
  assert.ok(count > closed && rows.length === count - 1, `${closed}, then ${count}`);
  const still = await page.evaluate((html) => [...new DOMParser().parseFromString(html, 'text/html').querySelectorAll('#tree [data-name]')].map((node) => {
    let level = 1;
    for (let up = node.parentElement; up.id !== 'tree'; up = up.parentElement) {
      level++;
    }
    const [, value, name] = /^([\d.,]+ \w+)\b.*?[\d.]+% (.*)$/.exec((node.querySelector('summary') || node).textContent);
    return `${level} ${value} ${name}`;
  }), partsOf(cxx).html);
  const texts = rows.map(({ level, value, name }) => `${level} ${value} ${name}`);
  assert.deepStrictEqual([still.length > 5, still.filter((text) => !texts.includes(text))], [true, []]);
  await page.focus('#grid [role=row][tabindex="0"]');
  assert.strictEqual((await press('End')).index, count);
  assert.strictEqual((await press('Home')).index, 2);
  const letter = rows[2].name[0].toLowerCase(), next = rows.findIndex(({ name }, i) => i > 0 && name.toLowerCase().startsWith(letter));
  assert.strictEqual((await press(letter)).index, next + 2, 'a letter leads to a name');
  const { name } = await at();
  await keys(page, 'Enter');
  assert.strictEqual(await textOf(page, '#function-title'), name);
  await keys(page, 'Escape');
  await page.evaluate(() => document.querySelector('#grid .space .mark').click());
  assert.strictEqual((await at()).expanded, 'false');
  await page.evaluate(() => document.querySelector('#grid .space .name').click());
  assert.strictEqual(await textOf(page, '#function-title'), first.name);
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// Of 100,000 rows those are made that are seen, and the one that has the focus.
async function manyCalls(browser) {
  const { page, faults } = await open(browser, python, { fragment: '#metric=alloc-space&frames=all' });
  const took = await page.evaluate(() => {
    const begin = performance.now();
    document.querySelector('#calls .row button').click();
    return performance.now() - begin;
  });
  const count = await page.$eval('#grid', (grid) => Number(grid.getAttribute('aria-rowcount'))), most = [];
  const look = async (isFocused) => {
    await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
    const rows = await page.evaluate(gridRows);
    assert.deepStrictEqual(rows.map(({ index }) => index), rows.map(({ index }) => index).sort((a, b) => a - b), 'they are in order');
    assert.strictEqual(rows.some((row) => row.isFocused), isFocused);
    most.push(rows.length);
    return rows;
  };
  await look(false);
  await page.focus('#grid [role=row][tabindex="0"]');
  await keys(page, 'End');
  assert.strictEqual((await look(true)).find((row) => row.isFocused).index, count);
  await page.$eval('#grid .scroll', (scroll) => { scroll.scrollTop = scroll.scrollHeight / 2; });
  const seen = (await look(true)).filter((row) => !row.isFocused);
  assert.ok(Math.abs(seen[0].index - count / 2) < 60, 'the middle is shown');
  assert.ok(count > 100000 && Math.max(...most) < 60, `${count} rows, of which ${most} are made`);
  console.log(`# ${count} rows of the tree grid are opened in ${Math.round(took)} ms`);
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// No script, as Chromium can be told; and one that the policy refuses, because it is not the one that was written.
async function withoutScript(browser) {
  const other = path.join(program.folder, 'other.html');
  fs.writeFileSync(other, fs.readFileSync(cxx, 'utf8').replace("'use strict'", "document.title = 'ran';'use strict'"));
  for (const file of isChromium(browser) ? [cxx, other] : [other]) {
    const { page } = await open(browser, file, { script: false });
    assert.match(await textOf(page, '#sentence'), /70\.8 MiB .* in use; 69% in Leaky|70% in Leaky/);
    assert.match(await textOf(page, '#table tbody tr'), /^Leaky.*\s49\.2 MiB\s+\S/);
    assert.match(await textOf(page, '#tree'), /Leaky/);
    assert.ok((await (await page.$('#tree')).boundingBox()).height > 20, 'the tree is to be seen');
    assert.ok(await page.title() !== 'ran' && !await page.evaluate(() => document.documentElement.dataset.ready), 'no script ran');
    await page.close();
  }
}

// --- whatever stands in it ----------------------------------------------------------------------------

async function inert(browser) {
  const names = JSON.parse(HOSTILE_NAMES);
  const { page, faults } = await open(browser, hostile);
  const more = await page.$('#rest button');
  if (more) {
    await more.click();
  }
  const lost = new Set(names);
  for (let i = 0; i < names.length; i++) {
    const texts = await page.evaluate((number) => {
      document.querySelectorAll('#table tbody button')[number].click();
      const all = ['#function-title', '#function .full', '#function .places'].map((one) => document.querySelector(one));
      history.back();
      return new Promise((resolve) => { setTimeout(() => resolve(all.map((one) => (one ? one.textContent : ''))), 30); });
    }, i);
    const name = [...lost].find((one) => texts.slice(0, 2).includes(one));
    assert.ok(name !== undefined, `shown as it is: ${JSON.stringify(texts)}`);
    assert.ok(texts[2].includes(`${name}.c:1 in /${name}`), `its file and module: ${texts[2]}`);
    lost.delete(name);
  }
  assert.deepStrictEqual([...lost], []);
  for (const name of names) {
    await page.$eval('#search', (input, text) => { input.value = text; input.dispatchEvent(new Event('input')); }, name);
  }
  await page.evaluate(() => { document.querySelector('#tools .row button').click(); });
  assert.strictEqual(await page.$$eval('script', (all) => all.length), partsOf(hostile).html.match(/<\/script>/g).length);
  assert.strictEqual(await page.$$eval('img, iframe, object, a, style:not(head style)', (all) => all.length), 0);
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// And in a series, in which they are names of dumps, too.
async function inertSeries(browser) {
  const { page, faults } = await open(browser, hostileTrend);
  await page.click('#series summary');
  for (const fragment of ['', 'from=0&to=1', 'function=3&from=0', 'function=5', 'from=1&to=0', 'from=-1&to=%22%3E']) {
    await page.evaluate((hash) => { location.hash = hash; }, fragment);
    await page.evaluate(() => new Promise((resolve) => { setTimeout(resolve, 30); }));
  }
  const shown = await page.evaluate(() => document.body.textContent);
  const names = JSON.parse(HOSTILE_NAMES).filter((name) => name.trim() && name.length < 50);
  assert.ok(names.filter((name) => shown.includes(name)).length > names.length / 2, 'names are shown as they are');
  assert.strictEqual(await page.$$eval('img, iframe, object, a, svg script, style:not(head style)', (all) => all.length), 0);
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// Ten thousand of them, of which the first are shown, all are drawn, and some are opened and searched for.
async function anyName(browser) {
  const report = load(random), { page, faults } = await open(browser, random);
  const shown = (await page.evaluate(rowTexts)).map((row) => row[0]);
  const explorer = new report.page.Explorer(report.model);
  const names = explorer.rows(report.page.stateOfFragment(report.model, '')).slice(0, shown.length);
  assert.ok(report.model.nameCount >= 10000 && shown.length >= 15);
  assert.deepStrictEqual(shown, Array.from(names, (name) => report.page.safeText(report.data.strings[report.data.names.short[name]])));
  for (const name of names.slice(0, 5)) {
    await page.$eval('#search', (input, text) => { input.value = text; input.dispatchEvent(new Event('input')); },
      report.data.strings[report.data.names.text[name]]);
    await page.evaluate((number) => { location.hash = `function=${number}`; }, name);
    await isThere(page, '#function:not([hidden])');
  }
  assert.strictEqual(await page.$$eval('img, svg, iframe, body script:not([id])', (all) => all.length), 1);
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// An address that anyone may have made.
async function anyAddress(browser) {
  for (const file of isChromium(browser) ? [diff] : []) {
    const { page, faults } = await open(browser, file), count = load(file).model.nameCount;
    const shown = await page.evaluate(async (all) => {
      const titles = [];
      for (let name = 0; name < all; name++) {
        location.hash = `function=${name}`;
        await new Promise((resolve) => { setTimeout(resolve); });
        titles.push(document.getElementById('function-title').textContent);
      }
      return titles;
    }, count);
    assert.deepStrictEqual(faults, [], 'every function has a screen');
    assert.ok(count > 100 && shown.filter(Boolean).length === count);
    await page.close();
  }
  const { page, faults } = await open(browser, cxx);
  const fragments = ['function=999999999', 'zoom=999999999&function=0', 'zoom=-1', 'search=(a*)*b', 'only=(', 'only=x&only=x&without=%00',
    'metric=__proto__', 'frames=constructor', '%', '%E0%A4%A', 'search=' + 'a'.repeat(5000), 'only=%3Cscript%3Ealert(1)%3C/script%3E',
    'search=%E2%80%AE', 'sort=hasOwnProperty', 'function=1&function=2', 'only=nothing-matches-this', 'zoom=3&frames=no-libs&only=.'];
  let seed = 3;
  const pick = (n) => { seed = (seed * 1103515245 + 12345) & 0x7fffffff; return (seed >> 8) % n; };
  for (let i = 0; i < 200; i++) {
    fragments.push(Array.from({ length: 1 + pick(4) }, () => fragments[pick(fragments.length)]).join('&').slice(0, 3000));
  }
  const slowest = await page.evaluate(async (all) => {
    let most = 0;
    for (const fragment of all) {
      const begin = performance.now();
      location.hash = fragment;
      await new Promise((resolve) => { setTimeout(resolve); });
      most = Math.max(most, performance.now() - begin);
    }
    return most;
  }, fragments);
  assert.deepStrictEqual(faults, []);
  console.log(`# ${fragments.length} addresses, the slowest took ${Math.round(slowest)} ms`);
  await page.close();
}

// A pattern that backtracks without end elsewhere.
async function stops(browser) {
  const { page, faults } = await open(browser, python);
  const took = await page.evaluate(() => {
    const input = document.getElementById('search'), begin = performance.now();
    input.value = '(([a-z0-9.+]+)+)+!$';
    input.dispatchEvent(new Event('input'));
    return performance.now() - begin;
  });
  assert.ok(took < 2000, `${took} ms with all that is drawn anew`);
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// --- for everyone -------------------------------------------------------------------------------------

const STATES = {
  table: '', zoomed: 'zoom=2', filtered: 'only=main&search=make', function: 'function=1', nothing: 'only=nothing-matches-this',
};

const DIFF_STATES = { table: '', cum: 'sort=cum&search=db', function: 'function=2', 'other frames': 'frames=no-libs&zoom=2' };

const DIFFERENCE_STATES = { table: '', function: 'function=14&frames=no-alloc' };

const TREND_STATES = { table: '', selection: 'from=2&to=9&sort=cum', function: 'function=314&from=1', 'other frames': 'frames=no-libs&only=redis' };

async function accessible(browser) {
  for (const width of [390, 1280]) {
    for (const scheme of ['light', 'dark']) {
      for (const [what, file, fragment] of [...Object.entries(STATES).map(([state, of]) => [state, cxx, of]),
        ['facets', threads, 'without=?class=standard'], ...Object.entries(DIFF_STATES).map(([state, of]) => [`diff, ${state}`, diff, of]),
        ...Object.entries(DIFFERENCE_STATES).map(([state, of]) => [`difference, ${state}`, difference, of]), ...Object.entries(TREND_STATES).map(([state, of]) => [`trend, ${state}`, trend, of])]) {
        const { page } = await open(browser, file, { fragment: `#${fragment}`, width });
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
        await page.$$eval('#series details, #facets', (all) => all.forEach((one) => { one.open = true; }));
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => window.axe.run(document,
          { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
        assert.deepStrictEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).slice(0, 3)}`), [],
          `${what}, ${scheme}, ${width}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${what} at ${width}: ${wide} too wide`);
        await page.close();
      }
    }
  }
}

async function forced(browser) {
  const { page, faults } = await open(browser, cxx);
  const session = await page.createCDPSession();
  await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }, { name: 'prefers-reduced-motion', value: 'reduce' }] });
  await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
  assert.strictEqual(await page.evaluate(() => document.getAnimations().length), 0);
  const colors = await page.$eval('#flames canvas', (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(Array.from({ length: data.length / 4 }, (_, i) => data.slice(4 * i, 4 * i + 3).join())).size;
  });
  assert.ok(colors > 1, 'the flame graph is drawn in the colours of the system');
  await page.emulateMediaType('print');
  assert.strictEqual(await page.$eval('#tools', (element) => getComputedStyle(element).display), 'none');
  assert.deepStrictEqual(faults, []);
  await page.close();
}

// --- how large, how fast ------------------------------------------------------------------------------

test('script and style keep their limit of size', () => {
  const { script, style } = partsOf(cxx), zipped = require('zlib').gzipSync(script + style, { level: 9 }).length;
  console.log(`# script and style: ${script.length + style.length} bytes, ${zipped} by gzip`);
  assert.ok(script.length + style.length <= 105000 && zipped <= 32768, `${script.length + style.length} bytes, ${zipped} by gzip`);
  assert.ok(!/innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function\b|localStorage|fetch\(|XMLHttp|\.href|\.src\b/.test(script));
});

// How long a title is, is up to the names of inputs.
test('html-validate finds nothing', () => {
  const { stdout, stderr, status } = require('child_process').spawnSync(process.execPath,
    [path.join(modules, 'html-validate', 'bin', 'html-validate.mjs'), '-f', 'text', '--rule=long-title:off', cxx, go, python, diff, difference, trend, processes, hostile, random],
    { encoding: 'utf8' });
  assert.strictEqual(stdout + stderr, '');
  assert.strictEqual(status, 0);
});

for (const [name, options] of Object.entries(BROWSERS)) {
  test(`${name} shows reports`, async (t) => {
    const browser = await puppeteer.launch({ headless: true, ...options });
    const step = (what, run) => new RegExp(process.env.ONLY || '').test(what) && t.test(`${name}: ${what}`, () => run(browser));
    await step('the leak of the C++ server', () => leak(browser, cxx, ['Leaky<\u2026>::make', /handle/, /main\.cpp:15/]));
    await step('back undoes a step, and the address has the complete state', undo);
    await step('facets keep and exclude values', facets);
    await step('the flame graph zooms', flames);
    await step('the script takes over the static page', takesOver);
    await step('the script takes over a diff', takesOverDiff);
    await step('the script takes over a difference of two profiles', takesOverDifference);
    await step('the script takes over a trend', takesOverTrend);
    await step('dumps are chosen by the mouse', drawsSelection);
    await step('saved and copied texts are right', saves);
    await step('a stack is copied', copiesStack);
    await step('a tree of calls', callTree);
    await step('without a script', withoutScript);
    await step('names are texts', inert);
    await step('any address is a state', anyAddress);
    await step('a search stops', stops);
    // What the script computes is the same in all browsers; with --all Firefox shows it too.
    if (name === 'Chromium' || process.env.ALL) {
      await step('the leak of the Go service', () => leak(browser, go, ['main.leak', /main\.main/, /\.go:\d+/]));
      await step('the memory of the Rust program', () => leak(browser, rust, ['writes-pprof+0xbeab0', /writes-pprof.0xbefd1/, /writes-pprof/]));
      await step('growth is found, and whether it is significant', findsGrowth);
      await step('growth and shrinkage are shown without a base', showsBothSigns);
      await step('growth is shown with its dumps', findsTrend);
      await step('each process is shown separately', showsProcesses);
      await step('a stack that is gone is shown', showsGone);
      await step('a tree of many calls', manyCalls);
      await step('names are texts in a series', inertSeries);
      await step('ten thousand names are texts', anyName);
    }
    if (name === 'Chromium') {
      await step('axe-core finds nothing, at two widths, light and dark', accessible);
      await step('in forced colours, and printed', forced);
    }
    await browser.close();
  });
}

// --- large ones, by hand ------------------------------------------------------------------------------

const median = (numbers) => Math.round(numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]);

// Milliseconds of what is done in the page until it is drawn, and what the main thread has worked for it: medians of five.
async function timed(page, what, work) {
  const times = [], worked = [];
  for (let i = 0; i < 5; i++) {
    const before = await work();
    times.push(await page.evaluate(async (code, number) => {
      const begin = performance.now();
      new Function('number', code)(number);
      return new Promise((resolve) => { setTimeout(() => resolve(performance.now() - begin)); });
    }, what, i));
    worked.push(await work() - before);
  }
  return `${median(times)} (CPU ${median(worked)})`;
}

const ACTIONS = {
  search: "const input = document.getElementById('search'); input.value = ['0x.*7', '1a', 'f0$', 'e.*e', ''][number]; input.dispatchEvent(new Event('input'));",
  fold: "document.querySelectorAll('[data-view]')[(number + 1) % 3].click();",
  zoom: "document.querySelectorAll('#flames nav button')[0].click();",
  function: "if (document.getElementById('rows').hidden) { document.querySelector('#function button').click(); } else { document.querySelectorAll('#table tbody button')[number].click(); }",
};

// What the main thread of a page has worked since it was opened, whatever else the machine does; in milliseconds.
async function workOf(page) {
  const session = await page.createCDPSession();
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
}

async function measure(browser, file) {
  const page = await browser.newPage(), figures = {}, ready = [], painted = [], worked = [];
  await page.setBypassCSP(true);
  await page.goto(`file://${file}`, { waitUntil: 'domcontentloaded' });
  const work = await workOf(page);
  for (let i = 0; i < 5; i++) {
    const before = await work();
    await page.reload({ waitUntil: 'domcontentloaded' });
    await isReady(page);
    const [first, time] = await page.evaluate(() => [performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0],
      Number(document.documentElement.dataset.ms) || performance.now()]);
    painted.push(first);
    ready.push(time);
    worked.push(await work() - before);
  }
  figures['first paint'] = median(painted);
  figures.ready = `${median(ready)} (CPU ${median(worked)})`;
  for (const [what, code] of Object.entries(ACTIONS)) {
    figures[what] = await timed(page, code, work);
  }
  figures['heap, MB'] = median([(await page.metrics()).JSHeapUsedSize / 1e6]);
  await page.close();
  return Object.entries(figures).map(([what, value]) => `${what} ${value}`).join(', ');
}

if (process.env.ALL) {
  test('the page is fast with many frames', async () => {
    const browser = await puppeteer.launch({ headless: true, ...BROWSERS.Chromium });
    const dump = path.join(program.folder, 'large.heap');
    const { execFileSync } = require('child_process');
    fs.writeFileSync(dump, execFileSync('python3', [path.join(__dirname, 'large.py'), '180000'], { maxBuffer: 1 << 30 }));
    execFileSync('python3', [path.join(__dirname, 'large.py'), '10000', '100', program.folder]);
    const series = fs.readdirSync(program.folder).filter((name) => /^large\.1\./.test(name)).map((name) => path.join(program.folder, name));
    for (const file of [python, program.write('large', '--no-symbols', dump), program.writeOf('trend', 'series', '--no-symbols', ...series)]) {
      const { nodes } = partsOf(file).data;
      console.log(`# ${nodes.frame.length} frames, ${fs.statSync(file).size} bytes: ms of ${await measure(browser, file)}`);
    }
    await browser.close();
  });
}

// What the screens of a report say, in Chromium, as one reads them.
//
// usage: node --test screens.js, with BINARY TESTDATA PEERS in the environment
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const test = require('node:test');
const { BROWSERS, open, puppeteer } = require('./browsers.js');
const { Program } = require('./report.js');

const { BINARY, TESTDATA } = process.env;
const program = new Program(BINARY, TESTDATA);
const cxx = program.write('cxx', program.file('frames/server.pb.gz'));
const calls = program.write('calls', program.symbols, program.file('golden/cxx.heap'));

// The flame graph stays as high as it was.
async function zooms(page) {
  const canvas = await page.$('#flames canvas'), { height } = await canvas.boundingBox();
  await page.click('#flames nav .name:nth-of-type(3)');
  assert.match(await page.$eval('#flames nav', (element) => element.innerText), /^all › \[emergency-pool-of-libstdc/);
  assert.strictEqual((await canvas.boundingBox()).height, height);
}

// Classes have colours of their own, which growth has not.
async function colors(page) {
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    const all = await page.$$eval('.legend li', (items) => items.map((item) => getComputedStyle(item, '::before').backgroundColor));
    assert.deepStrictEqual([new Set(all).size, all.length], [4, 4], `${all}`);
  }
}

// Of a narrow table every column is seen, with the shares.
async function narrow(page) {
  await page.setViewport({ width: 390, height: 900 });
  const keys = await page.$$eval('#table thead th', (all) => all.filter((cell) => cell.offsetWidth > 0 && cell.getBoundingClientRect().right <= innerWidth)
    .map((cell) => cell.dataset.key));
  assert.deepStrictEqual(keys, ['name', 'flat', 'flat-share', 'cum']);
}

// What is folded is not denied.
async function denies(page) {
  await page.click('#table tbody tr:nth-child(5) button');
  assert.ok(!/root|Nothing that holds/.test(await page.$eval('#function', (element) => element.innerText)));
}

// What stands between a function and its caller is opened by the keyboard and by the mouse, where it is.
async function opensFolded(page) {
  await page.goto(`file://${calls}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  // It holds nothing by itself: it is not among the first rows.
  await page.click('#rest button');
  await page.$$eval('#table tbody button', (all) => all.find((button) => button.textContent === 'main').click());
  const cell = '#callees tbody tr:nth-child(%) details', row = await page.$$eval('#callees tbody tr', (rows) => rows.findIndex((one) => one.querySelector('details')) + 1);
  const own = cell.replace('%', row), shown = () => page.$eval(own, (element) => element.querySelector('ul')?.innerText.replace(/\s+/g, ' ') || '');
  assert.strictEqual(await shown(), '');
  await page.focus(`${own} summary`);
  await page.keyboard.press('Enter');
  await page.waitForSelector(`${own} li`);
  assert.match(await shown(), /^1\.4 MiB \d+\.\d% std::function<\u2026>::operator\(\)\s*std::_Function_handler/);
  assert.strictEqual(await page.evaluate(() => document.activeElement.tagName), 'SUMMARY', 'the focus stays');
  await page.keyboard.press('Enter');
  await page.waitForFunction((selector) => !document.querySelector(`${selector} li`), {}, own);
  await page.click(`${own} summary`);
  await page.waitForSelector(`${own} li`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} too wide`);
  await page.click(`${own} li button`);
  assert.match(await page.$eval('#function-title', (element) => element.textContent), /operator\(\)/);
}

// Where nothing is called but what is folded, that is what one came for.
async function opensLeaf(page) {
  await page.$$eval('#table tbody button', (all) => all.find((button) => /make/.test(button.textContent)).click());
  assert.strictEqual(await page.$eval('#function', (element) => element.querySelector('#callees')), null);
  await page.waitForSelector('#function .own details[open] li');
  assert.match(await page.$eval('#function .own li', (element) => element.textContent), /\d% (std::|directly)/);
}

// What is said of the command is not left to stand above something else.
async function headFollows(page) {
  const said = () => page.evaluate(() => [document.getElementById('sentence').textContent, document.getElementById('charges').hidden]);
  const first = await said();
  assert.match(first[0], /^70\.8 MiB \u00b1 5\.2 MiB in use; 70% in Leaky/);
  assert.strictEqual(first[1], false);
  await page.select('#metric', await page.$$eval('#metric option', (all) => all.find((one) => one.textContent === 'alloc-space').value));
  assert.deepStrictEqual(await said(), ['alloc-space: 572 MiB \u00b1 14 MiB', true]);
  await page.select('#metric', '0');
  assert.deepStrictEqual(await said(), first);
  await page.click('[data-view=no-alloc]');
  assert.deepStrictEqual(await said(), ['inuse-space: 70.8 MiB \u00b1 5.2 MiB', true], 'in this view another function may be the largest');
  await page.type('#search', 'plugin');
  await page.click('#tools .row button');
  assert.match((await said())[0], /^inuse-space: \d+\.\d MiB/);
  assert.match(await page.$eval('#result', (element) => element.textContent), new RegExp(`^Filters leave ${(await said())[0].slice(13)}`));
}

// The flame graph begins on the first screen, even below three long warnings and 15 rows.
async function beginsEarly(browser) {
  const folder = path.join(program.folder, ...'abc'.split('').map((letter) => letter.repeat(90)));
  fs.mkdirSync(folder, { recursive: true });
  const names = ['5565', '5785', '5798', '5802', '5806'].map((pid) => `py.${pid}.0.f.heap.gz`), long = 'd'.repeat(60);
  const files = [...names.map((name) => `processes/${name}`), 'real/clang_json_lg17.21618.0.f.heap.gz', 'real/postgres_lg13.17969.0.f.heap.gz'].map((name) => {
    const copy = path.join(folder, `${long}.${path.basename(name)}`);
    fs.copyFileSync(program.file(name), copy);
    return copy;
  });
  const { page, faults } = await open(browser, program.write('warnings', '-n', '15', ...files), { width: 1400 });
  assert.strictEqual(await page.$$eval('#warnings > li', (all) => all.length > 3), true, 'three warnings, and more');
  assert.ok(await page.$$eval('#warnings summary', (all) => all.length) > 1, 'a long one is unfolded');
  const top = await page.$eval('#flames', (element) => element.getBoundingClientRect().top + scrollY);
  assert.ok(top <= 900, `the flame graph begins at ${top}`);
  assert.deepStrictEqual(faults, []);
  await page.close();
}

const STEPS = [
  ['zooming keeps the height', zooms],
  ['classes have colours', colors],
  ['narrow', narrow],
  ['folded frames are not denied', denies],
  ['folded frames are opened in place', opensFolded],
  ['folded frames that are all are open', opensLeaf],
  ['the head follows', headFollows],
];

test('Chromium says', async (t) => {
  const browser = await puppeteer.launch({ headless: true, ...BROWSERS.Chromium });
  for (const [what, step] of STEPS.filter(([name]) => new RegExp(process.env.ONLY || '').test(name))) {
    await t.test(what, async () => {
      const { page, faults } = await open(browser, cxx);
      await step(page);
      assert.deepStrictEqual(faults, []);
      await page.close();
    });
  }
  await t.test('the flame graph begins early', () => beginsEarly(browser));
  await browser.close();
});

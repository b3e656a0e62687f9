// Open files in speedscope, in DHAT's viewer or as they are, in a browser without a window, and print what is
// to be read there, as JSON: a list with an entry for each file.
//
// usage: node browser.js PEERS speedscope FILE...
//        node browser.js PEERS dhat PAGE FILE...
//        node browser.js PEERS svg FILE...
//
// PEERS is the folder that ./check --peers makes.  An entry of speedscope is a list of profiles,
// {name, rows: [[total, self, name, shares of both]]}; one of DHAT's viewer is its text; one of a
// picture is its texts, its titles and which of the texts are found.
const fs = require('fs');
const http = require('http');
const path = require('path');

const [peers, viewer, ...files] = process.argv.slice(2);
const modules = path.resolve(peers, 'node_modules');
const { chromium } = require(path.join(modules, 'playwright-core'));

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

// The files of a folder, and `extra` ones by name, on this machine alone.
function serve(folder, extra) {
  const server = http.createServer((request, response) => {
    const name = path.basename(decodeURIComponent(request.url.split('?')[0])) || 'index.html';
    const file = extra[name] || path.join(folder, name);
    fs.readFile(file, (error, content) => {
      response.writeHead(error ? 404 : 200,
        { 'content-type': TYPES[path.extname(file)] || 'application/octet-stream' });
      response.end(content || '');
    });
  });
  return new Promise((resolve) => { server.listen(0, '127.0.0.1', () => resolve(server)); });
}

// A page that ends the program when anything in it goes wrong, or when it asks anyone else.
async function open(browser, origin) {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1200 } });
  const fail = (what) => { console.error(what); process.exit(1); };
  page.on('pageerror', (error) => fail(`error in the page: ${error.message}`));
  page.on('dialog', (dialog) => fail(`the page says: ${dialog.message()}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(data|blob|file):/.test(url) && !url.startsWith(origin)) {
      fail(`the page asks for ${url}`);
    }
  });
  return page;
}

// All rows of the sandwich view.  Only those in sight exist, some time after they came in sight:
// so scroll through them until there are as many as the list is high.
async function sandwich(page) {
  const rows = new Map();
  let height = 1;
  for (let pass = 1; rows.size < height; pass++) {
    if (pass > 8) {
      throw new Error(`${rows.size} of ${height} rows could be read`);
    }
    for (let at = 0, top = -1; top !== at;) {
      at = top;
      const list = await page.evaluate((from) => {
        const row = document.querySelector('tr div div').closest('tr');
        let element = row;
        while (element.parentElement && !/auto|scroll/.test(getComputedStyle(element).overflowY)) {
          element = element.parentElement;
        }
        element.scrollTop = from < 0 ? 0 : from + 400;
        return [element.scrollTop, [...element.children].reduce((sum, child) => sum +
          child.getBoundingClientRect().height, 0) / row.getBoundingClientRect().height];
      }, at);
      await page.waitForTimeout(40 * pass);
      const seen = await page.evaluate(() => {
        const all = [...document.querySelectorAll('tr')].filter((tr) => tr.querySelector('div div'));
        return all.map((tr) => [...[...tr.cells].map((td) => td.textContent),
          [...tr.querySelectorAll('div > div')].map((bar) => parseFloat(bar.style.width))]);
      });
      seen.forEach((row) => rows.set(row[2], row));
      [top, height] = [list[0], Math.round(list[1])];
    }
  }
  return [...rows.values()];
}

async function speedscope(browser) {
  const extra = Object.fromEntries(files.map((file) => [path.basename(file), path.resolve(file)]));
  const server = await serve(path.join(modules, 'speedscope', 'dist', 'release'), extra);
  const origin = `http://127.0.0.1:${server.address().port}`;
  const found = [];
  for (const name of Object.keys(extra)) {
    const page = await open(browser, origin);
    await page.goto(`${origin}/#profileURL=${origin}/${name}`);
    await page.waitForFunction(() => /Sandwich/.test(document.body.innerText) &&
      !/Welcome|Loading/.test(document.body.innerText));
    await page.keyboard.press('3');
    const profiles = [];
    for (let number = 1, count = 1; number <= count; number++) {
      const titles = await page.waitForFunction((wanted) => {
        const text = document.body.innerText;
        const of = / \((\d+)\/(\d+)\)$/m.exec(text);
        return /Symbol Name/.test(text) && (!of || Number(of[1]) === wanted) &&
          [text.split('\n')[1], of ? Number(of[2]) : 1];
      }, number);
      const [title, of] = await titles.jsonValue();
      count = of;
      await page.waitForTimeout(100);
      profiles.push({ name: title.replace(/ \(\d+\/\d+\)$/, ''), rows: await sandwich(page) });
      await page.keyboard.press('n');
    }
    found.push(profiles);
    await page.close();
  }
  server.close();
  return found;
}

async function dhat(browser) {
  const [viewerPage, ...profiles] = files;
  const found = [];
  for (const file of profiles) {
    const page = await open(browser, 'file:');
    await page.goto(`file://${viewerPage}`);
    await page.setInputFiles('input[type=file]', file);
    await page.waitForFunction(() => /Invocation/.test(document.body.innerText));
    found.push(await page.evaluate(() => document.body.innerText));
    await page.close();
  }
  return found;
}

// Each text is looked for as the browser's own search does it.
async function svg(browser) {
  const found = [];
  for (const file of files) {
    const page = await open(browser, `file://${file}`);
    await page.goto(`file://${file}`);
    found.push(await page.evaluate(() => {
      const all = [...document.querySelectorAll('text')];
      const texts = all.map((text) => {
        const { left, right } = text.getBoundingClientRect();
        return { text: text.textContent, left, right };
      });
      const search = (text) => {
        getSelection().removeAllRanges();
        return window.find(text, true) && String(getSelection()) === text;
      };
      return {
        texts,
        titles: [...document.querySelectorAll('g > title')].map((title) => title.textContent),
        found: Object.fromEntries(texts.map(({ text }) => [text, search(text)])),
      };
    }));
    await page.close();
  }
  return found;
}

(async () => {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
  console.log(JSON.stringify(await { speedscope, dhat, svg }[viewer](browser)));
  await browser.close();
})().catch((error) => { console.error(error); process.exit(1); });

// Browsers, and pages in them.
const assert = require('assert');
const path = require('path');

const { PEERS } = process.env;
const modules = path.resolve(PEERS, 'node_modules');
const puppeteer = require(path.join(modules, 'puppeteer-core'));
const BROWSERS = {
  Chromium: { browser: 'chrome', executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu',
    '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] },
  Firefox: { browser: 'firefox', executablePath: '/usr/bin/firefox-esr' },
};
const isChromium = (browser) => browser.connected && browser.process().spawnfile.includes('chromium');

// Firefox of Debian 12 without its updates is 140: it knows no orientation, which is set beside a size, and what page.waitForFunction()
// puts into a page its policy forbids there.
async function until(page, holds, ...values) {
  for (const start = Date.now(); !(await page.evaluate(holds, ...values));) {
    assert.ok(Date.now() - start < 120000, `not within two minutes: ${holds}`);
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
}

const isReady = (page) => until(page, () => Boolean(document.documentElement.dataset.ready));
const isThere = (page, selector) => until(page, (wanted) => document.querySelector(wanted) !== null, selector);

async function resize(page, width) {
  await page.setViewport({ width, height: 900 }).catch((error) => { assert.match(error.message, /unknown command/); });
  await until(page, (wanted) => innerWidth === wanted, width);
}

// A page in which nothing goes wrong and which asks nobody: {page, faults}.
async function open(browser, file, { fragment = '', width = 1280, script = true, saves = false } = {}) {
  const page = await browser.newPage(), faults = [];
  if (saves) {
    await catchSaved(page);
  }
  await resize(page, width);
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('console', (message) => { if (message.type() === 'error') { faults.push(`console: ${message.text()}`); } });
  page.on('request', (request) => { if (!/^(data|blob|file):/.test(request.url())) { faults.push(`request: ${request.url()}`); } });
  await page.evaluateOnNewDocument(() => {
    addEventListener('securitypolicyviolation', (event) => { console.error(`violation: ${event.violatedDirective}`); });
  });
  if (!script && isChromium(browser)) {
    await page.setJavaScriptEnabled(false);
  }
  await page.goto(`file://${file}${fragment}`);
  if (script) {
    await isReady(page);
    assert.strictEqual(await page.evaluate(() => document.documentElement.dataset.ready), 'yes', faults.join());
  }
  return { page, faults };
}

// What a page gives to be saved, by the names of its files, and copied.
const catchSaved = (page) => page.evaluateOnNewDocument(() => {
  window.saved = {};
  window.copied = '';
  const blobs = new Map(), { createObjectURL } = URL;
  URL.createObjectURL = (blob) => {
    const url = createObjectURL.call(URL, blob);
    blobs.set(url, blob);
    return url;
  };
  HTMLAnchorElement.prototype.click = function click() {
    const name = this.getAttribute('download'), reader = new FileReader();
    reader.onload = () => { window.saved[name] = name.endsWith('.gz') ? reader.result.split(',')[1] : reader.result; };
    reader[name.endsWith('.gz') ? 'readAsDataURL' : 'readAsText'](blobs.get(this.getAttribute('href')));
  };
  document.addEventListener('copy', () => { window.copied = document.activeElement.value; });
});

const keys = async (page, ...all) => { for (const key of all) { await page.keyboard.press(key); } };
// A step back within a page, which not every client waits for.
const back = (page) => page.evaluate(() => new Promise((resolve) => {
  addEventListener('hashchange', () => setTimeout(resolve, 30), { once: true });
  history.back();
}));
const textOf = (page, selector) => page.$eval(selector, (element) => element.innerText);
const focused = (page) => page.evaluate(() => document.activeElement.textContent || document.activeElement.id);

module.exports = { BROWSERS, back, focused, isChromium, isReady, isThere, keys, modules, open, puppeteer, resize, textOf, until };

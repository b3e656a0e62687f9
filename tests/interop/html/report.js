// What tests of the page share: writing reports, what the script in one is made of, run without a browser, and
// the command line's tables.
const { execFile, execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const vm = require('vm');
const zlib = require('zlib');

const KEPT = ['decodeModel', 'Explorer', 'stateOfFragment', 'fragmentOfState', 'gammaQuantile', 'Pattern',
  'searchTexts', 'estimateText', 'safeText', 'cutText', 'lastOf', 'boxesOf', 'linkChildren', 'Sums', 'foldTree', 'lineText', 'heldFacets', 'commandOf', 'statusOf', 'lookOf'];

// The folder of a test's reports, which goes with it.
function scratch() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hprof-agg-html-'));
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

class Program {
  constructor(binary, testdata) {
    this.binary = path.resolve(binary);
    this.testdata = path.resolve(testdata);
    this.folder = scratch();
    fs.mkdirSync(path.join(this.folder, 'nothing'));
    this.symbols = `--symbol-dir=${path.join(this.testdata, 'root')}`;
  }

  file(name) { return path.join(this.testdata, name); }

  // The arguments, so that binaries are looked for below folders of the test alone: see tests/properties/rooted.py.
  rooted(args) {
    const has = (option) => args.some((word) => word.startsWith(option));
    return has('--no-symbols') ? args : [...args, ...has('--symbol-dir') ? [] : [`--symbol-dir=${this.folder}/nothing`], '--symbol-dir-only'];
  }

  // The path of a report.
  write(name, ...args) { return this.writeOf('top', name, ...args); }

  writeOf(command, name, ...args) {
    const out = path.join(this.folder, `${name}.html`);
    execFileSync(this.binary, [command, '-q', '-f', 'html', '-o', out, ...this.rooted(args)], { stdio: ['ignore', 'ignore', 'inherit'] });
    return out;
  }

  // What a command says as JSON, or null if there is nothing to say.
  json(...args) {
    return new Promise((resolve, reject) => {
      execFile(this.binary, [...this.rooted(args), '-q', '-f', 'json', '-n0'], { maxBuffer: 1 << 30 }, (error, out, err) => {
        if (error && !/nothing to report|leave nothing|exclude everything/.test(err)) {
          reject(new Error(`${args.join(' ')}: ${err || error}`));
        } else {
          resolve(error ? null : JSON.parse(out));
        }
      });
    });
  }
}

function partsOf(file) {
  const html = fs.readFileSync(file, 'utf8');
  const script = /<script>([^]*?)<\/script>/.exec(html)[1];
  const style = /<style>([^]*?)<\/style>/.exec(html)[1];
  const [, encoding, text] = /<script id="data"[^>]*data-encoding="([^"]*)">([^]*?)<\/script>/.exec(html);
  const json = encoding === 'plain' ? text : zlib.gunzipSync(Buffer.from(text, 'base64')).toString('utf8');
  return { html, script, style, data: JSON.parse(json) };
}

// The functions of the script of a report, and its data.
function load(file) {
  const { script, data } = partsOf(file);
  const context = vm.createContext({ performance, console, URLSearchParams });
  const page = vm.runInContext(`${script};({${KEPT.join()}})`, context);
  return { page, data, model: page.decodeModel(data) };
}

module.exports = { Program, load, partsOf };

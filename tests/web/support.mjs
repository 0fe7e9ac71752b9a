// What the browser tests share: a planted library, a running server, a browser, and what every page is checked for.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';

export const PROGRAM = process.env.COMMONPLACE ?? '';
export const PAGE = process.env.COMMONPLACE_PAGE ?? '';
export const GROUPS = ['owl', 'Ölfass', 'harbour'];
export const WORDS = ['night feather', 'workshop grease', 'water ship'];
export const COUNT = 150;
/** The machine may be busy: what is waited for may take this long before it counts as missing. */
export const PATIENCE = Number(process.env.COMMONPLACE_WEB_PATIENCE ?? 60_000);
export const TABS = ['home', 'search', 'review', 'cleanup', 'tags', 'teach', 'places', 'map', 'transfer', 'quality', 'library'];

const require = createRequire(import.meta.url);

export function chromiumPath() {
  const named = process.env.COMMONPLACE_CHROMIUM;
  if (named) return named;
  return ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((each) => existsSync(each));
}

/** Why the tests cannot be run here, or false. */
export function missing() {
  if (!PROGRAM || !existsSync(PROGRAM)) return 'COMMONPLACE does not name the program';
  if (!PAGE || !existsSync(path.join(PAGE, 'index.html'))) return 'COMMONPLACE_PAGE does not name a built page';
  if (!chromiumPath()) return 'there is no chromium';
  for (const name of ['playwright-core', 'axe-core']) {
    try {
      require.resolve(name);
    } catch {
      return `${name} is not installed: run "npm ci" in tests/web`;
    }
  }
  return false;
}

/** Runs the program and gives back what it prints as JSON. */
export function command(...words) {
  return new Promise((resolve, reject) => {
    execFile(PROGRAM, [...words, '--json'], { maxBuffer: 1 << 26 }, (error, output, complaints) => {
      if (error) reject(new Error(`commonplace ${words.join(' ')}: ${complaints || error.message}`));
      else resolve(output.trim() ? JSON.parse(output) : undefined);
    });
  });
}

let table;
function checksum(bytes) {
  table ??= Int32Array.from({ length: 256 }, (_, start) => {
    let value = start;
    for (let bit = 0; bit < 8; ++bit) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  let sum = -1;
  for (const byte of bytes) sum = table[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (sum ^ -1) >>> 0;
}

/** A picture of one colour. */
function png(red, green, blue, side = 40) {
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const result = Buffer.alloc(body.length + 8);
    result.writeUInt32BE(data.length, 0);
    body.copy(result, 4);
    result.writeUInt32BE(checksum(body), body.length + 4);
    return result;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head[8] = 8;
  head[9] = 2;
  const row = Buffer.alloc(1 + 3 * side);
  for (let i = 0; i < side; ++i) row.set([red, green, blue], 1 + 3 * i);
  const rows = Buffer.concat(Array.from({ length: side }, () => row));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A file of map tiles with one: a picture of the whole world in one colour. */
export function worldTiles(red, green, blue) {
  const tile = png(red, green, blue, 256);
  const metadata = Buffer.from('{}');
  // One entry: tile 0, once, so long, at the beginning.
  const length = [];
  for (let left = tile.length; ; left >>>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) break;
  }
  const directory = Buffer.from([1, 0, 1, ...length, 1]);
  const head = Buffer.alloc(127);
  head.write('PMTiles', 0, 'latin1');
  head[7] = 3;
  let at = 127;
  const place = (offset, bytes) => {
    head.writeBigUInt64LE(BigInt(at), offset);
    head.writeBigUInt64LE(BigInt(bytes), offset + 8);
    at += bytes;
  };
  place(8, directory.length);
  place(24, metadata.length);
  place(40, 0);
  place(56, tile.length);
  for (const offset of [72, 80, 88]) head.writeBigUInt64LE(1n, offset);
  head.set([1, 1, 1, 2, 0, 0], 96); // clustered, nothing compressed, PNG, one level
  for (const [offset, degrees] of [[102, -180], [106, -85], [110, 180], [114, 85]]) head.writeInt32LE(degrees * 1e7, offset);
  return Buffer.concat([head, directory, metadata, tile]);
}

/** Normal deviates, the same at each run. */
function gauss(seed) {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 1) / 4294967297;
  };
  return (deviation = 1) => deviation * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

const lines = (items) => items.map((each) => `${JSON.stringify(each)}\n`).join('');

/**
 * Photo i is of group i % 3: it looks, is tagged, is called and lies like the group. Every third has no
 * tag, so that there is something to suggest. Notes lend their tags; letters have no label.
 */
async function plant(folder) {
  const library = path.join(folder, 'library');
  const draw = gauss(3);
  const middles = GROUPS.map(() => Array.from({ length: 6 }, () => draw()));
  const pictures = path.join(folder, 'pictures');
  mkdirSync(path.join(pictures, '2019'), { recursive: true });
  const photos = [];
  let rows = '';
  for (let i = 0; i < COUNT; ++i) {
    const group = i % 3;
    const item = {
      id: `2019/p${i}.png`, title: `${WORDS[group]} ${i}`, text: `A ${WORDS[group]} <b>&`,
      tags: Math.floor(i / 3) % 3 ? [GROUPS[group], `detail ${group}`] : [],
      image: `2019/p${i}.png`, labels: { group: `g${group}` },
    };
    if (i % 5) Object.assign(item, { lat: 50 + group * 0.2 + draw(0.002), lon: 13 + draw(0.002) });
    photos.push(item);
    rows += `${middles[group].map((middle) => (middle + draw(0.4)).toFixed(4)).join(',')}\n`;
    writeFileSync(path.join(pictures, item.image), png(80 * group, 255 - 80 * group, i % 256));
  }
  const write = (name, text) => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  await command('init', library);
  await command('add', library, 'photos', write('pictures/photos.jsonl', lines(photos)));
  await command('features', library, 'photos', '--name', 'look', '--from', write('look.csv', rows));
  const notes = Array.from({ length: 90 }, (_, i) => ({
    id: `n${i}`, text: `${WORDS[i % 3]} told at length`, tags: [GROUPS[i % 3], WORDS[i % 3].split(' ')[0]] }));
  await command('add', library, 'notes', write('notes.jsonl', lines(notes)));
  const letters = Array.from({ length: 60 }, (_, i) => ({
    id: `l${i}`, title: `Letter ${i}`, text: `A ${WORDS[i % 3]} by letter`, tags: [GROUPS[i % 3]] }));
  await command('add', library, 'letters', write('letters.jsonl', lines(letters)));
  await command('learn', library, 'search', '--target', 'photos', '--auxiliary', 'notes', '--rank', '6',
    '--auxiliary-rank', '6', '--shared', '3');
  await command('learn', library, 'suggest', '--collection', 'photos', '--features', 'text');
  await command('learn', library, 'detect', '--collection', 'photos', '--features', 'look', '--min-uses', '5');
  await command('learn', library, 'relate', '--collections', 'photos', '--gamma', '0.3', '--dim', '6');
  await command('evaluate', 'suggest', library, '--collection', 'photos', '--features', 'text',
    '--methods', 'tags', '--baselines', 'popular');
  return library;
}

/** Things that are there twice, and tags that may mean the same; nothing is learned. */
export async function twins(folder, name) {
  const library = path.join(folder, name);
  const texts = ['the ferry leaves the old harbour at dawn with forty people and a dog on board',
    'a telescope on the hill shows the moons of jupiter on every clear night of the winter'];
  const items = [
    { id: 'a', title: 'Ferry', text: texts[0], tags: ['boat', 'harbour'] }, { id: 'b', title: 'Ferry again', text: texts[0], tags: ['ship'] },
    { id: 'c', title: 'Moons', text: texts[1], tags: ['night', 'stars'] }, { id: 'd', title: 'Moons again', text: `${texts[1]}.`, tags: ['Night'] },
    ...Array.from({ length: 24 }, (_, i) => ({ id: `x${i}`, title: `Thing ${i}`, text: `number ${i} of its kind`, tags: i % 2 ? ['animals/dog', 'pets'] : ['animals/cat', 'pet'] })),
  ];
  const file = path.join(folder, `${name}.jsonl`);
  writeFileSync(file, lines(items));
  await command('init', library);
  await command('add', library, 'things', file);
  return library;
}

const SAMPLE = fileURLToPath(new URL('../../examples/sample.py', import.meta.url));

/** Drawings of five kinds of scenes with what they look like as features; the folder of their files too. */
async function scenes(folder, name) {
  const made = path.join(folder, `${name}-made`);
  const library = path.join(folder, name);
  await new Promise((resolve, reject) => {
    execFile('python3', [SAMPLE, made], (error, _, complaints) => (error ? reject(new Error(complaints || error.message)) : resolve()));
  });
  await command('init', library);
  await command('add', library, 'drawings', path.join(made, 'Pictures'));
  await command('features', library, 'drawings', '--image', 'gist', '--name', 'look');
  return { library, pictures: path.join(made, 'Pictures') };
}

export class Server {
  /** `commonplace serve` on a free port, or on the one given. */
  static async start(library, words = [], port = 0, kept = false) {
    const server = new Server();
    server.process = spawn(PROGRAM, ['serve', library, '--port', String(port), '--json', ...(kept ? [] : ['--no-keep']), '--page', PAGE, ...words],
      { stdio: ['ignore', 'pipe', 'pipe'] });
    server.complaints = '';
    server.process.stderr.on('data', (data) => { server.complaints += data; });
    server.ended = new Promise((resolve) => server.process.on('exit', resolve));
    const first = readline.createInterface({ input: server.process.stdout });
    const line = await new Promise((resolve, reject) => {
      first.once('line', resolve);
      void server.ended.then(() => reject(new Error(`the server did not start: ${server.complaints}`)));
    });
    server.address = JSON.parse(line).address;
    server.port = Number(new URL(server.address).port);
    return server;
  }

  /** By SIGTERM, and by force where that does not end it; says whether it ended by itself. */
  async stop(patience = Number(process.env.COMMONPLACE_WEB_STOP ?? 3000)) {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill('SIGTERM');
    let timer;
    const late = new Promise((resolve) => { timer = setTimeout(() => resolve('late'), patience); });
    const first = await Promise.race([this.ended.then(() => 'ended'), late]);
    clearTimeout(timer);
    if (first === 'ended') return true;
    this.process.kill('SIGKILL');
    await this.ended;
    return false;
  }
}

/** One for the whole run: the folder with the planted library, and the browser. */
export class World {
  async open() {
    this.folder = mkdtempSync(path.join(tmpdir(), 'commonplace-web-'));
    const { chromium } = await import('playwright-core');
    this.browser = await chromium.launch({
      executablePath: chromiumPath(), headless: true,
      args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    });
    this.planted = await plant(this.folder);
    this.copies = 0;
  }

  async close() {
    await this.browser?.close();
    if (this.folder) rmSync(this.folder, { recursive: true, force: true });
  }

  /** The planted library once more, to be changed at will. */
  copy() {
    const library = path.join(this.folder, `copy${++this.copies}`, 'library');
    cpSync(this.planted, library, { recursive: true });
    return library;
  }

  twins() {
    return twins(this.folder, `twins${++this.copies}`);
  }

  scenes() {
    return scenes(this.folder, `scenes${++this.copies}`);
  }

  async empty() {
    const library = path.join(this.folder, `empty${++this.copies}`);
    await command('init', library);
    return library;
  }

  file(name, text) {
    const file = path.join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }
}

/** The one of this run, which `page.test.mjs` opens and closes. */
export const world = new World();

/** A page of its own browser session that notes everything that goes wrong in it. */
export async function openPage(options = {}) {
  const context = await world.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.setDefaultNavigationTimeout(PATIENCE);
  const faults = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} ${message.location().url ?? ''}`);
  });
  page.on('pageerror', (error) => faults.push(`page: ${error.stack ?? error.message}`));
  return { context, page, faults };
}

/**
 * Serves a library (a copy of the planted one unless another is given; `kept` up to date or not), opens a page, and runs `body`; after
 * that nothing may have gone wrong but what `allowed` matches.
 */
export async function visit(body, { library, words = [], options, allowed, server: given, kept = false } = {}) {
  const used = library ?? world.copy();
  const server = given ?? await Server.start(used, words, 0, kept);
  const { context, page, faults } = await openPage(options);
  try {
    await body({ page, server, library: used, context, faults });
    const left = allowed ? faults.filter((each) => !allowed.test(each)) : faults;
    assert.deepEqual(left, [], 'the browser reported errors');
  } catch (error) {
    if (process.env.COMMONPLACE_WEB_PICTURES) {
      await page.screenshot({ path: path.join(process.env.COMMONPLACE_WEB_PICTURES, `failed-${Date.now()}.png`) }).catch(() => {});
    }
    if (faults.length > 0 && !error.message.includes('reported errors')) error.message += `\nthe browser reported: ${faults.join('\n')}`;
    throw error;
  } finally {
    await context.close();
    await server.stop();
  }
}

/** Goes to a view by its address within the page. */
export async function go(page, server, hash) {
  await page.goto(`${server.address}/#/${hash}`);
  await page.locator('h1').first().waitFor();
}

/** Holds a key down, as a keyboard does: again and again until it is let go. */
export async function hold(page, key, times = 10) {
  for (let i = 0; i < times; ++i) await page.keyboard.down(key);
  await page.keyboard.up(key);
}

/** Drops a file or folder of this machine onto an element. */
export async function drop(page, selector, file) {
  const { x, y, width, height } = await page.locator(selector).boundingBox();
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await devtools.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height / 2, data });
  }
}

/** Answers requests to `pattern` with an error until the page is told to go on. */
export async function breakDown(page, pattern) {
  await page.route(pattern, (each) => each.fulfill({
    status: 500, contentType: 'application/problem+json', body: JSON.stringify({ title: 'Error', detail: 'the disk is on fire' }) }));
  return () => page.unroute(pattern);
}

/** Waits until `condition` holds; says what it was last. */
export async function until(condition, what, patience = PATIENCE) {
  const end = Date.now() + patience;
  let last;
  for (;;) {
    try {
      last = await condition();
      if (last) return last;
    } catch (error) {
      last = error.message;
    }
    if (Date.now() > end) assert.fail(`${what}: ${JSON.stringify(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Nothing is being read any more. */
export async function settled(page) {
  await page.waitForFunction(() => !document.querySelector('.loading') && !/Opening the library/.test(document.body.innerText));
  await page.waitForLoadState('networkidle');
}

let axe;
/** What axe-core finds that is serious or critical. */
export async function barriers(page) {
  axe ??= readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const result = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return result.violations.filter((each) => each.impact === 'serious' || each.impact === 'critical')
      .map((each) => `${each.id} (${each.impact}): ${each.nodes.slice(0, 4).map((node) => `${node.target.join(' ')} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
  });
  return found;
}

export const show = (library, id, collection = 'photos') => command('show', library, collection, id);
export const countOf = (text) => Number(/\d+/.exec(text.replace(/,/g, ''))?.[0] ?? NaN);

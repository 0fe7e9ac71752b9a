#!/usr/bin/env node
// Measures the page in Chromium on large libraries: page.mjs PROGRAM PAGE [ITEMS ...] [--json] [--keep FOLDER]
// Each library has so many items with a title, a text, tags, and one of 300 pictures. Printed are: the first tile (from the
// address to the first picture drawn), a search (from Enter to its results), frames while it is scrolled by wheel, the way
// to the last item and back by End and Home, and the heap afterwards.
import { execFileSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const words = process.argv.slice(2);
const json = words.includes('--json');
const keepAt = words.indexOf('--keep');
const kept = keepAt >= 0 ? words[keepAt + 1] : '';
const [program, page, ...counts] = words.filter((each, index) => each !== '--json' && each !== '--keep' && (keepAt < 0 || index !== keepAt + 1));
if (!program || !page) {
  console.error('usage: page.mjs PROGRAM PAGE [ITEMS ...] [--json] [--keep FOLDER]');
  process.exit(2);
}
process.env.COMMONPLACE = path.resolve(program);
process.env.COMMONPLACE_PAGE = path.resolve(page);
const { chromiumPath, Server } = await import(path.join(root, 'tests/web/support.mjs'));
const { chromium } = createRequire(path.join(root, 'tests/web/support.mjs'))('playwright-core');

const folder = kept || mkdtempSync(path.join(os.tmpdir(), 'commonplace-page-'));
mkdirSync(folder, { recursive: true });
const TOPICS = ['sea boat harbour', 'mountain snow trail', 'stars night moon', 'city tower street', 'garden flower bee'];

async function libraryOf(count) {
  const library = path.join(folder, `library-${count}`);
  if (existsSync(path.join(library, 'library.db'))) return library;
  const sample = path.join(folder, 'sample');
  if (!existsSync(sample)) execFileSync('python3', [path.join(root, 'examples/sample.py'), sample], { stdio: 'ignore' });
  const base = path.join(sample, 'Pictures');
  const pictures = readdirSync(base, { recursive: true }).filter((each) => each.endsWith('.png')).sort();
  const file = path.join(base, `items-${count}.jsonl`);
  const out = createWriteStream(file);
  for (let i = 0; i < count; ++i) {
    const topic = TOPICS[i % TOPICS.length];
    const line = JSON.stringify({
      id: `i${i}`, title: `${topic} ${i}`, text: `number ${i} shows ${topic} in ${1990 + (i % 35)}`, tags: topic.split(' ').slice(0, 1 + (i % 3)),
      time: `${1990 + (i % 35)}-0${1 + (i % 9)}-11`, image: pictures[(i * 7) % pictures.length] });
    if (!out.write(`${line}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  execFileSync(program, ['init', library], { stdio: 'ignore' });
  execFileSync(program, ['add', library, 'items', file], { stdio: 'ignore' });
  rmSync(file);
  return library;
}

const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];

/** Frames while the wheel turns for a while. */
async function scrolled(tab, seconds) {
  await tab.evaluate(() => {
    globalThis.frames_ = [];
    let before = performance.now();
    const note = (now) => { globalThis.frames_.push(now - before); before = now; globalThis.noting = requestAnimationFrame(note); };
    globalThis.noting = requestAnimationFrame(note);
  });
  await tab.mouse.move(640, 500);
  const end = Date.now() + 1000 * seconds;
  while (Date.now() < end) {
    await tab.mouse.wheel(0, 240);
    await tab.evaluate(() => new Promise((resolve) => { requestAnimationFrame(resolve); }));
  }
  const frames = await tab.evaluate(() => { cancelAnimationFrame(globalThis.noting); return globalThis.frames_.slice(2); });
  return { middle: quantile(frames, 0.5), slow: quantile(frames, 0.95), worst: Math.max(...frames), count: frames.length };
}

/** In the page: whether the picture of an item is there to be seen. */
function drawn(index) {
  const each = document.querySelector(`[data-index="${index}"] img.thumbnail`);
  return each !== null && each.complete && each.naturalWidth > 0;
}

async function measured(count) {
  const library = await libraryOf(count);
  const server = await Server.start(library);
  const browser = await chromium.launch({ executablePath: chromiumPath(), headless: true,
    args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
  try {
    const tab = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    tab.setDefaultTimeout(600_000);
    const firstTile = async () => {
      const begin = Date.now();
      await tab.goto(`${server.address}/#/search`);
      await tab.waitForFunction(drawn, 0, { polling: 'raf' });
      return Date.now() - begin;
    };
    const cold = await firstTile();
    await tab.goto('about:blank');
    const first = await firstTile();
    const frames = await scrolled(tab, 5);
    const leap = async (key, index) => {
      await tab.locator('[data-index] [data-focus][tabindex="0"]').first().focus();
      const begin = Date.now();
      await tab.keyboard.press(key);
      await tab.waitForFunction(drawn, index, { polling: 'raf' });
      return Date.now() - begin;
    };
    const end = await leap('End', count - 1);
    const home = await leap('Home', 0);
    const ask = async (text) => {
      await tab.getByRole('combobox', { name: 'Search for' }).fill(text);
      const begin = Date.now();
      await tab.keyboard.press('Enter');
      await tab.waitForFunction(() => /best first/.test(document.querySelector('main [role=status]')?.textContent ?? ''), undefined, { polling: 'raf' });
      return Date.now() - begin;
    };
    const firstSearch = await ask('harbour boat');
    await tab.goto('about:blank');
    await tab.goto(`${server.address}/#/search`);
    await tab.waitForFunction(drawn, 0, { polling: 'raf' });
    const search = await ask('snow trail');
    const heap = await tab.evaluate(() => { globalThis.gc?.(); return performance.memory.usedJSHeapSize; });
    return { items: count, cold_first_tile_ms: cold, first_tile_ms: first, frame_ms: frames, end_ms: end, home_ms: home, first_search_ms: firstSearch, search_ms: search, heap_mb: heap / 1e6 };
  } finally {
    await browser.close();
    await server.stop();
  }
}

try {
  const results = [];
  for (const count of counts.length > 0 ? counts.map(Number) : [100_000, 1_000_000]) {
    const found = await measured(count);
    results.push(found);
    if (json) continue;
    const ms = (value) => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
    console.log(`${count.toLocaleString('en')} items: first tile ${ms(found.first_tile_ms)} (server just started: ${ms(found.cold_first_tile_ms)}); `
      + `frames ${ms(found.frame_ms.middle)} in the middle, ${ms(found.frame_ms.slow)} at 95 %, ${ms(found.frame_ms.worst)} at worst (${found.frame_ms.count}); `
      + `End ${ms(found.end_ms)}, Home ${ms(found.home_ms)}; search ${ms(found.search_ms)} (the first: ${ms(found.first_search_ms)}); heap ${found.heap_mb.toFixed(1)} MB`);
  }
  if (json) console.log(JSON.stringify(results, null, 1));
} finally {
  if (!kept) rmSync(folder, { recursive: true, force: true });
}

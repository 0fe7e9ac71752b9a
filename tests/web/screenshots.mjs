// Pictures of the tabs for the documentation: node screenshots.mjs ADDRESS OUTFOLDER
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumPath, settled } from './support.mjs';

const [address, folder] = process.argv.slice(2);
if (!address || !folder) {
  console.error('usage: node screenshots.mjs ADDRESS OUTFOLDER');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const ask = async (route) => (await fetch(new URL(route, address))).json();
const { collections } = await ask('/v1/collections');
const chosen = collections.find((each) => each.pictures) ?? collections[0];
const name = encodeURIComponent(chosen.name);
const { tags } = await ask(`/v1/collections/${name}/tags?limit=1`);
const tag = tags[0]?.tag ?? '';
const { hits } = await ask(`/v1/search?q=${encodeURIComponent(tag)}&collection=${name}&limit=1`);
const found = hits[0]?.id ?? (await ask(`/v1/collections/${name}/items?limit=1`)).items[0].id;
const labelled = collections.find((each) => each.label_fields.length > 0);
const target = collections.find((each) => each !== labelled);
const query = new URLSearchParams({ q: tag, collection: chosen.name });

const views = {
  home: 'home',
  search: `search?${query}`,
  item: `item/${name}/${encodeURIComponent(found)}`,
  review: `review?${new URLSearchParams({ collection: chosen.name })}`,
  teach: `teach?${new URLSearchParams({ concept: tag })}`,
  map: 'map',
  transfer: labelled && target ? `transfer?${new URLSearchParams({ source: labelled.name, target: target.name })}` : 'transfer',
  quality: 'quality',
  cleanup: 'cleanup',
  tags: `tags?${new URLSearchParams({ tag })}`,
};

const browser = await chromium.launch({
  executablePath: chromiumPath(), headless: true,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
try {
  const shoot = async (file, hash, options, before) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(`${address.replace(/\/$/, '')}/#/${hash}`);
    await settled(page);
    await before?.(page);
    await page.waitForFunction(() => [...document.images].every((each) => each.complete || each.loading === 'lazy'));
    await page.screenshot({ path: path.join(folder, `${file}.png`) });
    await context.close();
  };
  const light = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' };
  /** What is shown after a button was pressed and its work was done. */
  const pressed = (name, selector) => async (page) => {
    const button = page.getByRole('button', { name, exact: true });
    if (!(await button.count())) return;
    await button.first().click();
    await page.locator(selector).first().waitFor({ timeout: 300_000 });
  };
  const before = { transfer: pressed('Measure distances', '.distances'), cleanup: pressed('Look for duplicates', '.copy-groups') };
  for (const [file, hash] of Object.entries(views)) await shoot(file, hash, light, before[file]);
  await shoot('home-phone', views.home, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme: 'light' });
  await shoot('search-phone-dark', views.search,
    { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme: 'dark' });
} finally {
  await browser.close();
}

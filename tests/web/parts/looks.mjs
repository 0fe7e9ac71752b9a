import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { barriers, go, PAGE, settled, TABS, until, visit, world } from '../support.mjs';

/** Every tab, and what can be opened in them. */
const VIEWS = [
  ...TABS, 'search?q=owl&collection=photos', 'item/photos/2019%2Fp0.png', 'item/photos/2019%2Fp4.png',
  'item/notes/n0', 'teach?collection=photos&concept=owl&yes=2019%2Fp0.png&no=2019%2Fp1.png', 'review?tag=owl',
  'review?many=1&tag=owl', 'search?collection=photos&panel=filters', 'search?collection=notes', 'search?collection=photos&at=1&full=1',
];

const openAll = (page) => page.evaluate(() => {
  for (const each of document.querySelectorAll('main details')) each.open = true;
});

const wide = (page) => page.evaluate(() => ({
  over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  by: [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1
    && !each.closest('.scroll-x, pre, .strip, svg')).slice(0, 5).map((each) => `${each.tagName}.${each.className}`),
}));

const checked = (scheme, viewport) => () => visit(async ({ page, server }) => {
  const found = [];
  for (const view of VIEWS) {
    await go(page, server, view);
    await settled(page);
    await openAll(page);
    await settled(page);
    for (const each of await barriers(page)) found.push(`${view}: ${each}`);
  }
  await go(page, server, 'search?q=owl&collection=photos');
  await page.getByRole('button', { name: /^Why is/ }).first().click();
  await page.getByRole('heading', { name: 'Its own words' }).waitFor();
  await page.getByRole('combobox', { name: 'Search for' }).fill('');
  await page.getByRole('combobox', { name: 'Search for' }).pressSequentially('ow');
  await page.getByRole('option').first().waitFor();
  for (const each of await barriers(page)) found.push(`why: ${each}`);
  await go(page, server, 'transfer?source=photos&target=letters&way=direct');
  await page.getByRole('button', { name: 'Measure distances' }).click();
  await page.locator('.distances').getByText('Details').click();
  await page.getByRole('button', { name: 'Rank bridges' }).click();
  await page.getByRole('heading', { name: 'Bridges' }).waitFor();
  await page.getByRole('button', { name: 'Try (write nothing)' }).click();
  await page.getByRole('heading', { name: 'What would be written' }).waitFor();
  await openAll(page);
  for (const each of await barriers(page)) found.push(`transfer: ${each}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('dialog').waitFor();
  for (const each of await barriers(page)) found.push(`dialog: ${each}`);
  assert.deepEqual(found, []);
}, { options: { colorScheme: scheme, viewport } });

export const looks = {
  'what every visit fetches is small': () => {
    const index = readFileSync(path.join(PAGE, 'index.html'), 'utf8');
    const files = [...index.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map((each) => each[1]);
    assert.ok(files.length >= 2, `scripts and styles: ${files}`);
    const bytes = files.reduce((sum, each) => sum + gzipSync(readFileSync(path.join(PAGE, each))).length, 0);
    assert.ok(bytes <= 120_000, `${bytes} bytes`);
  },

  'it comes compressed, and as it is to who takes nothing else': () => visit(async ({ page, server }) => {
    const sent = page.waitForResponse((each) => /\/v1\/collections\/photos\/items/.test(each.url()));
    await go(page, server, 'search?collection=photos');
    assert.equal((await sent).headers()['content-encoding'], 'gzip');
    const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(readFileSync(path.join(PAGE, 'index.html'), 'utf8'))[1];
    const plain = await fetch(`${server.address}/${script}`, { headers: { 'Accept-Encoding': 'identity' } });
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.ok((await plain.text()) === readFileSync(path.join(PAGE, script), 'utf8'));
  }),

  'nothing bars the way, in light colours': checked('light', { width: 1280, height: 800 }),
  'nothing bars the way, in dark colours': checked('dark', { width: 1280, height: 800 }),

  'nothing bars the way at the first use': async () => visit(async ({ page, server }) => {
    await go(page, server, 'search');
    await settled(page);
    assert.deepEqual(await barriers(page), []);
  }, { library: await world.empty() }),

  'a phone is never scrolled sideways': () => visit(async ({ page, server }) => {
    const found = [];
    const look = async (view) => {
      const { over, by } = await wide(page);
      if (over > 0) found.push(`${view}: ${over} pixels, ${by.join(' ')}`);
    };
    for (const view of VIEWS) {
      await go(page, server, view);
      await settled(page);
      await openAll(page);
      await settled(page);
      await look(view);
      for (const each of await barriers(page)) found.push(`${view}: ${each}`);
    }
    await go(page, server, 'transfer?source=photos&target=letters&way=direct');
    await page.getByRole('button', { name: 'Measure distances' }).click();
    await page.locator('.distances').getByText('Details').click();
    await page.getByRole('button', { name: 'Rank bridges' }).click();
    await page.getByRole('heading', { name: 'Bridges' }).waitFor();
    await page.getByRole('button', { name: 'Try (write nothing)' }).click();
    await page.getByRole('heading', { name: 'What would be written' }).waitFor();
    await openAll(page);
    await look('transfer');
    await go(page, server, 'search?q=owl&collection=photos');
    await page.locator('[data-index="0"] .tile-link').focus();
    await page.keyboard.press('w');
    await page.getByRole('heading', { name: 'Its own words' }).waitFor();
    await look('why');
    assert.deepEqual(found, []);
  }, { options: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true } }),

  'dark where the system is dark, and by the button': () => visit(async ({ page, server }) => {
    const brightness = () => page.evaluate(() => {
      const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
      return (red + green + blue) / 3;
    });
    await go(page, server, 'search');
    await until(async () => (await brightness()) < 80, 'it is dark');
    const more = page.getByRole('button', { name: 'More', exact: true });
    await more.click();
    await page.getByRole('button', { name: 'Light colours' }).click();
    await until(async () => (await brightness()) > 180, 'it is light');
    await page.reload();
    await more.click();
    await page.getByRole('button', { name: 'Dark colours' }).waitFor();
    assert.ok((await brightness()) > 180, 'a reload keeps it');
  }, { options: { colorScheme: 'dark' } }),
};

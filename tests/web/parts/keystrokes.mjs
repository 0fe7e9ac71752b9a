import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { go, show, until, visit, world } from '../support.mjs';

/** What docs/page.md says that tasks take: keys but for the letters of what is typed, and clicks. */
function claimed() {
  const text = readFileSync(new URL('../../../docs/page.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| ([^|]+) \| [^|]+ \| (\d+) \| (\d+) \|/gm)];
  return new Map(rows.map((each) => [each[1].trim(), { keys: Number(each[2]), clicks: Number(each[3]) }]));
}

/** Counts what arrives in the page: keys that are no letters of a text, and presses of the pointer. */
async function counting(page) {
  await page.evaluate(() => {
    globalThis.taken = { keys: 0, clicks: 0 };
    addEventListener('keydown', (event) => {
      const written = event.target instanceof HTMLInputElement && event.key.length === 1 && !event.ctrlKey;
      if (!written && !['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) globalThis.taken.keys += 1;
    }, { capture: true });
    addEventListener('pointerdown', () => { globalThis.taken.clicks += 1; }, { capture: true });
  });
}

const said = (page, text) => page.locator('.toast').getByText(text).waitFor();
const tile = (page) => page.locator('[data-index="0"] .tile-link');
const pressed = (page, ...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

const TASKS = {
  'replace a tag of all found items': ['search?collection=photos&q=%23owl', async (page) => {
    await tile(page).focus();
    await pressed(page, 'Control+a');
    await page.locator('.selection-count').waitFor();
    await pressed(page, '-');
    await page.getByRole('option', { name: /^owl/ }).waitFor();
    await pressed(page, 'Enter');
    await said(page, /removed from/);
    await pressed(page, 't');
    await page.keyboard.type('bird');
    await pressed(page, 'Enter');
    await said(page, /“bird” added to/);
  }],
  'add a tag to all results': ['search?collection=photos', async (page) => {
    await tile(page).focus();
    await pressed(page, 'Control+a');
    await page.locator('.selection-count').waitFor();
    await pressed(page, 't');
    await page.keyboard.type('all');
    await pressed(page, 'Enter');
    await said(page, /“all” added to 150 items/);
  }],
  'give a tag to one picture, full screen': ['search?collection=photos&at=0&full=1', async (page) => {
    await pressed(page, 't');
    await page.keyboard.type('one');
    await pressed(page, 'Enter');
    await page.locator('dialog.lightbox .tag', { hasText: 'one' }).waitFor();
  }],
  'give the same tag to the next picture': ['search?collection=photos&at=0&full=1', async (page) => {
    await pressed(page, 'ArrowRight');
    await page.locator('dialog.lightbox').getByText(/^2 \/ /).waitFor();
    await pressed(page, '.');
    await page.locator('dialog.lightbox .tag', { hasText: 'one' }).waitFor();
  }, (page) => page.evaluate(() => localStorage.setItem('commonplace.recent-tags', '["one"]'))],
  'accept the first suggestion of a picture': ['search?collection=photos&q=is%3Auntagged&at=0&full=1', async (page) => {
    const first = await page.locator('.suggested span').first().innerText();
    await pressed(page, '1');
    await page.locator('dialog.lightbox .tag', { hasText: first }).waitFor();
  }],
  'accept all suggestions of a tag but two': ['review?many=1&tag=owl', async (page) => {
    await page.locator('.review-grid.shown').waitFor();
    await page.locator('button.guess').nth(1).click();
    await page.locator('button.guess').nth(2).click();
    await pressed(page, 'Enter');
    await said(page, /accepted, 2 rejected/);
  }],
  'rename a tag everywhere': ['tags?tag=owl', async (page) => {
    await page.locator('.tag-row[tabindex="0"]').focus();
    await pressed(page, 'F2');
    await page.getByLabel('New name').fill('bird');
    await pressed(page, 'Enter');
    await said(page, '“owl” is called “bird”.');
  }],
  'put a tag below another': ['tags?tag=owl', async (page) => {
    await page.getByRole('treeitem', { name: /^owl, / }).dragTo(page.getByRole('treeitem', { name: /^harbour, / }));
    await said(page, '“owl” below “harbour”.');
  }],
  'take the last change of all results back': ['search?collection=photos', async (page) => {
    await page.keyboard.press('Control+z');
    await said(page, /Taken back: 150 changes/);
  }, async (page) => {
    await tile(page).focus();
    await TASKS['add a tag to all results'][1](page);
  }],
  'find what has no tag, from home': ['home', async (page) => {
    await page.getByRole('link', { name: /items without a tag/ }).click();
    await page.waitForURL(/is%3Auntagged/);
    await tile(page).waitFor();
  }],
  'items from an area of the map': ['places?collection=photos', async (page) => {
    await page.locator('.map-pin').first().waitFor();
    const { x, y, width, height } = await page.locator('.places-frame').boundingBox();
    await page.keyboard.down('Shift');
    await page.mouse.move(x + 60, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + width - 60, y + height - 90, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.waitForURL(/area%3A/);
  }],
};

export const keystrokes = {
  'everyday tasks take the keys and clicks that the documentation says': async () => {
    const table = claimed();
    assert.ok(Object.keys(TASKS).length >= 10);
    for (const [task, [hash, work, before]] of Object.entries(TASKS)) {
      await visit(async ({ page, server }) => {
        await go(page, server, 'home');
        await go(page, server, hash);
        await until(() => page.evaluate(() => document.querySelector('.loading') === null), 'it is there');
        await before?.(page);
        if (before && hash.includes('full')) await page.reload();
        if (hash.includes('full')) await page.locator('dialog.lightbox').waitFor();
        if (/untagged.*full/.test(hash)) await page.locator('.suggested span').first().waitFor();
        await counting(page);
        await work(page);
        assert.deepEqual(await page.evaluate(() => globalThis.taken), table.get(task), task);
      });
    }
  },

  'keeping the best of two takes one key': async () => {
    const library = await world.twins();
    await visit(async ({ page, server }) => {
      await go(page, server, 'cleanup');
      await page.getByRole('button', { name: 'Look for duplicates' }).click();
      await page.locator('.copy-groups > li').first().waitFor();
      await page.locator('.copy-groups > li').first().focus();
      await counting(page);
      await page.keyboard.press('Enter');
      await said(page, '1 duplicate hidden.');
      assert.deepEqual(await page.evaluate(() => globalThis.taken), claimed().get('keep the best of a pair of duplicates, with the tags of both'));
      assert.ok((await show(library, 'a', 'things')).tags.length + (await show(library, 'b', 'things')).tags.length > 3);
    }, { library });
  },
};

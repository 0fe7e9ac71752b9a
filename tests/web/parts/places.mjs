import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { barriers, command, countOf, go, until, visit, world, worldTiles } from '../support.mjs';

const pins = (page) => page.locator('.map-pin');
const placed = (page) => page.evaluate(async () => (await (await fetch('/v1/places?q=&collection=photos')).json()).points);

export const places = {
  'near items are one, and come apart when one looks closer': () => visit(async ({ page, server }) => {
    await go(page, server, 'places?collection=photos');
    await pins(page).first().waitFor();
    const all = (await placed(page)).id.length;
    assert.match(await page.locator('main [role=status]').first().innerText(), new RegExp(`^${all} of 150 items`));
    const counts = async () => (await page.locator('.map-count').allInnerTexts()).map(Number);
    assert.ok((await counts()).reduce((sum, each) => sum + each, 0) <= all);
    assert.deepEqual(await barriers(page), []);
    const first = Math.max(...(await counts()));
    await page.locator('.map-pin', { has: page.locator('.map-count') }).first().click();
    await until(async () => Math.max(0, ...(await counts())) < first, 'fewer are together');
  }),

  'an area that is drawn is a search': () => visit(async ({ page, server }) => {
    await go(page, server, 'places?collection=photos');
    await pins(page).first().waitFor();
    const points = await placed(page);
    await page.getByRole('button', { name: 'Draw an area' }).click();
    const frame = await page.locator('.places-frame').boundingBox();
    const tops = await page.locator('.map-pin').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
    // From the left edge to the right, above the lowest of the three groups.
    const below = (Math.max(...tops) + Math.min(...tops)) / 2 + 30;
    await page.mouse.move(frame.x + 2, frame.y + 2);
    await page.mouse.down();
    await page.mouse.move(frame.x + frame.width - 2, below, { steps: 4 });
    await page.mouse.up();
    await until(() => /area%3A/.test(page.url()), 'the area is in the address');
    const status = page.locator('main [role=status]').first();
    await until(async () => /^\d+ items$/.test(await status.innerText()) || /best first/.test(await status.innerText()), 'there are results');
    const [south] = /area:([-\d.]+)/.exec(decodeURIComponent(page.url())).slice(1).map(Number);
    assert.equal(countOf(await status.innerText()), points.latitude.filter((each) => each >= south).length);
  }),

  'nothing that was found has a place': () => visit(async ({ page, server }) => {
    await go(page, server, 'places?q=xyzzyq');
    await page.getByText('Nothing that was found has a place.').waitFor();
  }),

  'a part of the time line narrows, and is taken back': async () => {
    const library = await world.empty();
    const items = Array.from({ length: 60 }, (_, i) => ({ id: `t${i}`, title: `Thing ${i}`, time: String(1900 + i) }));
    await command('add', library, 'things', world.file('times.jsonl', items.map((each) => `${JSON.stringify(each)}\n`).join('')));
    await visit(async ({ page, server }) => {
      await go(page, server, 'search?panel=filters');
      const line = page.locator('.timeline svg');
      const { x, y, width, height } = await line.boundingBox();
      await page.mouse.move(x + 2, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width / 2 - 2, y + height / 2, { steps: 4 });
      await page.mouse.up();
      const status = page.locator('main [role=status]').first();
      await until(async () => countOf(await status.innerText()) === 30, 'half of them are left');
      assert.match(await page.locator('#search-box').inputValue(), /after:1900 before:1930/);
      await page.getByRole('button', { name: 'Any time' }).click();
      await until(async () => countOf(await status.innerText()) === 60, 'all are back');
      await line.focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('Enter');
      await until(async () => countOf(await status.innerText()) === 2, 'two years by keys');
    }, { library });
  },

  'a file of map tiles that lies in the library is drawn': () => {
    const library = world.copy();
    mkdirSync(path.join(library, 'maps'));
    writeFileSync(path.join(library, 'maps', 'world.pmtiles'), worldTiles(250, 120, 10));
    return visit(async ({ page, server }) => {
      await go(page, server, 'places');
      await page.locator('.places-tiles[data-drawn]').waitFor({ state: 'attached' });
      const bytes = await page.locator('.places-frame').screenshot();
      const colour = await page.evaluate(async (text) => {
        const image = new Image();
        image.src = `data:image/png;base64,${text}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return [...context.getImageData(Math.round(0.15 * image.width), Math.round(0.5 * image.height), 1, 1).data];
      }, bytes.toString('base64'));
      assert.ok(colour[0] > 230 && colour[1] > 100 && colour[1] < 140 && colour[2] < 40, `the tile's colour: ${colour}`);
      // The pictures stand on it.
      await page.locator('.map-pin').first().waitFor();
    }, { library });
  },

  'where others are from is guessed, as clouds': () => visit(async ({ page, server }) => {
    await go(page, server, 'places?collection=photos');
    const guess = page.getByRole('button', { name: 'Guess where others are from' });
    await guess.focus();
    const colours = () => page.locator('.places-frame > canvas').evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const all = new Set();
      for (let i = 0; i < data.length; i += 4) all.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return all.size;
    });
    await page.locator('.map-pin').first().waitFor();
    const before = await colours();
    await page.keyboard.press('Enter');
    await page.getByText('30 guessed: the thicker the cloud, the likelier.').waitFor();
    assert.equal(await page.locator('.map-pin.guessed').count(), 30);
    await until(async () => (await colours()) > before + 8, 'clouds are drawn');
    assert.match(await page.locator('.map-pin.guessed').first().getAttribute('aria-label'), /^.+, guessed within [\d.,]+ k?m$/);
    assert.deepEqual(await barriers(page), []);
    await page.reload();
    await page.locator('.map-pin.guessed').first().waitFor();
    await page.locator('.map-pin.guessed').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/item\/photos\//);
    await page.goBack();
    await guess.click();
    await until(async () => (await page.locator('.map-pin.guessed').count()) === 0, 'they go away');
  }),
};

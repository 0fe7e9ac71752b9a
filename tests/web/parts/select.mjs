import assert from 'node:assert/strict';
import { barriers, go, hold, show, until, visit } from '../support.mjs';

const bar = (page) => page.getByRole('toolbar', { name: 'What is selected' });
const count = (page) => page.locator('.selection-count').innerText().then((text) => Number(text.replace(/\D/g, '')), () => 0);
const cell = (page, index) => page.locator(`[data-index="${index}"]`);
const tagsOf = async (library, id) => (await show(library, id)).tags.map((each) => each.name ?? each);
const toast = (page) => page.locator('.toast');

async function start(page, server, hash = 'search?collection=photos') {
  await go(page, server, hash);
  await cell(page, 5).locator('.tile-link').waitFor();
}

export const select = {
  'by click, shift and rubber band': () => visit(async ({ page, server }) => {
    await start(page, server);
    await cell(page, 1).hover();
    await cell(page, 1).locator('.check-round').click();
    await until(async () => (await count(page)) === 1, 'one is selected');
    assert.equal(await cell(page, 1).getAttribute('aria-selected'), 'true');
    await cell(page, 4).locator('.tile-link').click({ modifiers: ['Shift'] });
    await until(async () => (await count(page)) === 4, 'and those up to another');
    await cell(page, 2).locator('.tile-link').click();
    await until(async () => (await count(page)) === 3, 'a click takes one out');
    assert.deepEqual(await barriers(page), []);
    await page.keyboard.press('Escape');
    await bar(page).waitFor({ state: 'detached' });
    const from = await cell(page, 0).boundingBox();
    const to = await cell(page, 2).boundingBox();
    await page.mouse.move(from.x + 60, from.y + 60);
    await page.mouse.down();
    await page.mouse.move(to.x + 60, to.y + 80, { steps: 5 });
    await page.mouse.up();
    await until(async () => (await count(page)) === 3, 'those that the band touches');
    assert.equal(await page.locator('dialog[open]').count(), 0, 'nothing was opened');
  }),

  'one tag of twenty items is mended by a few keys': () => visit(async ({ page, server, library }) => {
    await start(page, server, `search?collection=photos&q=${encodeURIComponent('#owl')}`);
    let keys = 0;
    const press = async (key) => { keys += 1; await page.keyboard.press(key); };
    await page.locator('[data-index="0"] .tile-link').focus();
    const ids = await page.evaluate(async () => (await (await fetch('/v1/search?q=%23owl&collection=photos&limit=100')).json()).hits.map((each) => each.id));
    assert.ok(ids.length >= 20);
    await press('Control+a');
    await until(async () => (await count(page)) === ids.length, 'all results are selected');
    await press('-');
    await page.getByRole('option', { name: /^owl/ }).waitFor();
    await press('Enter');
    await toast(page).getByText(`“owl” removed from ${ids.length} items.`).waitFor();
    await press('t');
    for (const letter of 'eule') await press(letter);
    await press('Enter');
    await toast(page).getByText(`“eule” added to ${ids.length} items.`).waitFor();
    assert.ok(keys < 15, `${keys} keys`);
    for (const id of [ids[0], ids[19]]) {
      const tags = await tagsOf(library, id);
      assert.ok(tags.includes('eule') && !tags.includes('owl'), tags.join());
    }
    await page.keyboard.press('Control+z');
    await toast(page).getByText(/Taken back/).waitFor();
    assert.ok(!(await tagsOf(library, ids[0])).includes('eule'));
  }),

  'undo takes back the whole and no more': () => visit(async ({ page, server, library }) => {
    await start(page, server);
    const before = await tagsOf(library, '2019/p4.png');
    await cell(page, 4).locator('.tile-link').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowRight');
    await until(async () => (await count(page)) === 2, 'two are selected by keys');
    await page.keyboard.press('t');
    await page.keyboard.type('both');
    await page.keyboard.press('Enter');
    await toast(page).getByText('“both” added to 2 items.').waitFor();
    assert.deepEqual(await tagsOf(library, '2019/p4.png'), [...before, 'both']);
    const item = await show(library, '2019/p4.png');
    assert.equal(item.decisions.at(-1).verdict, 'accepted', 'it is kept as the decision of a person');
    await toast(page).getByRole('button', { name: 'Undo' }).click();
    await toast(page).getByText('Taken back: 2 changes.').waitFor();
    assert.deepEqual(await tagsOf(library, '2019/p4.png'), before);
    assert.deepEqual(await tagsOf(library, '2019/p5.png'), (await tagsOf(library, '2019/p5.png')).filter((each) => each !== 'both'));
  }),

  'export, hide and teach': () => visit(async ({ page, server }) => {
    await start(page, server);
    await cell(page, 0).locator('.tile-link').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('e');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'JSON Lines' }).click();
    const file = await (await saving).createReadStream();
    let text = '';
    for await (const part of file) text += part;
    assert.equal(JSON.parse(text.trim()).id, '2019/p0.png');
    await bar(page).getByRole('button', { name: 'Hide' }).click();
    await toast(page).getByText('1 item hidden.').waitFor();
    await until(async () => (await cell(page, 0).locator('.tile-link').getAttribute('href')).includes('p1.png'), 'the first is another');
    await cell(page, 0).locator('.tile-link').focus();
    await page.keyboard.press('x');
    await bar(page).getByRole('button', { name: 'Teach with these' }).click();
    await page.keyboard.type('grease');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Examples that are not kept yet' }).waitFor();
    assert.match(page.url(), /yes=2019%2Fp1\.png/);
  }),

  'a lightbox that tags': () => visit(async ({ page, server, library }) => {
    await start(page, server, 'search?collection=photos&q=is%3Auntagged');
    const id = decodeURIComponent((await cell(page, 0).locator('.tile-link').getAttribute('href')).split('/').pop());
    await cell(page, 0).locator('.tile-link').focus();
    await page.keyboard.press('Enter');
    const box = page.locator('dialog.lightbox');
    await box.locator('.suggested').first().waitFor();
    const offered = await box.locator('.suggested span').first().innerText();
    await page.keyboard.press('1');
    await box.locator('.tag', { hasText: offered }).waitFor();
    await page.keyboard.press('t');
    await page.keyboard.type('mine');
    await page.keyboard.press('Enter');
    await box.locator('.tag', { hasText: 'mine' }).waitFor();
    await until(async () => (await tagsOf(library, id)).join().includes('mine'), 'it is stored');
    assert.deepEqual(await barriers(page), []);
    await page.keyboard.press('ArrowRight');
    await box.getByText(/^2 \/ /).waitFor();
    await hold(page, '.', 6);
    await box.locator('.tag', { hasText: 'mine' }).waitFor();
    assert.equal(await box.locator('.tag', { hasText: 'mine' }).count(), 1);
    await page.keyboard.press('+');
    await until(() => box.locator('.lightbox-frame.zoomed').count(), 'it is larger');
    await page.keyboard.press('Escape');
    await until(async () => (await box.locator('.lightbox-frame.zoomed').count()) === 0, 'Escape shows the whole');
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
    assert.ok(!/full=1/.test(page.url()));
  }),

  'on a phone': () => visit(async ({ page, server }) => {
    await start(page, server);
    await cell(page, 1).locator('.check-round').tap();
    await until(async () => (await count(page)) === 1, 'one is selected');
    const { over } = await page.evaluate(() => ({ over: document.documentElement.scrollWidth - document.documentElement.clientWidth }));
    assert.equal(over, 0);
    assert.deepEqual(await barriers(page), []);
  }, { options: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true } }),
};

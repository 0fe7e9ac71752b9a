import assert from 'node:assert/strict';
import { command, countOf, go, settled, until, visit, world } from '../support.mjs';

export const home = {
  'what is there and what there is to do, which leads there': () => visit(async ({ page, server }) => {
    await page.goto(server.address);
    await page.getByText('300 items in 3 collections').waitFor();
    for (const name of ['photos', 'notes', 'letters']) await page.locator('.cover', { hasText: name }).first().waitFor();
    await until(() => page.locator('.cover img').first().evaluate((each) => each.complete && each.naturalWidth > 0), 'covers are pictures');
    const untagged = page.locator('.chore-untagged');
    await untagged.waitFor();
    assert.equal(countOf(await untagged.locator('.chore-count').innerText()), 51);
    const review = countOf(await page.locator('.chore-review .chore-count').innerText());
    const { tags } = await (await fetch(`${server.address}/v1/review/tags?collection=photos`)).json();
    assert.equal(review, tags.reduce((sum, each) => sum + each.left, 0));
    await untagged.click();
    await page.getByText('51 items', { exact: false }).first().waitFor();
    await page.goBack();
    await page.locator('.cover', { hasText: 'notes' }).first().click();
    await page.getByText('90 items', { exact: true }).waitFor();
  }),

  'by the keyboard alone': () => visit(async ({ page, server }) => {
    await go(page, server, 'home');
    await page.locator('.chore-review').waitFor();
    await settled(page);
    const reached = async (text) => {
      for (let i = 0; i < 60; ++i) {
        await page.keyboard.press('Tab');
        if ((await page.evaluate(() => document.activeElement?.innerText ?? '')).includes(text)) return true;
      }
      return false;
    };
    assert.ok(await reached('suggested tags to look at'), 'Tab reaches what there is to do');
    await page.keyboard.press('Enter');
    await page.locator('.review-grid.shown').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('go home');
    await page.getByRole('option', { name: /Go home/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('300 items in 3 collections').waitFor();
  }),

  'on a phone, with the bar at the foot and the rest in a sheet': () => visit(async ({ page, server }) => {
    await go(page, server, 'home');
    const nav = page.getByRole('navigation', { name: 'Views' });
    const box = await nav.boundingBox();
    assert.ok(box.y + box.height > 800, 'the bar is at the foot');
    await nav.getByRole('button', { name: 'More' }).tap();
    await nav.getByRole('link', { name: 'Clean up' }).tap();
    await page.getByRole('button', { name: 'Look for duplicates' }).waitFor();
    await nav.getByRole('link', { name: 'Home' }).tap();
    await page.getByText('300 items in 3 collections').waitFor();
  }, { options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } }),

  'what is ready is told as it becomes so': async () => {
    const library = await world.empty();
    await command('add', library, 'few', world.file('ready.jsonl', Array.from({ length: 60 }, (_, i) =>
      `${JSON.stringify({ id: `r${i}`, text: i % 2 ? 'an owl at night in the forest' : 'a boat in the harbour at noon', tags: [i % 2 ? 'owl' : 'boat'] })}\n`).join('')));
    await visit(async ({ page, server }) => {
      await go(page, server, 'library');
      const steps = page.locator('.steps .step');
      await steps.first().waitFor();
      await until(async () => (await page.locator('.step-due, .step-now').count()) === 0, 'all is done by itself');
      await page.locator('.step-done', { hasText: 'Learn to suggest tags' }).waitFor();
      await go(page, server, 'home');
      await page.locator('.home-count').waitFor();
      assert.equal(await page.locator('.ready').count(), 0, 'what is ready needs no list');
    }, { library, kept: true });
  },
};

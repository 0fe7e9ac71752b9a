import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { command, drop, go, until, visit, world } from '../support.mjs';

const form = (page, title) => page.locator('details.task').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

export const library = {
  'learning is started and watched to its end': () => visit(async ({ page, server }) => {
    await go(page, server, 'library');
    for (const name of ['photos', 'notes', 'letters']) await page.getByRole('rowheader', { name }).waitFor();
    await form(page, 'Learn to suggest tags').locator('summary').click();
    await form(page, 'Learn to suggest tags').getByLabel('Collection').selectOption('notes');
    await form(page, 'Learn to suggest tags').getByRole('button', { name: 'Start' }).click();
    await until(() => page.evaluate(() => /Learning to suggest for notes: done/.test(document.querySelector('[aria-live=polite]').textContent)),
      'the end is told');
    await page.getByText('1 before').click();
    await page.locator('.job-done', { hasText: 'Learning to suggest for notes' }).waitFor();
    // The model is there without a reload, and can be reviewed.
    await page.locator('li', { hasText: 'suggest.notes' }).waitFor();
    const { models } = await (await fetch(`${server.address}/v1/models`)).json();
    assert.ok(models.some((each) => each.name === 'suggest.notes' && each.collection === 'notes'));
    await page.getByRole('navigation').getByRole('link', { name: 'Review' }).click();
    await page.getByRole('heading', { level: 1, name: 'Review' }).waitFor();
    await page.getByLabel('Collection').selectOption('notes');
  }),

  'a job that fails says why': () => visit(async ({ page, server }) => {
    await go(page, server, 'library');
    const detect = form(page, 'Learn to detect');
    await detect.locator('summary').click();
    await detect.getByLabel('Collection').first().selectOption('photos');
    await detect.locator('.chip', { hasText: 'look' }).click();
    await detect.getByLabel('Concepts from a label').fill('nowhere');
    await detect.getByRole('button', { name: 'Start' }).click();
    await page.locator('.job-failed .failed').waitFor();
    assert.match(await page.locator('.job-failed .failed').innerText(), /nowhere|label|concept/);
  }),

  'the first use: a file is sent and searched': async () => {
    const empty = await world.empty();
    const file = world.file('birds.jsonl', ['Kauz', 'Uhu', 'Eule'].map((name) =>
      `${JSON.stringify({ id: name, title: name, text: `${name} at night`, tags: ['bird', name] })}\n`).join(''));
    await visit(async ({ page, server }) => {
      await go(page, server, 'search');
      await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByText('birds.jsonl ready to be sent.').waitFor();
      assert.equal(await page.getByLabel('Name of the collection').inputValue(), 'birds');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
      await page.getByText('3 items', { exact: true }).waitFor();
      await page.getByRole('combobox', { name: 'Search for' }).fill('uhu');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await until(async () => /Uhu/.test(await page.locator('[role=gridcell]').first().innerText()), 'it is found');
      for (const tab of ['review', 'teach', 'map', 'transfer', 'quality']) {
        await go(page, server, tab);
        await page.locator('.note').first().waitFor();
      }
    }, { library: empty });
    assert.match(JSON.stringify(await command('show', empty, 'birds', 'Uhu')), /birds/);
  },

  'a folder is dropped': async () => {
    const empty = await world.empty();
    const folder = path.join(world.folder, 'Holidays 2019');
    for (const [below, name] of [['', 'p0.png'], ['more', 'p1.png'], ['more', '.hidden']]) {
      mkdirSync(path.join(folder, below), { recursive: true });
      cpSync(path.join(world.folder, 'pictures', '2019', name.replace('.hidden', 'p2.png')), path.join(folder, below, name));
    }
    await visit(async ({ page, server }) => {
      await go(page, server, 'search');
      await page.locator('.drop').waitFor();
      await drop(page, '.drop', folder);
      await page.getByText('2 files ready to be sent.').waitFor();
      assert.match(await page.getByLabel('Name of the collection').inputValue(), /holidays/i);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('2 items', { exact: true }).waitFor();
      assert.equal(await page.locator('.alert').count(), 0);
    }, { library: empty });
  },

  'a file that cannot be read is told': async () => {
    const empty = await world.empty();
    const file = world.file('broken.jsonl', '{"id": "a", \n');
    await visit(async ({ page, server }) => {
      await go(page, server, 'search');
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.locator('.job-failed .failed').waitFor();
      assert.match(await page.locator('.job-failed .failed').innerText(), /line 1|JSON/i);
      await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
    }, { library: empty });
  },
};

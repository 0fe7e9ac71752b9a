import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { command, drop, go, until, visit, world } from '../support.mjs';

const form = (page, title) => page.locator('details.task').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

/** Presses Enter on what adds the chosen files, as soon as it is seen: what is hidden takes no key. */
async function add(page) {
  const button = page.locator('form.chosen button[type=submit]');
  await button.waitFor();
  await button.press('Enter');
}

export const library = {
  'learning is started and watched to its end': () => visit(async ({ page, server }) => {
    await go(page, server, 'library');
    await page.getByText('Advanced', { exact: true }).last().click();
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
    await page.getByText('Advanced', { exact: true }).last().click();
    const detect = form(page, 'Learn to detect');
    await detect.locator('summary').click();
    await detect.getByLabel('Collection').first().selectOption('photos');
    await detect.locator('.chip', { hasText: 'look' }).click();
    await detect.getByLabel('Concepts from a label').fill('nowhere');
    await detect.getByRole('button', { name: 'Start' }).click();
    // Told wherever one is, in the page's words; what the program said is in the details.
    const alert = page.locator('.alert').first();
    await alert.getByText('Learning to detect in photos did not work.').waitFor();
    await alert.getByText('Details').click();
    await until(async () => /nowhere|label|concept/.test(await alert.innerText()), 'the details say why');
  }),

  'the first use: a file is sent and searched': async () => {
    const empty = await world.empty();
    const file = world.file('birds.jsonl', ['Kauz', 'Uhu', 'Eule'].map((name) =>
      `${JSON.stringify({ id: name, title: name, text: `${name} at night`, tags: ['bird', name] })}\n`).join(''));
    await visit(async ({ page, server }) => {
      await go(page, server, 'search');
      await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
      assert.equal(await page.getByText(/prototype|kernel|feature/i).count(), 0, 'nothing asks for what nobody knows');
      await page.locator('input[data-kind=files]').setInputFiles(file);
      assert.equal(await page.getByLabel('birds.jsonl, as the collection').inputValue(), 'birds');
      await add(page);
      await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
      await page.getByText('3 items', { exact: true }).waitFor();
      await page.getByRole('combobox', { name: 'Search for' }).fill('uhu');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await until(async () => /Uhu/.test(await page.locator('[role=gridcell]').first().innerText()), 'it is found');
      for (const tab of ['review', 'teach', 'map', 'transfer', 'quality']) {
        await go(page, server, tab);
        await page.locator('.note, .nothing, .panel-layout, main p').first().waitFor();
      }
    }, { library: empty });
    assert.match(JSON.stringify(await command('show', empty, 'birds', 'Uhu')), /birds/);
  },

  'a folder with sub-folders is dropped anywhere, and dropped again': async () => {
    const empty = await world.empty();
    const folder = path.join(world.folder, 'Holidays 2019');
    for (const [below, name] of [['', 'p0.png'], ['more', 'p0.png'], ['more', '.hidden']]) {
      mkdirSync(path.join(folder, below), { recursive: true });
      cpSync(path.join(world.folder, 'pictures', '2019', below ? 'p1.png' : 'p2.png'), path.join(folder, below, name));
    }
    await visit(async ({ page, server }) => {
      await go(page, server, 'search');
      await page.locator('.drop').waitFor();
      await drop(page, 'h1', folder);
      assert.match(await page.getByLabel(/2 pictures and files beside them/).inputValue(), /holidays/i);
      await page.getByRole('button', { name: 'Add', exact: true }).last().click();
      await page.getByText('2 items', { exact: true }).waitFor();
      assert.equal(await page.locator('.alert').count(), 0);
      // The same folder with one picture more, on another view: only that is new.
      cpSync(path.join(world.folder, 'pictures', '2019', 'p3.png'), path.join(folder, 'more', 'new.png'));
      await go(page, server, 'review');
      await drop(page, 'main', folder);
      await page.getByText('There is one of this name: they are added to it.').waitFor();
      await add(page);
      await until(async () => (await (await fetch(`${server.address}/v1/collections`)).json()).collections[0].items === 3, 'the new one is there');
      const { items } = await (await fetch(`${server.address}/v1/collections/holidays-2019/items`)).json();
      assert.deepEqual(items.map((each) => each.id).sort(), ['more/new.png', 'more/p0.png', 'p0.png']);
    }, { library: empty });
  },

  'sending is paused, goes on, and outlives the page': async () => {
    const empty = await world.empty();
    const folder = path.join(world.folder, 'Many');
    mkdirSync(folder, { recursive: true });
    for (let i = 0; i < 40; ++i) cpSync(path.join(world.folder, 'pictures', '2019', `p${i}.png`), path.join(folder, `p${i}.png`));
    await visit(async ({ page, server }) => {
      let sent = 0;
      let letThrough;
      const paused = new Promise((resolve) => { letThrough = resolve; });
      await page.route('**/v1/uploads?*', async (route) => {
        sent += 1;
        if (sent > 3) await paused;
        await route.continue().catch(() => undefined);
      });
      const choose = async () => {
        await page.locator('input[data-kind=folder]').setInputFiles(folder);
        await add(page);
      };
      await go(page, server, 'search');
      await choose();
      await page.getByRole('progressbar', { name: 'Sending to many' }).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText(/paused/).waitFor();
      letThrough();
      const before = sent;
      // The page is left and come back to: the same folder goes on where it was.
      page.on('dialog', (dialog) => void dialog.accept());
      await page.reload();
      await page.getByText('was interrupted').waitFor();
      await choose();
      await page.getByText('40 items', { exact: true }).waitFor();
      assert.ok(sent <= 40 + 2, `${sent} files were sent, ${before} of them before`);
      assert.equal(await page.getByText('was interrupted').count(), 0);
    }, { library: empty, allowed: /ERR_ABORTED/ });
  },

  'a file that cannot be read is told': async () => {
    const empty = await world.empty();
    const file = world.file('broken.jsonl', '{"id": "a", \n');
    await visit(async ({ page, server }) => {
      await go(page, server, 'search');
      await page.locator('input[data-kind=files]').setInputFiles(file);
      await add(page);
      const alert = page.locator('.alert').first();
      await alert.getByText('Adding broken did not work.').waitFor();
      await alert.getByText('Details').click();
      await until(async () => /line 1|JSON/i.test(await alert.innerText()), 'the details say where');
      await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
    }, { library: empty });
  },
};

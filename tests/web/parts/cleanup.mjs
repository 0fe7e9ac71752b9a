import assert from 'node:assert/strict';
import { barriers, command, go, show, until, visit, world } from '../support.mjs';

const tagsOf = async (library, id) => ((await show(library, id, 'things')).tags ?? []).map((each) => each.name ?? each).sort();
/** A library in which each subject has two tags that are never given together. */
async function alike() {
  const library = world.copy();
  const words = ['night feather', 'workshop grease', 'water ship'];
  const items = Array.from({ length: 120 }, (_, i) => ({ id: `s${i}`, text: `A ${words[i % 3]} once more`, tags: [['owl', 'oil', 'port'][i % 3] + (i % 2 ? ' x' : '')] }));
  await command('add', library, 'more', world.file(`alike-${Date.now()}.jsonl`, items.map((each) => `${JSON.stringify(each)}\n`).join('')));
  await command('learn', library, 'relate', '--collections', 'more', '--gamma', '0.3', '--dim', '6', '--name', 'relate');
  return library;
}

const groups = (page) => page.locator('.copy-groups > li');

export const cleanup = {
  'duplicates stand side by side; one is kept and gets the tags of the other': async () => {
    const library = await world.twins();
    await visit(async ({ page, server }) => {
      await go(page, server, 'cleanup');
      await page.getByRole('button', { name: 'Look for duplicates' }).click();
      await until(async () => (await groups(page).count()) === 2, 'two groups');
      const ferry = groups(page).filter({ hasText: 'Ferry' });
      await ferry.locator('.copy', { hasText: 'Ferry again' }).locator('label').click();
      await ferry.getByRole('button', { name: 'Keep this one, hide the others' }).click();
      await page.locator('.toast').getByText('1 duplicate hidden.').waitFor();
      assert.deepEqual(await tagsOf(library, 'b'), ['boat', 'harbour', 'ship']);
      assert.ok((await tagsOf(library, 'a')).includes('hidden'));
      await until(async () => (await groups(page).count()) === 1, 'it is decided');
      await page.reload();
      await until(async () => (await groups(page).count()) === 1, 'and stays so');
      await page.getByRole('button', { name: 'Keep all' }).click();
      await page.getByText('Nothing is there twice.').waitFor();
    }, { library });
  },

  'duplicates by keys alone, and back': async () => {
    const library = await world.twins();
    await visit(async ({ page, server }) => {
      await go(page, server, 'cleanup');
      await page.getByRole('button', { name: 'Look for duplicates' }).focus();
      await page.keyboard.press('Enter');
      await until(async () => (await groups(page).count()) === 2, 'two groups');
      const before = await tagsOf(library, 'a');
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      await until(() => groups(page).first().evaluate((each) => each === document.activeElement), 'the first has the focus');
      await page.keyboard.press('2');
      await page.keyboard.press('Enter');
      await page.locator('.toast').getByText('1 duplicate hidden.').waitFor();
      await page.keyboard.press('Control+z');
      await page.locator('.toast').getByText(/Taken back/).waitFor();
      await until(async () => (await groups(page).count()) === 2, 'they are back');
      assert.deepEqual(await tagsOf(library, 'a'), before);
      assert.deepEqual(await tagsOf(library, 'b'), ['ship']);
    }, { library });
  },

  'duplicates on a phone': async () => {
    const library = await world.twins();
    await visit(async ({ page, server }) => {
      await go(page, server, 'cleanup');
      await page.getByRole('button', { name: 'Look for duplicates' }).tap();
      await until(async () => (await groups(page).count()) === 2, 'two groups');
      await groups(page).first().getByRole('button', { name: 'Keep this one, hide the others' }).tap();
      await until(async () => (await groups(page).count()) === 1, 'one is decided');
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    }, { library, options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } });
  },

  'tags that mean the same are merged, turned round, or left, by keys and by mouse': async () => {
    const library = await alike();
    const pairs = (page) => page.locator('.same-list > li');
    await visit(async ({ page, server }) => {
      await go(page, server, 'home');
      await page.getByRole('link', { name: /pairs? of tags that may mean the same/ }).click();
      await pairs(page).first().waitFor();
      assert.deepEqual(await barriers(page), []);
      const names = async () => (await pairs(page).first().getAttribute('aria-label')).split(' into ');
      const before = await names();
      await pairs(page).first().focus();
      await page.keyboard.press('s');
      await until(async () => (await names()).join() === [...before].reverse().join(), 'it is turned round');
      const [from, to] = await names();
      const many = await pairs(page).count();
      await page.keyboard.press('Enter');
      await page.locator('.toast').getByText(`“${from}” into “${to}”.`).waitFor();
      const tags = () => page.evaluate(async () => (await (await fetch('/v1/facets?tags=100')).json()).tags.map((each) => each.tag));
      assert.ok(!(await tags()).includes(from) && (await tags()).includes(to));
      await until(async () => (await pairs(page).count()) < many, 'it is decided');
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
      await until(async () => (await tags()).includes(from), 'it is back');
      await until(async () => (await pairs(page).count()) === many, 'and asked again');
      await pairs(page).first().getByRole('button', { name: 'Not the same' }).click();
      await until(async () => (await pairs(page).count()) === many - 1, 'it is not asked again');
      await page.reload();
      await until(async () => (await pairs(page).count()) === many - 1, 'nor after a reload');
    }, { library });
    await visit(async ({ page, server }) => {
      await go(page, server, 'cleanup?what=same');
      await pairs(page).first().getByRole('button', { name: 'Merge' }).tap();
      await page.locator('.toast').getByText(/ into /).waitFor();
      assert.deepEqual(await barriers(page), []);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    }, { library, options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } });
  },
};

import assert from 'node:assert/strict';
import { go, show, until, visit, world } from '../support.mjs';

const tagsOf = async (library, id) => ((await show(library, id, 'things')).tags ?? []).map((each) => each.name ?? each).sort();
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
};

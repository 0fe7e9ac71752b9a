import assert from 'node:assert/strict';
import { barriers, command, go, show, until, visit, world } from '../support.mjs';

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

  'tags that mean the same are merged, turned round, or left, by keys and by mouse': async () => {
    const library = await world.twins();
    const pairs = (page) => page.locator('.same-list > li');
    await visit(async ({ page, server }) => {
      await go(page, server, 'home');
      await page.getByRole('link', { name: /pairs? of tags that may mean the same/ }).click();
      await pairs(page).first().waitFor();
      assert.deepEqual(await barriers(page), []);
      const pet = pairs(page).filter({ hasText: 'pets' });
      await pet.focus();
      const before = await pet.getAttribute('aria-label');
      await page.keyboard.press('s');
      await until(async () => (await pet.getAttribute('aria-label')) === before.split(' into ').reverse().join(' into '), 'it is turned round');
      const [from, to] = (await pet.getAttribute('aria-label')).split(' into ');
      await page.keyboard.press('Enter');
      await page.locator('.toast').getByText(`“${from}” means “${to}”.`).waitFor();
      await until(async () => (await tagsOf(library, 'x0')).includes(to) && (await tagsOf(library, 'x1')).includes(to), 'all have the one');
      await until(async () => (await pet.count()) === 0, 'it is decided');
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
      await pet.waitFor();
      assert.ok((await tagsOf(library, 'x1')).includes('pets') && (await tagsOf(library, 'x0')).includes('pet'));
      await pet.getByRole('button', { name: 'Not the same' }).click();
      await until(async () => (await pet.count()) === 0, 'it is not asked again');
      await page.reload();
      await page.locator('main [role=status]').first().waitFor();
      assert.equal(await pet.count(), 0, 'nor after a reload');
    }, { library });
  },

  'tags that mean the same on a phone': async () => visit(async ({ page, server }) => {
    await go(page, server, 'cleanup?what=same');
    await page.locator('.same-list > li').filter({ hasText: 'pets' }).getByRole('button', { name: 'Merge' }).tap();
    await page.locator('.toast').getByText(/means/).waitFor();
    assert.deepEqual(await barriers(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  }, { library: await world.twins(), options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } }),

  'tags that are probably wrong or missing are mended together': () => visit(async ({ page, server, library }) => {
    await command('tag', library, 'photos', '2019/p3.png', '--add', 'harbour');
    await go(page, server, 'cleanup?what=wrong');
    await page.getByLabel('Collection').selectOption('photos');
    await page.getByRole('button', { name: 'Look through the tags' }).click();
    const grid = page.locator('.review-grid.shown');
    await grid.waitFor();
    assert.deepEqual(await barriers(page), []);
    const many = await page.locator('button.guess').count();
    await page.locator('button.guess').last().click();
    await page.getByRole('button', { name: new RegExp(`^Remove ${many - 1} tag`) }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.toast').getByText(/wrong tags? removed/).waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('.toast').getByText(/Taken back/).waitFor();
    await until(async () => (await page.locator('button.guess').count()) === many, 'they are asked again');
    await page.getByRole('link', { name: 'Probably missing' }).click();
    await page.getByRole('heading', { name: 'Which of these tags are not missing?' }).or(page.getByText('No tag seems to be missing.')).waitFor();
  }),
};

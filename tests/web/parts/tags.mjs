import assert from 'node:assert/strict';
import { barriers, go, show, until, visit, world } from '../support.mjs';

const tagsOf = async (library, id) => ((await show(library, id, 'things')).tags ?? []).map((each) => each.name ?? each).sort();
const row = (page, name) => page.getByRole('treeitem', { name: new RegExp(`^${name}, `) });
const rows = (page) => page.locator('.tag-row').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label').split(',')[0]));
const said = (page, text) => page.locator('.toast').getByText(text).waitFor();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

export const tags = {
  'a tree with counts and pictures, in which one moves by keys': async () => visit(async ({ page, server }) => {
    await go(page, server, 'tags');
    await row(page, 'animals').waitFor();
    assert.ok(!(await rows(page)).includes('dog'), 'what lies below is folded');
    await row(page, 'animals').focus();
    await page.keyboard.press('ArrowRight');
    await row(page, 'dog').waitFor();
    assert.match(await row(page, 'animals').getAttribute('aria-label'), /24 items/);
    assert.match(await row(page, 'dog').getAttribute('aria-label'), /12 items/);
    await page.keyboard.press('ArrowRight');
    await until(() => row(page, 'cat').evaluate((each) => each === document.activeElement), 'the first below it has the focus');
    await page.locator('.tag-panel').getByText('12 items').waitFor();
    assert.deepEqual(await barriers(page), []);
    await page.keyboard.press('Enter');
    await page.waitForURL(/search\?q=%23animals%2Fcat/);
  }, { library: await world.twins() }),

  'rename, merge, nest and delete by keys alone, and taken back': async () => {
    const library = await world.twins();
    await visit(async ({ page, server }) => {
      await go(page, server, 'tags?tag=boat');
      await row(page, 'boat').focus();
      await page.keyboard.press('F2');
      await page.getByLabel('New name').fill('vessel');
      await page.keyboard.press('Enter');
      await said(page, '“boat” is called “vessel”.');
      await until(async () => (await tagsOf(library, 'a')).includes('vessel'), 'the items follow');
      await until(() => row(page, 'vessel').evaluate((each) => each === document.activeElement), 'the focus stays with it');
      await page.keyboard.press('m');
      await page.keyboard.type('ship');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await said(page, '“vessel” into “ship”.');
      await until(async () => (await tagsOf(library, 'a')).join() === 'harbour,ship', 'it is a ship');
      await until(() => row(page, 'ship').evaluate((each) => each === document.activeElement), 'the focus goes along');
      await page.keyboard.press('n');
      await page.keyboard.type('harbour');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await said(page, '“ship” below “harbour”.');
      await until(async () => (await tagsOf(library, 'b')).join() === 'harbour/ship', 'it lies below');
      await until(() => row(page, 'ship').evaluate((each) => each === document.activeElement), 'the focus is below too');
      await page.keyboard.press('ArrowLeft');
      await until(() => row(page, 'harbour').evaluate((each) => each === document.activeElement), 'what is above it');
      await page.keyboard.press('F2');
      await page.getByLabel('New name').fill('port');
      await page.keyboard.press('Enter');
      await said(page, '“harbour” is called “port”.');
      await until(async () => (await tagsOf(library, 'b')).join() === 'port/ship', 'what lies below goes along');
      await until(() => row(page, 'port').evaluate((each) => each === document.activeElement), 'the focus stays');
      await page.keyboard.press('Delete');
      await said(page, '“port” deleted.');
      await until(async () => (await tagsOf(library, 'b')).length === 0, 'it is gone');
      await page.keyboard.press('Control+z');
      await said(page, /^Taken back: \d+ changes?\.$/);
      await until(async () => (await tagsOf(library, 'b')).join() === 'port/ship', 'it is back');
      await row(page, 'port').waitFor();
      await page.getByText('What was changed').click();
      const history = page.locator('.tag-history li');
      await history.filter({ hasText: '“harbour” is called “port”.' }).getByRole('button', { name: 'Take back' }).click();
      await until(async () => (await tagsOf(library, 'b')).join() === 'harbour/ship', 'an earlier one is taken back by itself');
      await history.filter({ hasText: '“harbour” is called “port”.' }).getByRole('button', { name: 'Do it again' }).click();
      await until(async () => (await tagsOf(library, 'b')).join() === 'port/ship', 'and done again');
    }, { library });
  },

  'by mouse: a tag is dragged below another, several are merged, one gets a colour': async () => {
    const library = await world.twins();
    await visit(async ({ page, server }) => {
      await go(page, server, 'tags');
      await row(page, 'pet').waitFor();
      await row(page, 'night').dragTo(row(page, 'stars'));
      await said(page, /below “stars”/);
      await until(async () => (await tagsOf(library, 'c')).join().toLowerCase() === 'stars,stars/night', 'it lies below');
      await row(page, 'pets').click();
      await row(page, 'pet').click({ modifiers: ['Control'] });
      await row(page, 'pets').click({ modifiers: ['Control'] });
      await page.getByText('2 tags are chosen.').waitFor();
      await page.getByRole('button', { name: 'Merge into …' }).click();
      await page.getByRole('combobox', { name: 'The tag that it means' }).fill('companion');
      await page.keyboard.press('Enter');
      await said(page, '“pet” and “pets” into “companion”.');
      await until(async () => (await tagsOf(library, 'x0')).join() === 'animals/cat,companion' && (await tagsOf(library, 'x1')).join() === 'animals/dog,companion', 'both mean it');
      await row(page, 'companion').click();
      await page.locator('.tag-panel').getByText('Also called').waitFor();
      await page.getByLabel('Description').fill('Whoever lives with us');
      await page.keyboard.press('Control+Enter');
      await said(page, 'The description of “companion” is kept.');
      await page.getByLabel('Only people give it').check();
      await said(page, 'Machines never give “companion”.');
      const before = await row(page, 'companion').locator('.tag').evaluate((each) => getComputedStyle(each).color);
      await page.locator('input.hue').focus();
      for (let i = 0; i < 3; ++i) await page.keyboard.press('PageUp');
      await until(async () => (await row(page, 'companion').locator('.tag').evaluate((each) => getComputedStyle(each).color)) !== before, 'it has another colour');
      await said(page, 'The colour of “companion” is kept.');
      await page.evaluate(() => localStorage.clear());
      await page.reload();
      await row(page, 'companion').waitFor();
      await until(async () => (await page.getByLabel('Description').inputValue()) === 'Whoever lives with us', 'the library has what was said');
      assert.ok(await page.getByLabel('Only people give it').isChecked());
      await until(async () => (await row(page, 'companion').locator('.tag').evaluate((each) => getComputedStyle(each).color)) !== before, 'and the colour');
      assert.deepEqual(await barriers(page), []);
    }, { library });
  },

  'on a phone what is said of a tag is a sheet': async () => {
    const library = await world.twins();
    await visit(async ({ page, server }) => {
      await go(page, server, 'tags');
      await row(page, 'boat').waitFor();
      assert.ok(!(await page.locator('.tags-side').isVisible()));
      await row(page, 'boat').tap();
      await page.getByRole('button', { name: 'Rename' }).tap();
      await page.getByLabel('New name').fill('vessel');
      await page.keyboard.press('Enter');
      await until(async () => (await tagsOf(library, 'a')).includes('vessel'), 'it is renamed');
      assert.deepEqual(await barriers(page), []);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
      await page.getByRole('button', { name: 'Close', exact: true }).tap();
      await until(async () => !(await page.locator('.tags-side').isVisible()), 'the sheet goes away');
    }, { library, options: PHONE });
  },

  'a library to be looked at is not changed': async () => visit(async ({ page, server }) => {
    await go(page, server, 'tags?tag=boat');
    await row(page, 'boat').focus();
    await page.keyboard.press('F2');
    assert.equal(await page.getByRole('button', { name: 'Rename' }).count(), 0);
    assert.equal(await page.getByLabel('New name').count(), 0);
  }, { library: await world.twins(), words: ['--read-only'] }),
};

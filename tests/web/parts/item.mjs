import assert from 'node:assert/strict';
import { command, go, hold, show, until, visit, world } from '../support.mjs';

const ID = '2019/p0.png';
const ADDRESS = 'item/photos/2019%2Fp0.png';
const verdicts = async (library) => (await show(library, ID)).decisions
  .filter((each, index, all) => !all.slice(index + 1).some((later) => later.tag === each.tag))
  .map((each) => `${each.tag} ${each.verdict}`);
const tagNames = async (library) => ((await show(library, ID)).tags ?? []).map((each) => each.name ?? each);

export const item = {
  'shows what is known': () => visit(async ({ page, server }) => {
    await go(page, server, 'item/photos/2019%2Fp4.png');
    await page.getByRole('heading', { level: 1, name: 'workshop grease 4' }).waitFor();
    await page.getByText('A workshop grease <b>&').waitFor();
    const picture = page.locator('.item-picture img');
    await until(() => picture.evaluate((each) => each.complete && each.naturalWidth > 0), 'the picture is drawn');
    await until(() => picture.evaluate((each) => /\/image/.test(each.src) && each.naturalWidth === 40), 'the file itself');
    await page.locator('a.tag', { hasText: 'Ölfass' }).first().waitFor();
    await page.getByRole('heading', { name: 'Details' }).click();
    await page.getByRole('cell', { name: 'g1' }).waitFor();
    await page.getByText(/50\.\d{4}° N, 1[23]\.\d{4}° E/).first().waitFor();
    await until(async () => (await page.locator('.strip a').count()) > 0, 'relatives are there');
  }),

  'accepting by key, rejecting by click, and undo': () => visit(async ({ page, server, library }) => {
    await go(page, server, ADDRESS);
    const list = page.locator('.suggestions > li');
    await until(async () => (await list.count()) === 2, 'two suggestions');
    const first = await list.nth(0).locator('strong').innerText();
    const second = await list.nth(1).locator('strong').innerText();
    assert.deepEqual([first, second].sort(), ['detail 0', 'owl']);
    assert.match(await list.nth(0).locator('.reasons mark').allInnerTexts().then((each) => each.join(' ')), /feather|night/);
    // What it comes from is lit in the text while one looks at it, and shown as pictures.
    await list.nth(0).hover();
    await until(async () => /feather|night/.test((await page.locator('.item-words mark').allInnerTexts()).join(' ')), 'the words are lit in the text');
    assert.doesNotMatch(await page.locator('.suggestions').innerText(), /\.png|0\.\d\d/);
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await until(() => list.nth(0).evaluate((each) => each === document.activeElement), 'the first has the focus');
    await page.keyboard.press('a');
    await until(async () => (await verdicts(library)).includes(`${first} accepted`), 'the acceptance is in the library');
    assert.ok((await tagNames(library)).includes(first));
    await page.locator('a.tag', { hasText: first }).first().waitFor();
    await page.locator('.suggestions.shown').waitFor();
    await page.getByRole('button', { name: `Reject ${second}` }).first().click();
    await until(async () => (await verdicts(library)).includes(`${second} rejected`), 'the rejection is in the library');
    await page.getByText('All suggestions are decided.').waitFor();
    assert.ok(!(await tagNames(library)).includes(second));
    await page.locator('.suggestions.shown').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => !(await verdicts(library)).includes(`${second} rejected`), 'the rejection is taken back');
    assert.ok((await verdicts(library)).includes(`${first} accepted`));
    await page.locator('.suggestions > li', { hasText: second }).waitFor();
    await page.reload();
    await until(async () => (await list.count()) === 1, 'what was accepted is not suggested again');
    assert.match(await list.nth(0).innerText(), new RegExp(second));
  }),

  'a held key accepts one tag': () => visit(async ({ page, server, library }) => {
    await go(page, server, ADDRESS);
    const list = page.locator('.suggestions.shown > li');
    await until(async () => (await list.count()) === 2, 'two suggestions');
    await hold(page, 'k');
    await until(() => list.nth(0).evaluate((each) => each === document.activeElement), 'the first has the focus');
    await hold(page, 'a');
    await until(async () => (await verdicts(library)).length > 0, 'one is stored');
    await until(async () => (await list.count()) === 1, 'the other is still asked');
    assert.equal((await verdicts(library)).length, 1);
  }),

  'a collection without a model is told, with the way to one': async () => {
    const library = world.copy();
    await command('learn', library, 'suggest', '--collection', 'notes', '--features', 'text');
    await visit(async ({ page, server }) => {
      await go(page, server, 'item/letters/l0');
      await page.getByText('No tags are suggested for letters yet').waitFor();
      assert.doesNotMatch(await page.locator('main').innerText(), /--|commonplace/);
      await page.getByRole('link', { name: 'Learn it now' }).first().click();
      const form = page.locator('details.task[open]');
      await form.getByRole('heading', { name: 'Learn to suggest tags' }).waitFor();
      assert.equal(await form.getByLabel('Collection').inputValue(), 'letters');
      await form.getByRole('button', { name: 'Start' }).click();
      await page.locator('li', { hasText: 'suggest.letters' }).waitFor();
      await go(page, server, 'item/letters/l0');
      await page.locator('.suggestions').waitFor({ state: 'attached' });
    }, { library });
    const bare = await world.empty();
    await command('add', bare, 'few', world.file('few.jsonl', '{"id": "a", "text": "one", "tags": ["b"]}\n'));
    await visit(async ({ page, server }) => {
      await go(page, server, 'item/few/a');
      await page.getByText('No tags are suggested for few yet').waitFor();
      await page.getByText('What belongs together in few is not known yet.').waitFor();
      assert.doesNotMatch(await page.locator('main').innerText(), /--|commonplace/);
    }, { library: bare });
  },

  'a tag of one’s own, and away with it': () => visit(async ({ page, server, library }) => {
    await go(page, server, ADDRESS);
    await page.getByRole('combobox', { name: 'Add a tag' }).fill('Käuzchen im Baum');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await until(async () => (await tagNames(library)).includes('Käuzchen im Baum'), 'the tag is in the library');
    await page.getByRole('button', { name: 'Take back Käuzchen im Baum' }).click();
    await until(async () => !(await tagNames(library)).includes('Käuzchen im Baum'), 'the tag is gone');
    await until(async () => (await page.locator('a.tag', { hasText: 'Käuzchen' }).count()) === 0, 'and the page shows it');
  }),

  'an id that is not there is told, with what helps': () => visit(async ({ page, server }) => {
    await go(page, server, 'item/photos/nowhere.png');
    await page.getByText('This item is not there any more.').waitFor();
    await page.getByRole('link', { name: 'Search for it' }).waitFor();
    await go(page, server, 'item/fotos/a');
    await page.getByText('There is no collection “fotos” any more.').waitFor();
  }, { allowed: /status of 40[04]/ }),
};

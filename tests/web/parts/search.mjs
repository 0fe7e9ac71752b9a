import assert from 'node:assert/strict';
import { breakDown, COUNT, countOf, GROUPS, go, until, visit } from '../support.mjs';

const status = (page) => page.locator('main [role=status]').first();
const tiles = (page) => page.locator('[role=gridcell] .tile-link');
const focused = (page) => page.evaluate(() => document.activeElement?.closest('[data-index]')?.getAttribute('data-index') ?? '');

async function ask(page, words) {
  await page.getByRole('combobox', { name: 'Search for' }).fill(words);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.waitForFunction(() => /best first/.test(document.querySelector('main [role=status]')?.textContent ?? ''));
}

export const search = {
  'an error takes the place of what was found before': () => visit(async ({ page, server }) => {
    await go(page, server, 'search');
    await ask(page, 'feather nonsense');
    await until(async () => (await tiles(page).count()) > 0, 'something is found');
    await page.getByText('No collection knows “nonsense”.').waitFor();
    const mend = await breakDown(page, '**/v1/search?*');
    await page.getByRole('combobox', { name: 'Search for' }).fill('grease');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    const alert = page.locator('main [role=alert]');
    await alert.getByText('The disk is on fire.').waitFor();
    assert.equal(await tiles(page).count(), 0);
    assert.equal(await page.getByText('No collection knows').count(), 0);
    await mend();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await until(async () => (await tiles(page).count()) > 0, 'it is found');
  }, { allowed: /status of 500/ }),

  'typing completes, and Enter finds': () => visit(async ({ page, server }) => {
    await go(page, server, 'search');
    const box = page.getByRole('combobox', { name: 'Search for' });
    await box.pressSequentially('öl');
    await page.getByRole('option', { name: /Ölfass/ }).waitFor();
    assert.equal(await box.getAttribute('aria-expanded'), 'true');
    await box.press('ArrowDown');
    await until(async () => (await box.getAttribute('aria-activedescendant')) !== null, 'a choice is marked');
    await box.press('Enter');
    await until(async () => (await box.inputValue()) === 'Ölfass ', 'the word is completed');
    assert.equal(await page.getByRole('listbox', { name: 'Search for' }).isVisible(), false);
    await box.press('Enter');
    await until(async () => /best first/.test(await status(page).innerText()), 'there is a ranking');
    // By its own tag 33 photos, 30 notes and 20 letters have it; borrowed ones may follow.
    assert.ok(countOf(await status(page).innerText()) >= 33 + 30 + 20);
    assert.match(page.url(), /q=%C3%96lfass/);
    assert.match(await page.title(), /^Search/);
  }),

  'a filter by collection and a tag that is demanded': () => visit(async ({ page, server }) => {
    await go(page, server, 'search');
    await ask(page, `#${GROUPS[0]}`);
    await page.locator('.chip', { hasText: 'photos' }).click();
    await until(async () => countOf(await status(page).innerText()) === 33, 'only tagged photos are left');
    for (const title of await tiles(page).allInnerTexts()) assert.match(title, /night feather/);
    await page.reload();
    await until(async () => countOf(await status(page).innerText()) === 33, 'a reload keeps the filter');
    assert.equal(await page.getByRole('checkbox', { name: /photos/ }).isChecked(), true);
  }),

  'why, by click and by key': () => visit(async ({ page, server }) => {
    await go(page, server, 'search?q=owl&collection=photos');
    await page.getByRole('button', { name: /^Why is/ }).first().click();
    const panel = page.getByRole('complementary', { name: 'Why is this here' });
    await panel.getByRole('heading', { name: 'Its own words' }).waitFor();
    assert.match(await panel.innerText(), /owl in its tags/);
    assert.match(await panel.innerText(), /Score .* by its own words, .* borrowed/);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await until(async () => (await focused(page)) === '0', 'the focus is back at the tile');
    await page.keyboard.press('ArrowRight');
    await until(async () => (await focused(page)) === '1', 'the next tile has the focus');
    await page.keyboard.press('w');
    await panel.getByRole('heading', { name: 'Its own words' }).waitFor();
    await panel.getByRole('button', { name: /^Close/ }).click();
    await panel.waitFor({ state: 'detached' });
  }),

  'more like this': () => visit(async ({ page, server }) => {
    await go(page, server, 'search?q=owl&collection=photos');
    await page.getByRole('button', { name: /^More like/ }).first().click();
    await page.getByText('Items like').waitFor();
    await until(async () => (await tiles(page).count()) > 3, 'there are items like it');
    const titles = await tiles(page).allInnerTexts();
    assert.ok(titles.slice(0, 5).every((each) => /night feather/.test(each)), titles.slice(0, 5).join('; '));
    await page.goBack();
    await until(async () => /q=owl/.test(page.url()), 'back leads to the query');
    await until(async () => (await page.getByText('Items like').count()) === 0, 'and shows it');
  }),

  'by keyboard alone, and the way back': () => visit(async ({ page, server }) => {
    await go(page, server, 'search?collection=photos');
    await until(async () => countOf(await status(page).innerText()) === COUNT, 'all photos are there');
    await page.keyboard.press('/');
    await until(() => page.evaluate(() => document.activeElement?.id === 'search-box'), 'the box has the focus');
    await page.keyboard.type('feather');
    await page.keyboard.press('Enter');
    await until(async () => /best first/.test(await status(page).innerText()), 'there is a ranking');
    // Tab by Tab from the box to the first tile.
    for (let i = 0; i < 30 && (await focused(page)) === ''; ++i) await page.keyboard.press('Tab');
    assert.equal(await focused(page), '0');
    await page.keyboard.press('End');
    await until(async () => Number(await focused(page)) > 20, 'the last tile has the focus');
    const last = await focused(page);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowLeft');
    await until(async () => (await focused(page)) !== last, 'the focus moved');
    const at = await focused(page);
    const title = await page.evaluate(() => document.activeElement.innerText.trim());
    await until(async () => new RegExp(`at=${at}(&|$)`).test(page.url()), 'the place is in the address');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: title.split('\n')[0] }).waitFor();
    await page.goBack();
    await until(async () => (await focused(page)) === at, 'back leads to the same tile');
    assert.equal((await page.evaluate(() => document.activeElement.innerText.trim())), title);
    await until(() => page.evaluate(() => {
      const box = document.activeElement.getBoundingClientRect();
      return scrollY > 0 && box.top >= 0 && box.bottom <= innerHeight;
    }), 'which is in view');
    await page.reload();
    await until(async () => (await focused(page)) === at, 'a reload keeps the place');
    assert.equal(await page.locator('#search-box').inputValue(), 'feather');
  }),

  'topics lead to words and items, and stay open on the way back': () => visit(async ({ page, server }) => {
    await go(page, server, 'search');
    await page.getByText('Topics', { exact: true }).click();
    const topics = page.getByRole('region', { name: 'Topics of search.photos' });
    await topics.locator('.topic').first().waitFor();
    const answer = await page.evaluate(async () => (await fetch('/v1/topics?limit=12&terms=8&examples=4')).json());
    assert.equal(await topics.locator('.topic').count(), answer.models[0].topics.length);
    assert.match(await topics.innerText(), /In photos and notes; \d+\s% of what photos is about\./);
    const [term] = answer.models[0].topics[0].terms;
    await topics.locator('.topic').first().getByRole('link', { name: term, exact: true }).first().click();
    await until(async () => /best first/.test(await status(page).innerText()), 'the word is searched for');
    assert.equal(await page.getByText('Topics', { exact: true }).count(), 0);
    await page.goBack();
    await topics.locator('.topic').first().waitFor();
    await topics.locator('.strip a').first().click();
    await until(() => page.url().includes('#/item/'), 'an example is opened');
  }),

  'what nobody knows, and what is not well written': () => visit(async ({ page, server }) => {
    await go(page, server, 'search?q=xyzzyq');
    await page.getByText('No collection knows “xyzzyq”').waitFor();
    await page.getByText('Nothing was found').waitFor();
    await go(page, server, 'search?q=%28owl');
    await page.locator('main [role=alert]').waitFor();
    assert.match(await page.locator('main [role=alert]').innerText(), /\S/);
  }, { allowed: /status of 400/ }),
};

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { barriers, breakDown, command, COUNT, countOf, drop, GROUPS, go, until, visit, world } from '../support.mjs';

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
    await alert.getByText('The server made a mistake.').waitFor();
    await alert.getByText('Details').click();
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
    const panel = page.getByRole('complementary', { name: 'Why this?' });
    await panel.getByRole('heading', { name: 'Its own words' }).waitFor();
    assert.match(await panel.innerText(), /owl in its tags/);
    // By what it shows, never by weights.
    assert.doesNotMatch(await panel.innerText(), /Score|\d\.\d\d/);
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
    await page.keyboard.press('o');
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

  'the first picture stands high, and every row is full': () => visit(async ({ page, server }) => {
    await go(page, server, 'search?collection=photos');
    await until(async () => (await tiles(page).count()) > 6, 'there are tiles');
    const found = await page.evaluate(() => {
      const rows = [...document.querySelectorAll('.gallery-row')].map((row) => [...row.children].map((cell) => cell.getBoundingClientRect()));
      const gallery = document.querySelector('.gallery').getBoundingClientRect();
      return { top: rows[0][0].top, right: gallery.right, ends: rows.slice(0, -1).map((row) => row[row.length - 1].right), heights: rows.map((row) => row[0].height) };
    });
    assert.ok(found.top <= 104, `the first picture stands at ${found.top}`);
    for (const end of found.ends) assert.ok(Math.abs(end - found.right) < 2, `a row ends at ${end}, the gallery at ${found.right}`);
    const size = page.getByRole('slider', { name: 'Size of the pictures' });
    await size.press('End');
    await until(async () => (await page.locator('.gallery-row').first().boundingBox()).height > found.heights[0], 'larger pictures are larger');
  }),

  'facets narrow, and say how many': () => visit(async ({ page, server }) => {
    await go(page, server, 'search?collection=photos');
    await page.getByRole('button', { name: 'Filters' }).click();
    const panel = page.getByRole('complementary', { name: 'Filters' });
    const untagged = panel.getByRole('button', { name: /^Untagged/ });
    const said = countOf((await untagged.innerText()).replace(/\D+/, ''));
    assert.equal(said, COUNT - 99);
    await untagged.click();
    await until(async () => countOf(await status(page).innerText()) === said, 'so many are found');
    assert.equal(await page.locator('#search-box').inputValue(), 'is:untagged');
    await panel.getByRole('button', { name: /^With a place/ }).click();
    await until(async () => countOf(await status(page).innerText()) < said, 'two conditions find fewer');
    await untagged.click();
    await until(async () => countOf(await status(page).innerText()) > said, 'a condition that is taken back finds more');
  }),

  'texts are lines with what was asked for lit, and links open': async () => {
    const library = await world.empty();
    const marks = [{ id: 'a', title: 'Harbours', text: 'Old harbours of the north, and a harbour of the south', url: 'https://example.org/x' },
      { id: 'b', title: 'Bad', text: 'a harbour too', url: 'javascript:alert(1)' }, { id: 'c/readme.txt', text: '' }];
    await command('add', library, 'marks', world.file('marks.jsonl', marks.map((each) => `${JSON.stringify(each)}\n`).join('')));
    await visit(async ({ page, server }) => {
      await go(page, server, 'search?q=harbour');
      await page.locator('.line').first().waitFor();
      await until(async () => (await page.locator('.line mark').allInnerTexts()).join().toLowerCase().includes('harbours'), 'the words are lit');
      const links = page.locator('.line-url');
      assert.equal(await links.count(), 1);
      assert.equal(await links.getAttribute('href'), 'https://example.org/x');
      assert.match(await links.getAttribute('rel'), /noopener/);
      await go(page, server, 'search');
      await page.getByRole('link', { name: 'readme.txt', exact: true }).waitFor();
    }, { library });
  },

  'the box knows commands and years, and results come as one types': () => visit(async ({ page, server }) => {
    await go(page, server, 'review');
    await page.keyboard.press('Control+k');
    await until(() => page.evaluate(() => document.activeElement?.id === 'search-box'), 'the box has the focus');
    await page.keyboard.type('untagged');
    await page.getByRole('option', { name: /^Untagged items/ }).waitFor();
    await page.getByRole('option', { name: /^Untagged items/ }).click();
    await until(() => /is%3Auntagged/.test(page.url()), 'it is searched for');
    await until(() => page.evaluate(() => document.activeElement?.tagName === 'H1'), 'the view has the focus');
    const box = page.locator('#search-box');
    await box.fill('');
    await box.pressSequentially('feather');
    await until(async () => /best first/.test(await status(page).innerText()), 'there is a ranking without Enter');
    assert.ok(await page.evaluate(() => document.activeElement?.id === 'search-box'), 'the box keeps the focus');
    await box.fill('2019');
    await page.getByRole('option', { name: /^in:2019/ }).waitFor();
    await box.press('Escape');
    await box.press('ArrowDown');
    await until(async () => (await focused(page)) === '0' || (await tiles(page).count()) === 0, 'the arrow leads to the results');
  }),

  'in German': () => visit(async ({ page, server }) => {
    await go(page, server, 'search?collection=photos');
    await page.locator('#search-box').pressSequentially('language');
    await page.getByRole('option', { name: /Deutsch/ }).click();
    await page.getByRole('button', { name: 'Suchen', exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
    await until(async () => (await page.locator('#search-box').inputValue()) === '', 'a command leaves no words behind');
    await page.reload();
    await until(async () => /^150 Treffer/.test(await status(page).innerText()), 'a reload keeps it');
  }),

  'a picture on the box finds what looks like it: dropped, chosen, pasted': async () => {
    const { library, pictures } = await world.scenes();
    const [year] = readdirSync(pictures).filter((each) => /^\d{4}$/.test(each));
    const [first, second] = readdirSync(path.join(pictures, year)).filter((each) => each.endsWith('.png')).map((each) => path.join(pictures, year, each));
    const nearest = (page) => tiles(page).first().getAttribute('href').then((each) => decodeURIComponent(each.split('/').pop()));
    await visit(async ({ page, server }) => {
      await go(page, server, 'home');
      await drop(page, '.box', first);
      await page.getByText('What looks like this').waitFor();
      await until(async () => (await nearest(page)) === `${year}/${path.basename(first)}`, 'the picture itself is nearest');
      assert.equal(await page.locator('.chosen').count(), 0, 'it is not added');
      assert.equal(await page.getByRole('button', { name: /^Why is/ }).count(), 0);
      await page.keyboard.press('Escape');
      await page.locator('body').click({ position: { x: 5, y: 300 } });
      await page.keyboard.press('Control+a');
      await page.getByText('100 selected').waitFor();
      await page.reload();
      await page.getByText('What looks like this').waitFor();
      await until(async () => (await nearest(page)) === `${year}/${path.basename(first)}`, 'a reload keeps it');
      await page.getByLabel('Look for a picture').setInputFiles(second);
      await until(async () => (await nearest(page)) === `${year}/${path.basename(second)}`, 'another that is chosen');
      const box = page.getByRole('combobox', { name: 'Search for' });
      await box.focus();
      const bytes = readFileSync(first).toString('base64');
      await box.evaluate((each, text) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], 'a.png', { type: 'image/png' }));
        each.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      }, bytes);
      await until(async () => (await nearest(page)) === `${year}/${path.basename(first)}`, 'and one that is pasted');
      assert.deepEqual(await barriers(page), []);
      await page.getByRole('button', { name: 'Back to all' }).click();
      await until(async () => (await page.getByText('What looks like this').count()) === 0, 'all are back');
      await page.getByLabel('Look for a picture').setInputFiles({ name: 'no.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
      await page.getByText('This is no picture that can be shown here.').waitFor();
    }, { library });
  },
};

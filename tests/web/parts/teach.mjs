import assert from 'node:assert/strict';
import { barriers, breakDown, command, COUNT, go, hold, until, visit } from '../support.mjs';

const cells = (page) => page.locator('[role=gridcell]');
const firstTitles = async (page, most) => (await page.locator('[role=gridcell] .tile-line a').allInnerTexts()).slice(0, most);

export const teach = {
  'a lesson that cannot be read says so and is tried again': () => visit(async ({ page, server }) => {
    const mend = await breakDown(page, '**/v1/concepts?*');
    await go(page, server, 'teach?collection=photos&concept=owl');
    const alert = page.locator('main [role=alert]');
    await alert.getByText('The server made a mistake.').waitFor();
    await alert.getByText('Details').click();
    await alert.getByText('The disk is on fire.').waitFor();
    assert.equal(await page.locator('main .loading').count(), 0);
    await mend();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await until(async () => (await cells(page).count()) > 6, 'there are tiles');
    assert.equal(await alert.count(), 0);
  }, { allowed: /status of 500/ }),

  'a held key marks once': () => visit(async ({ page, server }) => {
    await go(page, server, 'teach?collection=photos&concept=greasy');
    await until(async () => (await cells(page).count()) > 6, 'there are tiles');
    await page.locator('[role=gridcell][data-index="0"] [data-focus]').focus();
    await hold(page, 'y');
    await page.getByText(/ranked by 1 yes and 0 no/).last().waitFor();
    assert.equal(new URL(page.url()).hash.match(/yes=/g).length, 1);
  }),

  'a concept from a few tiles becomes a detector': () => visit(async ({ page, server, library }) => {
    await go(page, server, 'teach');
    await page.getByRole('link', { name: /^Ölfass/ }).waitFor();
    await page.getByRole('combobox', { name: 'What shall it learn to find?' }).fill('greasy things');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByRole('heading', { level: 1, name: 'Teach: greasy things' }).waitFor();
    await until(async () => (await cells(page).count()) > 6, 'there are tiles');
    assert.equal(await page.getByRole('button', { name: 'Keep as detector' }).isEnabled(), false);
    const tile = (number) => page.getByRole('grid').getByRole('button', { name: new RegExp(`^(Yes|No): .* ${number}$`) });
    // Photo 1 is of the planted group.
    await tile(1).first().click();
    await page.getByText(/ranked by 1 yes and 0 no/).last().waitFor();
    // The last of the ranking is least like it, and is said no to by key.
    await page.locator('[role=gridcell][data-index="0"] [data-focus]').focus();
    await page.keyboard.press('End');
    const last = `[data-index="${COUNT - 1}"]`;
    await until(() => page.evaluate((place) => document.activeElement?.closest(place)?.querySelector('.no') != null, last), 'the last tile has the focus');
    await page.keyboard.press('n');
    await page.getByText(/ranked by 1 yes and 1 no/).last().waitFor();
    await page.keyboard.press('Home');
    await until(async () => (await page.locator('[role=gridcell][data-index="1"] .yes').count()) > 0, 'the first tiles are there');
    // By key, on a tile that is marked neither way.
    const markByKey = async (pattern, key, expected) => {
      const place = await page.evaluate((text) => {
        const found = [...document.querySelectorAll('[role=gridcell]')].find((each) =>
          new RegExp(text).test(each.innerText) && !each.querySelector('[aria-pressed=true]'));
        found?.querySelector('[data-focus]').focus();
        return found?.getAttribute('data-index');
      }, pattern);
      assert.ok(place, `a tile of ${pattern}`);
      await page.keyboard.press(key);
      await page.getByText(expected).last().waitFor();
    };
    await markByKey('workshop grease', 'y', /ranked by 2 yes and 1 no/);
    await page.getByRole('heading', { name: 'Examples that are not kept yet' }).waitFor();
    await page.getByRole('heading', { name: 'What to label next' }).waitFor();
    // The planted group leads.
    await until(async () => {
      const titles = await firstTitles(page, 10);
      return titles.length === 10 && titles.every((each) => /workshop grease/.test(each));
    }, 'the planted group leads');
    // A reload keeps the examples, which are in the address.
    await page.reload();
    await page.getByText(/ranked by 2 yes and 1 no/).last().waitFor();
    await page.getByRole('button', { name: 'Keep as detector' }).click();
    await page.getByText('Kept so far: 2 yes, 1 no.').waitFor();
    const known = await command('detect', library);
    assert.match(JSON.stringify(known), /greasy things/);
    const found = await command('detect', library, 'greasy things', '-l', '20');
    const ids = JSON.stringify(found).match(/2019\/p\d+\.png/g).slice(0, 20);
    assert.ok(ids.every((each) => Number(/p(\d+)/.exec(each)[1]) % 3 === 1), ids.join(' '));
    await page.getByRole('link', { name: 'All concepts of photos' }).click();
    await page.getByRole('link', { name: /^greasy things/ }).waitFor();
  }),

  'what is known already is ranked at once, and lessons can be forgotten': () => visit(async ({ page, server }) => {
    await go(page, server, 'teach?collection=photos&concept=owl');
    await page.getByText(new RegExp(`${COUNT} items ranked by`)).last().waitFor();
    await until(async () => (await firstTitles(page, 8)).every((each) => /night feather/.test(each)), 'owls lead');
    const first = page.locator('[role=gridcell][data-index="0"]');
    await first.getByRole('button', { name: /^Yes/ }).click();
    await page.getByRole('button', { name: 'Keep as detector' }).click();
    await page.getByText(/Kept so far: 1 yes, 0 no/).waitFor();
    await page.getByRole('button', { name: /^Forget/ }).first().click();
    await page.getByText(/Kept so far: 0 yes, 0 no/).waitFor();
  }),

  'the first of a ranking become tags, and are taken back': () => visit(async ({ page, server }) => {
    await go(page, server, 'teach?collection=photos&concept=round&yes=2019%2Fp1.png&yes=2019%2Fp4.png&no=2019%2Fp0.png');
    const range = page.getByRole('slider', { name: /^The first/ });
    await range.waitFor();
    await range.fill('20');
    await page.getByRole('button', { name: 'Tag these 20' }).click();
    await page.locator('.toast').getByText(/items are tagged “round” automatically/).waitFor();
    const automatic = () => page.evaluate(async () => (await (await fetch('/v1/facets?q=is:automatic&collection=photos')).json()).total);
    const tagged = await automatic();
    assert.ok(tagged >= 15 && tagged <= 20, `${tagged} items`);
    const kept = await page.evaluate(async () => (await (await fetch('/v1/concepts?collection=photos')).json()).concepts.find((each) => each.concept === 'round'));
    assert.deepEqual([kept.shown, kept.not_shown], [2, 1], 'the examples are kept');
    await page.keyboard.press('Control+z');
    await page.locator('.toast').getByText('“round”: taken back.').waitFor();
    assert.equal(await automatic(), 0);
  }),

  'on a phone: a few are touched, and the first become tags': () => visit(async ({ page, server }) => {
    await go(page, server, 'teach?collection=photos');
    await page.getByRole('link', { name: /^owl/ }).waitFor();
    assert.deepEqual(await barriers(page), []);
    await page.getByRole('combobox', { name: 'What shall it learn to find?' }).fill('round');
    await page.getByRole('button', { name: 'Begin' }).tap();
    await until(async () => (await cells(page).count()) > 3, 'there are tiles');
    await cells(page).nth(0).locator('.half.yes').tap();
    await page.getByText(/ranked by 1 yes and 0 no/).last().waitFor();
    const given = page.locator('.example-yes');
    await given.waitFor();
    await until(async () => /feather|grease|ship/.test(await given.innerText()), 'examples have their titles');
    assert.deepEqual(await barriers(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    await page.getByRole('button', { name: /^Tag these? \d+/ }).tap();
    await page.locator('.toast').getByText(/tagged “round” automatically/).waitFor();
  }, { options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } }),
};

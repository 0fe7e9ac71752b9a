import assert from 'node:assert/strict';
import { barriers, command, go, hold, show, until, visit } from '../support.mjs';

/** The line of counts, as numbers. */
async function counts(page) {
  const text = await page.locator('.review-main [role=status]').innerText();
  const [, yes, no, skipped, left] = /(\d+) yes, (\d+) no, (\d+) skipped; (\d+) question/.exec(text) ?? [];
  return { yes: Number(yes), no: Number(no), skipped: Number(skipped), left: Number(left), waiting: /on the way/.test(text) };
}

/** What is asked now: the item's id and the tag. */
async function question(page) {
  const box = page.locator('.question.shown');
  await box.waitFor();
  return box.evaluate((each) => ({
    tag: each.querySelector('em').innerText,
    id: decodeURIComponent(each.querySelector('p a').getAttribute('href').split('/').pop()),
  }));
}

/** Presses a key and waits until another question is asked. */
async function press(page, key) {
  const before = JSON.stringify(await question(page));
  await page.keyboard.press(key);
  await until(async () => JSON.stringify(await question(page)) !== before, `another question after ${key}`);
}

const decided = async (library, { id, tag }) =>
  (await show(library, id)).decisions.filter((each) => each.tag === tag).pop()?.verdict;

export const review = {
  'yes, no, skip and undo by keyboard': () => visit(async ({ page, server, library }) => {
    await go(page, server, 'review');
    const first = await question(page);
    await until(async () => (await counts(page)).left === 102, '102 questions are left');
    await press(page, 'y');
    const second = await question(page);
    await press(page, 'n');
    const third = await question(page);
    await press(page, 's');
    await until(async () => !(await counts(page)).waiting, 'all are stored');
    assert.deepEqual(await counts(page), { yes: 1, no: 1, skipped: 1, left: 100, waiting: false });
    assert.equal(await decided(library, first), 'accepted');
    assert.equal(await decided(library, second), 'rejected');
    assert.equal(await decided(library, third), undefined);
    await press(page, 'u');
    assert.deepEqual(await question(page), third);
    await press(page, 'u');
    assert.deepEqual(await question(page), second);
    await until(async () => (await decided(library, second)) !== 'rejected', 'the rejection is taken back');
    assert.deepEqual(await counts(page), { yes: 1, no: 0, skipped: 0, left: 101, waiting: false });
    await press(page, 'n');
    await until(async () => (await decided(library, second)) === 'rejected', 'and given again');
    await page.getByText('1 suggestions were accepted, 1 rejected.').waitFor();
    await page.getByRole('button', { name: 'Measure on items held out' }).click();
    const measured = page.getByRole('table', { name: 'Measured on items held out' });
    await measured.getByRole('row').nth(1).waitFor();
    assert.match(await measured.getByRole('row').nth(1).innerText(), /\d\s%/);
  }),

  'a held key answers once': () => visit(async ({ page, server, library }) => {
    await go(page, server, 'review');
    const first = await question(page);
    await hold(page, 'y');
    await until(async () => !(await counts(page)).waiting, 'all are stored');
    assert.equal((await counts(page)).yes, 1);
    assert.equal(await decided(library, first), 'accepted');
    await question(page);
    await page.getByRole('button', { name: 'No', exact: true }).focus();
    await hold(page, 'Enter');
    await until(async () => !(await counts(page)).waiting, 'all are stored');
    assert.equal((await counts(page)).no, 1);
    await question(page);
    await hold(page, 'u');
    await until(async () => (await counts(page)).no === 0, 'one is taken back');
    assert.equal((await counts(page)).yes, 1);
  }),

  'a collection without a model is told, with the way to one': () => visit(async ({ page, server, library }) => {
    await command('learn', library, 'suggest', '--collection', 'notes', '--features', 'text');
    await go(page, server, 'review?collection=letters');
    await page.getByText('No tags are suggested for letters yet').waitFor();
    assert.doesNotMatch(await page.locator('main').innerText(), /--|commonplace/);
    await page.getByLabel('Collection').selectOption('photos');
    await question(page);
  }),

  'what is decided does not come back after a reload': () => visit(async ({ page, server, library }) => {
    await go(page, server, 'review');
    const seen = new Set();
    const left = async () => (await counts(page)).left;
    await until(async () => (await left()) === 102, '102 questions are left');
    for (let i = 0; i < 25; ++i) {
      const asked = JSON.stringify(await question(page));
      assert.ok(!seen.has(asked), `${asked} is asked twice`);
      seen.add(asked);
      await press(page, i % 5 === 4 ? 'n' : 'y');
    }
    await until(async () => !(await counts(page)).waiting, 'all are stored');
    const firstAsked = JSON.parse([...seen][0]);
    assert.equal(await decided(library, firstAsked), 'accepted');
    await page.reload();
    await question(page);
    const after = await left();
    assert.ok(after <= 102 - 25 + 20 && after > 0, `${after} are left`);
    for (let i = 0; i < 25; ++i) {
      const asked = JSON.stringify(await question(page));
      assert.ok(!seen.has(asked), `${asked} comes back`);
      await press(page, 's');
    }
  }),

  'one tag at a time, to the end': () => visit(async ({ page, server }) => {
    await go(page, server, 'review');
    await question(page);
    const link = page.locator('.tag-list a', { hasText: 'owl' });
    assert.match(await link.innerText(), /owl\s*17/);
    await link.click();
    await until(async () => (await counts(page)).left === 17, '17 questions of it are left');
    for (let i = 0; i < 17; ++i) {
      assert.equal((await question(page)).tag, 'owl');
      if (i < 16) await press(page, 'y');
      else await page.keyboard.press('y');
    }
    await page.getByText('There is nothing left to ask about owl.').waitFor();
    await page.getByRole('link', { name: 'All tags' }).click();
    assert.notEqual((await question(page)).tag, 'owl');
  }),

  'by buttons, and in other orders': () => visit(async ({ page, server, library }) => {
    await go(page, server, 'review?order=uncertain');
    const first = await question(page);
    await page.getByRole('button', { name: 'No', exact: true }).click();
    await until(async () => (await decided(library, first)) === 'rejected', 'the rejection is in the library');
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await decided(library, first)) !== 'rejected', 'it is taken back');
    await page.getByLabel('Order').selectOption('tag');
    await until(() => /order=tag/.test(page.url()), 'the order is in the address');
    await question(page);
  }),

  'many at once: the wrong ones are clicked, Enter accepts the rest': () => visit(async ({ page, server, library }) => {
    await go(page, server, 'review?many=1&tag=owl');
    await page.locator('.review-grid.shown').waitFor();
    const guesses = page.locator('button.guess');
    const many = await guesses.count();
    assert.equal(many, 17);
    assert.deepEqual(await barriers(page), []);
    const names = await page.evaluate(async () => (await (await fetch('/v1/review?collection=photos&tag=owl&limit=40')).json()).entries.map((each) => each.id));
    await guesses.nth(2).click();
    await guesses.first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: `Accept ${many - 2}, reject 2` }).waitFor();
    await hold(page, 'Enter');
    await page.locator('.toast').getByText(`“owl”: ${many - 2} accepted, 2 rejected.`).waitFor();
    await page.getByText('There is nothing left to ask about owl.').waitFor();
    const verdict = (id) => decided(library, { id, tag: 'owl' });
    assert.equal(await verdict(names[0]), 'accepted');
    assert.equal(await verdict(names[1]), 'rejected');
    assert.equal(await verdict(names[2]), 'rejected');
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await guesses.count()) === many, 'undo brings all of them back');
    assert.notEqual(await verdict(names[0]), 'accepted');
  }),

  'one by one shows what a suggestion comes from': () => visit(async ({ page, server }) => {
    await go(page, server, 'review?tag=owl');
    await question(page);
    const reasons = page.locator('.question .reasons');
    await reasons.getByText('It says').waitFor();
    assert.ok(await reasons.locator('mark').count() > 0, 'the words that it comes from');
    await until(async () => (await reasons.locator('.item-card').count()) > 0, 'items like it');
    assert.doesNotMatch(await reasons.innerText(), /2019\/p|\d\.\d/);
    assert.deepEqual(await barriers(page), []);
  }),

  'a finger answers on a phone: right is yes, left is no': () => visit(async ({ page, server, library }) => {
    await go(page, server, 'review');
    const sweep = async (across, down = 0) => {
      const { x, y, width, height } = await page.locator('.question-picture').boundingBox();
      const from = { x: x + width / 2, y: y + height / 2 };
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [from] });
      for (let step = 1; step <= 5; ++step) {
        await devtools.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: from.x + across * step / 5, y: from.y + down * step / 5 }] });
      }
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const first = await question(page);
    await sweep(30);
    assert.deepEqual(await question(page), first, 'a short way is no answer');
    await sweep(150);
    await until(async () => JSON.stringify(await question(page)) !== JSON.stringify(first), 'the next question');
    const second = await question(page);
    await sweep(-150);
    await until(async () => JSON.stringify(await question(page)) !== JSON.stringify(second), 'the one after it');
    await until(async () => !(await counts(page)).waiting, 'all are stored');
    assert.equal(await decided(library, first), 'accepted');
    assert.equal(await decided(library, second), 'rejected');
    assert.deepEqual(await barriers(page), []);
  }, { options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } }),
};

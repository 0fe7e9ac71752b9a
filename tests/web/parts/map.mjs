import assert from 'node:assert/strict';
import { go, settled, until, visit } from '../support.mjs';

/** How many pixels of the drawing are not empty, by a copy of the canvas taken in the frame that draws it. */
export async function drawn(page) {
  const picture = await page.locator('.map-frame canvas').screenshot();
  return page.evaluate(async (text) => {
    const image = new Image();
    image.src = `data:image/png;base64,${text}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    // The colours of the points are strong, those of the page are not.
    let strong = 0;
    for (let i = 0; i < data.length; i += 4) {
      const most = Math.max(data[i], data[i + 1], data[i + 2]);
      if (most - Math.min(data[i], data[i + 1], data[i + 2]) > 90) ++strong;
    }
    return strong;
  }, picture.toString('base64'));
}

const painted = (page) => until(async () => (await drawn(page)) > 300, 'points are drawn');

async function ways(page, server) {
  await go(page, server, 'map');
  await painted(page);
  // What is drawn is what the server says.
  const answer = await page.evaluate(async () => (await fetch('/v1/map?most=5000&groups=12')).json());
  assert.equal(await page.locator('.map-tools .chip').count(), answer.kinds.length);
  const groups = page.locator('.groups button');
  assert.equal(await groups.count(), answer.groups.length);
  assert.ok((await groups.first().innerText()).startsWith(answer.groups[0].name));
  await page.locator('.map-label').first().waitFor({ state: 'attached' });
  return answer;
}

export const map = {
  'draws points of every kind, and hides them': () => visit(async ({ page, server }) => {
    const answer = await ways(page, server);
    const all = await drawn(page);
    const boxes = page.locator('.map-tools .chip');
    for (let i = 0; i < answer.kinds.length; ++i) await boxes.nth(i).click();
    await until(async () => (await drawn(page)) < all / 4, 'hidden kinds are not drawn');
    await boxes.nth(0).click();
    await painted(page);
    // The same map again is drawn again.
    await page.locator('.map-side').getByText('Advanced').click();
    await page.getByLabel('Things to draw').selectOption('1000');
    await until(() => /most=1000/.test(page.url()), 'the number is in the address');
    await settled(page);
    await painted(page);
  }),

  'a click on a point opens the item': () => visit(async ({ page, server }) => {
    await ways(page, server);
    const frame = await page.locator('.map-frame').boundingBox();
    // Only photographs are left, so that what is clicked is one.
    const boxes = page.locator('.map-tools .chip');
    for (let i = 1; i < (await boxes.count()); ++i) await boxes.nth(i).click();
    await painted(page);
    let name;
    search: for (let down = 0.05; down < 1; down += 0.03) {
      for (let right = 0.05; right < 1; right += 0.03) {
        await page.mouse.move(frame.x + right * frame.width, frame.y + down * frame.height);
        const tip = page.locator('.map-tip');
        if (await tip.count()) {
          name = await tip.innerText();
          break search;
        }
      }
    }
    assert.match(name ?? '', /^p\d+\.png$/);
    await page.mouse.down();
    await page.mouse.up();
    await until(() => page.url().includes('#/item/photos/'), 'the item is opened');
    await page.getByRole('heading', { name: 'What belongs with it' }).waitFor();
  }),

  'the list of groups leads to items too': () => visit(async ({ page, server }) => {
    await ways(page, server);
    await page.locator('.groups button').first().click();
    const link = page.locator('.things a[href*="#/item/"]').first();
    const name = await link.innerText();
    await link.click();
    await until(() => page.url().endsWith(encodeURIComponent(name)), 'the item is opened');
    await page.getByRole('heading', { name: 'What belongs with it' }).waitFor();
    await page.goBack();
    await painted(page);
  }),

  'everything in groups, by kind': () => visit(async ({ page, server }) => {
    await ways(page, server);
    await page.getByText('Groups of everything, by kind').click();
    const groups = page.locator('.kind-groups > li');
    await until(async () => (await groups.count()) === 10, 'there are ten groups');
    await page.getByLabel('Number of groups').selectOption('5');
    await until(async () => (await groups.count()) === 5, 'there are as many as wished');
    const answer = await page.evaluate(async () => (await fetch('/v1/groups?k=5&limit=6')).json());
    assert.ok((await groups.first().innerText()).startsWith(`${answer.groups[0].things} things`));
    await groups.first().locator('a[href*="#/item/photos/"]').first().click();
    await page.getByRole('heading', { name: 'What belongs with it' }).waitFor();
  }),

  'zoom, arrows and lasso': () => visit(async ({ page, server }) => {
    await ways(page, server);
    await page.locator('.map-frame').focus();
    await page.keyboard.press('+');
    await page.keyboard.press('ArrowRight');
    await until(() => /at=[\d.]+/.test(decodeURIComponent(page.url())), 'the place is in the address');
    await page.keyboard.press('0');
    await page.getByRole('button', { name: 'Lasso' }).click();
    const box = await page.locator('.map-frame').boundingBox();
    // Not from the corner where the buttons are.
    const corners = [[0.98, 0.98], [0.02, 0.98], [0.02, 0.02], [0.98, 0.02]];
    const [x, y] = corners[0];
    await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
    await page.mouse.down();
    for (const [right, down] of corners) await page.mouse.move(box.x + right * box.width, box.y + down * box.height, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('heading', { name: /\d+ things selected/ }).waitFor();
    // What was caught is there to be tagged, each thing once.
    const caught = page.locator('.map-selection .things li');
    const names = await caught.locator('a').evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    assert.equal(new Set(names).size, names.length);
    await page.keyboard.press('t');
    await page.getByRole('combobox', { name: 'Tag to add' }).fill('caught');
    await page.keyboard.press('Enter');
    await page.locator('.toast').getByText(/“caught” added to \d+ items/).waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('.toast').getByText(/Taken back/).waitFor();
    await page.locator('.map-selection').getByRole('button', { name: 'Select nothing' }).last().click();
  }),

  'is made of pictures, and the search glows on it': () => visit(async ({ page, server }) => {
    await ways(page, server);
    const pictures = page.locator('.map-picture');
    await until(async () => (await pictures.count()) > 5, 'there are pictures');
    const sources = await pictures.evaluateAll((all) => all.map((each) => each.getAttribute('src')));
    assert.equal(new Set(sources).size, sources.length, 'each thing once');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search for' }).fill('#owl');
    await page.keyboard.press('Enter');
    await page.getByText(/\d+ things glow/).waitFor();
    await until(async () => (await page.locator('.map-picture.glows').count()) > 0, 'some glow');
    assert.ok((await page.locator('.map-picture.faint').count()) > 0, 'the others do not');
  }),

  'without WebGL the plain canvas draws': () => visit(async ({ page, server }) => {
    await page.addInitScript(() => {
      const original = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function get(kind, ...rest) {
        return kind.startsWith('webgl') ? null : original.call(this, kind, ...rest);
      };
    });
    await ways(page, server);
  }),
};

import assert from 'node:assert/strict';
import { go, PATIENCE, Server, settled, show, TABS, until, visit, world } from '../support.mjs';

const NETWORK = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_SOCKET/;

export const troubles = {
  'a server that is gone is told, and tried again': async () => {
    const library = world.copy();
    const first = await Server.start(library);
    let second;
    try {
      await visit(async ({ page }) => {
        await go(page, first, 'search?collection=photos');
        await settled(page);
        await first.stop();
        await page.getByRole('combobox', { name: 'Search for' }).fill('owl');
        await page.getByRole('button', { name: 'Search', exact: true }).click();
        const alert = page.locator('main [role=alert]');
        await alert.getByText('The server does not answer').waitFor();
        second = await Server.start(library, [], first.port);
        await alert.getByRole('button', { name: 'Try again' }).click();
        await until(async () => /best first/.test(await page.locator('main [role=status]').first().innerText()), 'it is found');
        assert.equal(await page.locator('main [role=alert]').count(), 0);
        await until(async () => (await page.locator('.alert').count()) === 0, 'no message stays');
      }, { library, server: first, allowed: NETWORK });
    } finally {
      await second?.stop();
    }
  },

  'a decision waits for the server to come back': async () => {
    const library = world.copy();
    const first = await Server.start(library);
    let second;
    try {
      await visit(async ({ page }) => {
        await go(page, first, 'review');
        await page.locator('.question.shown').waitFor();
        const tag = await page.locator('.question em').innerText();
        const id = await page.locator('.question p a').evaluate((each) => decodeURIComponent(each.getAttribute('href').split('/').pop()));
        await settled(page);
        await first.stop();
        await page.keyboard.press('y');
        await page.getByText(/1 decision could not be stored yet/).waitFor();
        // It goes out by itself.
        second = await Server.start(library, [], first.port);
        await until(async () => (await show(library, id)).decisions.some((each) => each.tag === tag && each.verdict === 'accepted'),
          'the decision is in the library');
        await until(async () => (await page.locator('.alert').count()) === 0, 'no message stays');
      }, { library, server: first, allowed: NETWORK });
    } finally {
      await second?.stop();
    }
  },

  'a library that cannot be read is tried again': async () => {
    const library = world.copy();
    const first = await Server.start(library);
    let second;
    try {
      await visit(async ({ page }) => {
        // The page's files come, what it asks for does not.
        await page.route('**/v1/**', (route) => route.abort('connectionrefused'));
        await page.goto(`${first.address}/#/search`);
        await page.getByRole('heading', { level: 1, name: 'The library could not be read' }).waitFor();
        await page.unroute('**/v1/**');
        await page.locator('main').getByRole('button', { name: 'Try again' }).click();
        await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
      }, { library, server: first, allowed: NETWORK });
    } finally {
      await second?.stop();
    }
  },

  'a token is asked for once': () => visit(async ({ page, server }) => {
    await page.goto(`${server.address}/#/search?collection=photos`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This library asks for a token').waitFor();
    await dialog.getByLabel('Token').fill('wrong');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    // The wrong one is asked for again, and said to be wrong.
    await dialog.getByText('This token is wrong.').waitFor();
    await until(async () => (await dialog.isVisible()) && (await dialog.getByLabel('Token').inputValue()) === '', 'it is asked again');
    await dialog.getByLabel('Token').fill('open sesame');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('150 items', { exact: true }).waitFor();
    assert.equal(await page.locator('dialog[open]').count(), 0);
    const picture = page.locator('img.thumbnail').first();
    await until(() => picture.evaluate((each) => each.complete && each.naturalWidth > 0), 'pictures come with the token');
    await page.reload();
    await page.getByText('150 items', { exact: true }).waitFor();
    assert.equal(await page.locator('dialog[open]').count(), 0);
    // Events of jobs need it as well.
    await go(page, server, 'transfer');
    await page.getByRole('button', { name: 'Measure distances' }).click();
    await page.locator('.distances').waitFor();
  }, { words: ['--token', 'open sesame'], allowed: /status of 401/ }),

  'read-only hides what writes': () => visit(async ({ page, server }) => {
    await go(page, server, 'item/photos/2019%2Fp0.png');
    await page.locator('.suggestions li').first().waitFor();
    assert.equal(await page.getByRole('button', { name: /Accept|Reject|Take back|Undo|^Add/ }).count(), 0);
    await page.getByText('This library is read-only').waitFor();
    await go(page, server, 'review');
    await page.locator('.question').waitFor();
    assert.equal(await page.getByRole('button', { name: /^(Yes|No)$/ }).count(), 0);
    const asked = await page.locator('.question').innerText();
    await page.keyboard.press('y');
    assert.equal(await page.locator('.question').innerText(), asked);
    await go(page, server, 'teach?collection=photos&concept=owl');
    await page.getByRole('grid').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Keep as detector' }).count(), 0);
    await go(page, server, 'transfer');
    await page.getByRole('heading', { name: 'Carry the labels' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Run', exact: true }).count(), 0);
    await go(page, server, 'library');
    await page.getByText('Advanced').click();
    await page.getByRole('heading', { name: 'Models' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Learn', exact: true }).count(), 0);
    assert.equal(await page.getByRole('button', { name: /^(Add|Start)$/ }).count(), 0);
    for (const tab of TABS) {
      await go(page, server, tab);
      await settled(page);
      assert.equal(await page.locator('[role=alert] .alert, main [role=alert]').count(), 0, tab);
    }
  }, { words: ['--read-only'] }),

  'read-only still measures and tries': () => visit(async ({ page, server }) => {
    await go(page, server, 'transfer');
    await page.getByRole('button', { name: 'Measure distances' }).click();
    await page.locator('.distances').waitFor({ timeout: PATIENCE });
  }, { words: ['--read-only'] }),

  'the server ends when it is told to, after a browser was there': () => visit(async ({ page, server }) => {
    await go(page, server, 'search');
    await settled(page);
    assert.equal(await server.stop(20_000), true, 'SIGTERM did not end the server');
  }),

  'an address that the page does not have': () => visit(async ({ page, server }) => {
    await go(page, server, 'nonsense');
    await page.getByRole('link', { name: 'Go to the search.' }).click();
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
  }),
};

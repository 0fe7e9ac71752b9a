import assert from 'node:assert/strict';
import { command, go, show, until, visit, world } from '../support.mjs';

const choose = async (page) => {
  await page.locator('.chip', { hasText: 'photos' }).click();
  await page.getByLabel('Target, which gets them').selectOption('letters');
  await until(() => /target=letters/.test(page.url()) && /source=photos/.test(page.url()), 'the choice is in the address');
};

export const transfer = {
  'distances and bridges': () => visit(async ({ page, server }) => {
    await go(page, server, 'transfer');
    assert.equal(await page.getByRole('button', { name: 'Rank bridges' }).isEnabled(), false);
    await page.getByRole('button', { name: 'Measure distances' }).click();
    const alike = page.locator('.distances');
    await alike.locator('li', { hasText: / and .* (alike|nothing)\.$/ }).first().waitFor();
    await alike.getByText('Details').click();
    assert.equal(await alike.locator('tbody tr').count(), 3);
    await choose(page);
    await page.getByRole('button', { name: 'Rank bridges' }).click();
    await page.getByRole('heading', { name: 'Bridges' }).waitFor();
    await page.getByRole('rowheader', { name: /notes/ }).waitFor();
    await page.getByRole('button', { name: 'Choose: go through notes' }).click();
    assert.equal(await page.getByLabel('Which way').inputValue(), 'through:notes');
    await page.getByRole('button', { name: 'Go directly' }).click();
    assert.equal(await page.getByLabel('Which way').inputValue(), 'direct');
  }),

  'a try writes nothing, a run writes': () => visit(async ({ page, server, library }) => {
    await go(page, server, 'transfer?way=direct');
    await choose(page);
    await page.getByRole('button', { name: 'Try (write nothing)' }).click();
    await page.getByRole('heading', { name: 'What would be written' }).waitFor();
    const refused = page.getByRole('button', { name: 'Do it nevertheless' });
    if (await refused.count()) await refused.click();
    await page.getByText('Items of each label').first().waitFor();
    await page.getByText(/group from photos to letters, directly\. .*Nothing was written/).waitFor();
    assert.equal(await page.getByRole('region', { name: 'Predictions' }).locator('tbody tr').count(), 50);
    assert.ok(!/machine/.test(JSON.stringify(await show(library, 'l0', 'letters'))), 'a try leaves the library alone');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
    await page.getByRole('heading', { name: 'What was written' }).waitFor();
    await page.getByText(/60 labels written/).waitFor();
    const letter = await command('show', library, 'letters', 'l0');
    assert.match(JSON.stringify(letter), /g0/);
    // The prediction leads to the item, which shows whose label it is.
    await page.getByRole('region', { name: 'Predictions' }).getByRole('link', { name: 'l0' }).click();
    await page.getByRole('heading', { name: 'Details' }).click();
    await page.getByText(/a machine, .*%/).waitFor();
    // Nothing was learned that relates letters, which is told without an alarm.
    const relatives = page.locator('.relatives');
    await relatives.getByText(/letters/).first().waitFor();
    assert.equal(await relatives.locator('[role=alert]').count(), 0);
  }),

  'the way the program chooses, and a try that is there after loading the page anew': () => visit(async ({ page, server }) => {
    await go(page, server, 'transfer');
    await choose(page);
    await page.getByRole('button', { name: 'Try (write nothing)' }).click();
    await page.getByRole('heading', { name: 'What would be written' }).waitFor();
    const answer = page.locator('.card', { hasText: 'What would be written' });
    await answer.getByText(/Nothing was written/).waitFor();
    const said = await answer.locator('p').first().innerText();
    await page.reload();
    await answer.getByText(/Nothing was written/).waitFor();
    assert.equal(await answer.locator('p').first().innerText(), said);
    await page.getByLabel('Which way').selectOption('direct');
    assert.ok(!/answer=/.test(page.url()), 'an answer to another question is not come back to');
  }),

  'the label goes with the source': () => visit(async ({ page, server, library }) => {
    const other = Array.from({ length: 30 }, (_, i) => `${JSON.stringify({ id: `a${i}`, text: 'water ship', labels: { area: 'x' } })}\n`);
    await command('add', library, 'atlas', world.file('atlas.jsonl', other.join('')));
    await go(page, server, 'transfer');
    const field = page.getByLabel('Label field');
    assert.equal(await field.inputValue(), 'area');
    await page.locator('.chip', { hasText: 'photos' }).click();
    await until(async () => (await field.inputValue()) === 'group', 'the label is one that photos have');
    assert.equal(await page.getByRole('checkbox', { name: 'photos' }).isChecked(), true);
  }),
};

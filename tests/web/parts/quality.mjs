import assert from 'node:assert/strict';
import { go, until, visit } from '../support.mjs';

export const quality = {
  'models with their figures, and an evaluation as a table': () => visit(async ({ page, server }) => {
    await go(page, server, 'quality');
    const card = (name) => page.locator('.card').filter({ has: page.getByRole('heading', { name, exact: true }) });
    for (const name of ['suggest.photos', 'search.photos', 'detect.photos', 'relate']) await card(name).waitFor();
    // Sentences come first, figures when they are asked for.
    await card('suggest.photos').getByText(/^\d+ of 10 first suggestions are right\.$|^It was not tried/).waitFor();
    await card('search.photos').getByText(/of 100 points; words alone reach \d+\.$/).waitFor();
    await page.getByText(/ is best of \d+ by precision@1: /).waitFor();
    assert.equal(await page.locator('.card table, .card pre').first().isVisible(), false);
    for (const each of await page.locator('.card summary').all()) await each.click();
    assert.ok((await card('suggest.photos').locator('dl.figures dd').allInnerTexts()).some((each) => /\d/.test(each)));
    const table = page.getByRole('region', { name: /suggest of photos/ }).getByRole('table').first();
    await table.waitFor();
    assert.ok((await table.locator('tbody tr').count()) >= 2);
    const own = table.locator('tbody tr', { hasText: 'commonplace, tags' });
    const popular = table.locator('tbody tr', { hasText: /popular/i });
    const column = (await table.locator('thead th').allInnerTexts()).findIndex((each) => /^precision@1$/i.test(each.trim()));
    const value = async (row) => Number(await row.locator('th, td').nth(column).innerText());
    assert.ok(column > 0);
    assert.ok((await value(own)) > (await value(popular)));
    // The measure of the bars can be chosen, and what is a curve is drawn as lines.
    const evaluation = page.locator('.card').filter({ has: page.getByRole('heading', { name: /^suggest of photos/ }) });
    await evaluation.getByRole('img', { name: /^precision@1: commonplace, tags/ }).waitFor();
    await evaluation.getByLabel('Measure to draw').selectOption('precision@5');
    await evaluation.getByRole('img', { name: /^precision@5: / }).waitFor();
    const lines = evaluation.getByRole('img', { name: /^precision of the first: commonplace, tags from / });
    assert.equal(await lines.locator('polyline').count(), 2);
    assert.match(await evaluation.locator('.keys').first().innerText(), /commonplace, tags[^]*popular/);
    await page.getByRole('radio', { name: 'detect' }).check({ force: true });
    await until(async () => (await card('suggest.photos').count()) === 0, 'only detectors are shown');
    await card('detect.photos').waitFor();
    assert.equal(await page.getByRole('region', { name: /suggest of photos/ }).count(), 0);
  }),
};

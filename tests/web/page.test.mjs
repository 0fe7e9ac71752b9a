// The page as people use it: a real server, a planted library, and Chromium. COMMONPLACE and COMMONPLACE_PAGE name
// the program and the built page; COMMONPLACE_WEB_ONLY=word runs only the tests with that word in their names, and
// COMMONPLACE_WEB_PICTURES=folder keeps a picture of each failure.
import { test } from 'node:test';
import { missing, world } from './support.mjs';
import { cleanup } from './parts/cleanup.mjs';
import { home } from './parts/home.mjs';
import { item } from './parts/item.mjs';
import { keystrokes } from './parts/keystrokes.mjs';
import { library } from './parts/library.mjs';
import { looks } from './parts/looks.mjs';
import { map } from './parts/map.mjs';
import { places } from './parts/places.mjs';
import { quality } from './parts/quality.mjs';
import { review } from './parts/review.mjs';
import { search } from './parts/search.mjs';
import { select } from './parts/select.mjs';
import { tags } from './parts/tags.mjs';
import { teach } from './parts/teach.mjs';
import { transfer } from './parts/transfer.mjs';
import { troubles } from './parts/troubles.mjs';

const only = process.env.COMMONPLACE_WEB_ONLY ?? '';
const parts = { home, cleanup, search, select, item, review, tags, teach, places, map, transfer, quality, library, troubles, keystrokes, looks };

test('page', { skip: missing() }, async (t) => {
  try {
    await world.open();
    for (const [part, tests] of Object.entries(parts)) {
      for (const [name, body] of Object.entries(tests)) {
        const full = `${part}: ${name}`;
        if (full.includes(only)) await t.test(full, body);
      }
    }
  } finally {
    await world.close();
  }
});

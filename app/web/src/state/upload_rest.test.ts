import { expect, test } from 'vitest';
import { missingOf } from './upload_rest';

const file = (name: string, text: string) => ({ name, file: new File([text], name) });

test('what has arrived whole is not sent again', () => {
  const files = [file('a.jpg', 'aa'), file('2019/b.jpg', 'bbb'), file('c.jpg', 'c')];
  expect(missingOf(files, [{ name: 'a.jpg', bytes: 2 }, { name: '2019/b.jpg', bytes: 1 }]).map((each) => each.name))
    .toEqual(['2019/b.jpg', 'c.jpg']);
  expect(missingOf(files, [])).toEqual(files);
});

import * as api from '../../api/api';
import { candidates } from '../../api/vocabulary';
import { address } from '../../state/route';
import { t } from '../../words/say';
import { openGroups } from '../cleanup/handled';

/** Something that a person can do for the library. */
export interface Chore {
  key: 'review' | 'untagged' | 'duplicates' | 'same';
  icon: string;
  title: string;
  /** Where nobody has looked yet, which counts as -1. */
  begin: string;
  to: string;
  count: (signal: AbortSignal) => Promise<number>;
}

/** All there may be to do; each is counted for itself, so that the slowest keeps nobody waiting. */
export function chores(suggesting: string[]): Chore[] {
  return [
    {
      key: 'review', icon: 'check', title: t('suggested tags to look at'), begin: '', to: address('review', [], { many: true }),
      count: async () => {
        const found = await Promise.all(suggesting.map((collection) => api.reviewTags(collection)));
        return found.flatMap((each) => each.tags).reduce((sum, each) => sum + each.left, 0);
      },
    },
    {
      key: 'untagged', icon: 'tag', title: t('items without a tag'), begin: '', to: address('search', [], { q: 'is:untagged' }),
      count: async (signal) => (await api.facets({ q: '', collection: [] }, signal)).untagged,
    },
    {
      key: 'same', icon: 'tag', title: t('pairs of tags that may mean the same'), begin: '', to: address('cleanup', [], { what: 'same' }),
      count: async (signal) => (await candidates(100, signal)).candidates.length,
    },
    {
      key: 'duplicates', icon: 'like', title: t('things that are there twice'), begin: t('Look for duplicates'), to: address('cleanup', [], { what: 'duplicates' }),
      count: async (signal) => {
        const found = await api.duplicates(0, 1000, signal);
        return found.job === 0 ? -1 : openGroups(found);
      },
    },
  ];
}

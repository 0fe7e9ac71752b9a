import type { Catalogue } from './say';

export const catalogue: Catalogue = {};

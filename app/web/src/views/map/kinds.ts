/** What a kind of the relate space holds, by its name: `photos`, `photos:sift`, `photos/tags`, ... */
export interface Kind {
  collection: string;
  of: 'items' | 'tags' | 'places' | 'label';
  text: string;
}

export function kindOf(name: string): Kind {
  const slash = name.indexOf('/');
  const base = slash < 0 ? name : name.slice(0, slash);
  const rest = slash < 0 ? '' : name.slice(slash + 1);
  const colon = base.indexOf(':');
  const collection = colon < 0 ? base : base.slice(0, colon);
  if (rest === 'tags') return { collection, of: 'tags', text: `Tags of ${collection}` };
  if (rest === 'places') return { collection, of: 'places', text: `Places of ${collection}` };
  if (rest.startsWith('label:')) return { collection, of: 'label', text: `${rest.slice(6)} of ${collection}` };
  if (rest === 'text') return { collection, of: 'items', text: `Items of ${collection}, by their words` };
  const by = colon < 0 ? '' : `, by ${base.slice(colon + 1)}`;
  return { collection, of: 'items', text: `Items of ${collection}${by}` };
}

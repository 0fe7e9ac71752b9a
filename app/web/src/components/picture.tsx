import { useState } from 'preact/hooks';
import * as api from '../api/api';
import { titleOf } from '../format';

interface Pictured {
  collection: string;
  id: string;
  title?: string;
  image: boolean;
  tags?: string[];
}

/** The thumbnail, or title and first tags where there is none. */
export function Thumbnail(props: { item: Pictured; size?: 64 | 128 | 256 | 512; alt?: string }) {
  const { item } = props;
  const [broken, setBroken] = useState('');
  const [again, setAgain] = useState('');
  const key = `${item.collection}/${item.id}`;
  if (!item.image || broken === key) {
    return (
      <span class="text-tile">
        <span class="text-tile-title">{titleOf(item)}</span>
        <span class="text-tile-tags">{(item.tags ?? []).slice(0, 5).join(' · ')}</span>
      </span>
    );
  }
  return (
    <img key={again === key ? `${key}#` : key} class="thumbnail" src={api.thumbnailAddress(item.collection, item.id, props.size ?? 256)}
      alt={props.alt ?? titleOf(item)} loading="lazy" decoding="async" draggable={false}
      onError={() => (again === key ? setBroken(key) : setTimeout(() => setAgain(key), 800))} />
  );
}

/** Has the browser fetch what will be looked at next. */
export function prefetch(collection: string, id: string, size: 64 | 128 | 256 | 512): void {
  new Image().src = api.thumbnailAddress(collection, id, size);
}

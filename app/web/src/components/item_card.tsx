import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import * as api from '../api/api';
import type { Item } from '../api/types';
import { titleOf } from '../format';
import { collections } from '../state/library';
import { itemAddress } from '../state/route';
import { Thumbnail } from './picture';

const known = new Map<string, Item>();

/** An item that is known by its name alone, as its picture or its words: what it is called is asked when it is seen. */
export function ItemCard(props: { collection: string; id: string; children?: ComponentChildren }) {
  const { collection, id } = props;
  const key = `${collection}\u0000${id}`;
  const pictures = collections.value.find((each) => each.name === collection)?.pictures ?? false;
  const place = useRef<HTMLAnchorElement>(null);
  const [item, setItem] = useState<Item | undefined>(known.get(key));
  useEffect(() => {
    setItem(known.get(key));
    if (known.has(key) || !place.current) return undefined;
    const controller = new AbortController();
    const observer = new IntersectionObserver((seen) => {
      if (!seen.some((each) => each.isIntersecting)) return;
      observer.disconnect();
      api.item(collection, id, controller.signal).then((found) => { known.set(key, found); setItem(found); }, () => undefined);
    });
    observer.observe(place.current);
    return () => { observer.disconnect(); controller.abort(); };
  }, [key]);
  const title = titleOf(item ?? { id });
  const image = item ? item.image : pictures;
  return (
    <a ref={place} class="item-card" href={itemAddress(collection, id)} title={title} aria-label={title}>
      <Thumbnail size={128} alt="" item={{ collection, id, title, image }} />
      {image && <span class="strip-name" dir="auto">{title}</span>}
      {props.children}
    </a>
  );
}

import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from '../api/api';
import type { Brief } from '../api/types';
import { tagQuery } from '../state/route';
import { hueOf } from '../state/tag_colours';
import { changeCount } from '../state/toast';
import { Thumbnail } from './picture';

const known = new Map<string, Brief | undefined>();
let knownAt = 0;

/** A picture that has the tag, asked for when it is seen; the tag's colour where there is none. */
export function TagCover({ tag }: { tag: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const now = changeCount.value;
  if (knownAt !== now) {
    known.clear();
    knownAt = now;
  }
  const [found, setFound] = useState<Brief | undefined>(known.get(tag));
  useEffect(() => {
    setFound(known.get(tag));
    if (known.has(tag) || !place.current) return undefined;
    const controller = new AbortController();
    const observer = new IntersectionObserver((seen) => {
      if (!seen.some((each) => each.isIntersecting)) return;
      observer.disconnect();
      const question = { q: `${tagQuery(tag)} is:picture`, collection: [], offset: 0, limit: 1, words_only: true };
      api.search(question, controller.signal).then((answer) => {
        known.set(tag, answer.hits[0]);
        setFound(answer.hits[0]);
      }, () => undefined);
    });
    observer.observe(place.current);
    return () => { observer.disconnect(); controller.abort(); };
  }, [tag, now]);
  return (
    <span ref={place} class="tag-cover" style={{ '--hue': String(hueOf(tag)) }} aria-hidden="true">
      {found && <Thumbnail item={found} size={64} alt="" />}
    </span>
  );
}

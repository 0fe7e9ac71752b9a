import type { Suggestion } from '../api/types';
import { t } from '../words/say';
import { ItemCard } from './item_card';

/** What a suggestion comes from: its words, and three items like it that have the tag. */
export function Reasons(props: { collection: string; suggestion: Suggestion }) {
  const { reasons } = props.suggestion;
  if (!reasons) return null;
  const words = (reasons.words ?? []).slice(0, 6);
  const items = (reasons.items ?? []).slice(0, 3);
  return (
    <div class="reasons">
      {words.length > 0 && <p class="quiet">{t('It says')} {words.map((each, index) => <span key={each.word}>{index > 0 ? ', ' : ''}<mark dir="auto">{each.word}</mark></span>)}</p>}
      {items.length > 0 && (
        <>
          <p class="quiet">{t('These are like it, and have it:')}</p>
          <ul class="strip small-strip">{items.map((each) => <li key={each.id}><ItemCard collection={props.collection} id={each.id} /></li>)}</ul>
        </>
      )}
      {words.length + items.length === 0 && (reasons.from_tags ?? 0) > 0 && <p class="quiet">{t('It goes with the tags that it has.')}</p>}
    </div>
  );
}

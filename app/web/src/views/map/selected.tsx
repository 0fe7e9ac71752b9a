import { useState } from 'preact/hooks';
import type { Brief, MapAnswer } from '../../api/types';
import { Thumbnail } from '../../components/picture';
import { SelectionBar } from '../../components/selection_bar';
import { Tag } from '../../components/tag';
import { collections } from '../../state/library';
import { itemAddress } from '../../state/route';
import { isSelected, select, toggle } from '../../state/selection';
import { t, tn } from '../../words/say';
import { kindOf } from './kinds';

/** The thing of a point as lists show it; nothing where it is no item. */
export function briefOf(map: MapAnswer, point: number): Brief | undefined {
  const kind = map.kinds[map.points.kind[point]!];
  if (!kind?.items) return undefined;
  const image = collections.value.find((each) => each.name === kind.collection)?.pictures ?? false;
  return { collection: kind.collection, id: map.points.name[point]!, title: '', image, tags: [] };
}

/** What the lasso caught, as pictures to be tagged together, and the tags among it. */
export function MapSelection(props: { map: MapAnswer; points: number[]; close: () => void }) {
  const { map } = props;
  const [most, setMost] = useState(120);
  // An item that lies there by its words and by its picture is one.
  const items = [...new Map(props.points.map((point) => briefOf(map, point)).filter((each) => each !== undefined)
    .map((each) => [`${each.collection}/${each.id}`, each])).values()];
  const tags = [...new Set(props.points.filter((point) => kindOf(map.kinds[map.points.kind[point]!]!.kind).of === 'tags').map((point) => map.points.name[point]!))];
  return (
    <section class="map-selection" aria-label={t('What is selected')}>
      <div class="row middle">
        <h2>{tn('{n} thing selected', '{n} things selected', props.points.length)}</h2>
        <button type="button" class="small" onClick={props.close}>{t('Select nothing')}</button>
      </div>
      {tags.length > 0 && <p class="tags">{tags.slice(0, 20).map((each) => <Tag key={each} name={each} />)}</p>}
      <SelectionBar total={items.length} selectAll={() => select(items, true)} changed={() => undefined} isAsked={() => false} commonest={() => Promise.resolve([])} />
      <ul class="things">
        {items.slice(0, most).map((each) => (
          <li key={`${each.collection}/${each.id}`} class={isSelected(each) ? 'selected' : ''}>
            <button type="button" class="pick" aria-pressed={isSelected(each)} aria-label={t('Select {title}', { title: each.id })} onClick={() => toggle(each)}>
              <Thumbnail item={each} size={128} alt="" />
            </button>
            <a dir="auto" href={itemAddress(each.collection, each.id)}>{each.id.replace(/^.*\/(?=.)/, '')}</a>
          </li>
        ))}
      </ul>
      {items.length > most && <button type="button" class="small" onClick={() => setMost(most + 200)}>{tn('Show more of {n}', 'Show more of {n}', items.length)}</button>}
    </section>
  );
}

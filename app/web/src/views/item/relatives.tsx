import type { RelateAnswer, RelatedThing } from '../../api/types';
import type { Answer } from '../../components/hooks';
import { ItemCard } from '../../components/item_card';
import { NoModel } from '../../components/no_model';
import { Tag } from '../../components/tag';
import { Failure, Loading } from '../../components/view';
import { coordinates, number } from '../../format';
import { isRefused, messageOf } from '../../state/alerts';
import { address } from '../../state/route';
import { t } from '../../words/say';
import { kindOf, type Kind } from '../map/kinds';

/** How much likelier than chance they go together, for those who ask. */
const times = (thing: RelatedThing) => t('{n} times as often as chance would have it', { n: number(thing.times, 1) });

function Thing(props: { kind: Kind; thing: RelatedThing }) {
  const { kind, thing } = props;
  const known = thing.known ? <span class="quiet"> {t('(it has this)')}</span> : null;
  if (kind.of === 'tags') return <li title={times(thing)}><Tag name={thing.name} machine={!thing.known} />{known}</li>;
  const [latitude, longitude] = kind.of === 'places' ? thing.name.split(',').map(Number) : [];
  const text = Number.isFinite(latitude) && Number.isFinite(longitude) ? coordinates(latitude!, longitude!) : thing.name;
  return <li title={times(thing)} dir="auto">{text}{known}</li>;
}

function Items(props: { kind: Kind; things: RelatedThing[] }) {
  return (
    <ul class="strip">
      {props.things.map((each) => <li key={each.name} title={times(each)}><ItemCard collection={props.kind.collection} id={each.name} /></li>)}
    </ul>
  );
}

/** What belongs to the item, of every kind. */
export function ItemRelatives(props: { collection: string; answer: Answer<RelateAnswer>; model: { name: string; knows: boolean } | undefined }) {
  const { answer } = props;
  return (
    <section class="relatives">
      <h2>{t('What belongs with it')}</h2>
      {!props.model && <NoModel kind="relate" collection={props.collection} />}
      {props.model?.knows === false && (
        <p>{t('What belongs together in {collection} is not known yet.', { collection: props.collection })} <a href={address('library')}>{t('See what is ready')}</a></p>
      )}
      {answer.loading && !answer.value && <Loading what={t('what belongs with it')} />}
      {answer.error !== undefined && (isRefused(answer.error)
        ? <p>{messageOf(answer.error)}</p> : <Failure error={answer.error} again={answer.again} />)}
      {answer.value?.kinds.map((each) => {
        const kind = kindOf(each.kind);
        return (
          <div key={each.kind}>
            <h3>{kind.text}</h3>
            {each.things.length === 0 ? <p class="quiet">{t('Nothing is near.')}</p>
              : kind.of === 'items' ? <Items kind={kind} things={each.things} />
                : <ul class="tags">{each.things.map((thing) => <Thing key={thing.name} kind={kind} thing={thing} />)}</ul>}
          </div>
        );
      })}
    </section>
  );
}

import type { RelateAnswer, RelatedThing } from '../../api/types';
import type { Answer } from '../../components/hooks';
import { NoModel } from '../../components/no_model';
import { Thumbnail } from '../../components/picture';
import { Failure, Loading } from '../../components/view';
import { coordinates, number } from '../../format';
import { isRefused, messageOf } from '../../state/alerts';
import { collections } from '../../state/library';
import { address, itemAddress, tagSearchAddress } from '../../state/route';
import { kindOf, type Kind } from '../map/kinds';

/** What it is ranked by, beside the first of its kind, and how much likelier than chance it is. */
function Times({ thing, best }: { thing: RelatedThing; best: number }) {
  const reasons = Object.entries(thing.reasons ?? {}).filter(([, adds]) => Math.abs(adds) >= 0.05);
  const why = reasons.map(([kind, adds]) => `${kindOf(kind).text} adds ${number(adds, 1)}`).join('; ');
  return <span class="quiet" title={why || undefined}>{` ${number(thing.score / best, 2)}, ${number(thing.times, 1)} ×`}</span>;
}

function Thing(props: { kind: Kind; thing: RelatedThing; best: number }) {
  const { kind, thing, best } = props;
  const known = thing.known ? <span class="quiet"> (it has this)</span> : null;
  if (kind.of === 'tags') {
    return <li><a class="tag" href={tagSearchAddress(thing.name)}>{thing.name}</a><Times thing={thing} best={best} />{known}</li>;
  }
  if (kind.of === 'places') {
    const [latitude, longitude] = thing.name.split(',').map(Number);
    const text = Number.isFinite(latitude) && Number.isFinite(longitude)
      ? coordinates(latitude!, longitude!) : thing.name;
    return <li>{text}<Times thing={thing} best={best} />{known}</li>;
  }
  return <li>{thing.name}<Times thing={thing} best={best} />{known}</li>;
}

function Items(props: { kind: Kind; things: RelatedThing[]; best: number }) {
  const pictures = collections.value.find((each) => each.name === props.kind.collection)?.pictures ?? false;
  return (
    <ul class="strip">
      {props.things.map((each) => (
        <li key={each.name}>
          <a href={itemAddress(props.kind.collection, each.name)}>
            <Thumbnail size={128} alt="" item={{ collection: props.kind.collection, id: each.name, image: pictures }} />
            <span class="strip-name">{each.name}</span>
          </a>
          <Times thing={each} best={props.best} />
        </li>
      ))}
    </ul>
  );
}

/** What belongs to the item, of every kind. "3.2 ×": as many times as often as chance would have it. */
export function ItemRelatives(props: { collection: string; answer: Answer<RelateAnswer>; model: { name: string; knows: boolean } | undefined }) {
  const { answer } = props;
  return (
    <section class="card">
      <h2>What belongs with it</h2>
      {!props.model && <NoModel kind="relate" collection={props.collection} />}
      {props.model?.knows === false && (
        <p>{`${props.model.name} was not learned from ${props.collection}. `}<a href={address('library')}>Learn to relate</a>{' it too.'}</p>
      )}
      {answer.loading && !answer.value && <Loading what="relatives" />}
      {answer.error !== undefined && (isRefused(answer.error)
        ? <p>{messageOf(answer.error)}</p> : <Failure error={answer.error} again={answer.again} />)}
      {answer.value?.kinds.map((each) => {
        const kind = kindOf(each.kind);
        return (
          <div key={each.kind}>
            <h3>{kind.text}</h3>
            {each.things.length === 0 ? <p class="quiet">Nothing is near.</p>
              : kind.of === 'items' ? <Items kind={kind} things={each.things} best={each.things[0]!.score} />
                : <ul class="tags">{each.things.map((thing) => <Thing key={thing.name} kind={kind} thing={thing} best={each.things[0]!.score} />)}</ul>}
          </div>
        );
      })}
      {answer.value && <p class="quiet">They are ranked by the first figure, which is 1 for the first of each kind. “3.2 ×” says how many times as often as chance would have it they go together.</p>}
    </section>
  );
}

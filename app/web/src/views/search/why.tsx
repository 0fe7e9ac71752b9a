import type { Hit, Why } from '../../api/types';
import { useAnswer } from '../../components/hooks';
import { Panel } from '../../components/panel';
import { Failure, Loading } from '../../components/view';
import { listed, number } from '../../format';
import { itemAddress } from '../../state/route';

function Reasons({ why }: { why: Why }) {
  const { words = [], meanings = [], seen = [], associations = [], neighbours = [], topics = [] } = why;
  return (
    <>
      {words.length > 0 && (
        <section>
          <h3>Its own words</h3>
          <ul>
            {words.map((each) => {
              const where = [each.in_tags ? 'tags' : '', each.in_text ? 'text' : ''].filter((part) => part);
              return <li key={each.word}><strong>{each.word}</strong>{where.length ? ` in its ${listed(where)}` : ''}</li>;
            })}
          </ul>
        </section>
      )}
      {meanings.length > 0 && (
        <section>
          <h3>What it means</h3>
          <ul>
            {seen.length > 0 && <li>{'seen in the picture: '}<strong>{listed(seen)}</strong></li>}
            {meanings.map((each) => (
              <li key={each.by}>
                {each.by === 'texts' ? 'its text means much the same' : 'its picture fits the words'}
                <span class="quiet">{` (${number(each.weight)})`}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {associations.length > 0 && (
        <section>
          <h3>Tags that go with what was asked</h3>
          <ul>
            {associations.map((each, index) => (
              <li key={index}>
                <strong>{each.from}</strong>{` goes with “${each.asked}” in ${each.collection}`}
                {each.together !== undefined ? `, ${number(each.together)} times together` : ''}
                <span class="quiet">{` (${number(each.weight)})`}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {neighbours.length > 0 && (
        <section>
          <h3>Items that it is like</h3>
          <ul>
            {neighbours.map((each) => (
              <li key={`${each.collection}/${each.id}`}>
                <a href={itemAddress(each.collection, each.id)}>{each.id}</a>{` of ${each.collection}`}
                {each.asked?.length ? `, which has ${listed(each.asked)}` : ''}
                <span class="quiet">{` (${number(each.weight)})`}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {topics.length > 0 && (
        <section>
          <h3>Topics</h3>
          <ul>
            {topics.map((each) => (
              <li key={each.topic}>
                <strong>{each.topic}</strong>
                {each.terms?.length ? `: ${each.terms.slice(0, 8).join(', ')}` : ''}
                <span class="quiet">{` (${number(each.weight)})`}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {words.length + meanings.length + associations.length + neighbours.length + topics.length === 0 && (
        <p>It only meets what was demanded; nothing else speaks for it.</p>
      )}
    </>
  );
}

/** What a hit is there for. */
export function WhyPanel(props: {
  title: string;
  taken: number;
  ask: () => Promise<Hit | undefined>;
  open: () => void;
  close: () => void;
}) {
  const answer = useAnswer(() => props.ask(), [props.taken]);
  const hit = answer.value;
  return (
    <Panel title="Why is this here" close={props.close} taken={props.taken}
      backTo={`[data-index="${props.taken}"] [data-focus]`}>
      <p><button type="button" class="link" onClick={props.open}>{props.title}</button></p>
      {answer.loading && <Loading what="the reasons" />}
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {hit && !answer.loading && (
        <>
          <p>
            {`Score ${number(hit.score)}`}
            {hit.own !== undefined && hit.borrowed !== undefined
              ? `: ${number(hit.own)} by its own words, ${number(hit.borrowed)} borrowed` : ''}
            {hit.meant !== undefined ? `, ${number(hit.meant)} by what it means.` : '.'}
          </p>
          {hit.why && <Reasons why={hit.why} />}
        </>
      )}
    </Panel>
  );
}

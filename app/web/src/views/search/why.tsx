import type { Hit, Why } from '../../api/types';
import { useAnswer } from '../../components/hooks';
import { Panel } from '../../components/panel';
import { Failure, Loading } from '../../components/view';
import { ItemCard } from '../../components/item_card';
import { listed } from '../../format';
import { t, tn } from '../../words/say';

function Reasons({ why }: { why: Why }) {
  const { words = [], meanings = [], seen = [], associations = [], neighbours = [], topics = [] } = why;
  return (
    <>
      {words.length > 0 && (
        <section>
          <h3>{t('Its own words')}</h3>
          <ul>
            {words.map((each) => {
              const where = each.in_tags && each.in_text ? t('in its tags and text') : each.in_tags ? t('in its tags') : each.in_text ? t('in its text') : '';
              return <li key={each.word}><mark dir="auto">{each.word}</mark> {where}</li>;
            })}
          </ul>
        </section>
      )}
      {meanings.length > 0 && (
        <section>
          <h3>{t('What it means')}</h3>
          <ul>
            {seen.length > 0 && <li>{t('seen in the picture:')} <strong>{listed(seen)}</strong></li>}
            {meanings.map((each) => (
              <li key={each.by}>
                {each.by === 'texts' ? t('its text means much the same') : t('its picture fits the words')}
              </li>
            ))}
          </ul>
        </section>
      )}
      {associations.length > 0 && (
        <section>
          <h3>{t('Tags that go with what was asked')}</h3>
          <ul>
            {associations.map((each, index) => (
              <li key={index}>
                <strong dir="auto">{each.from}</strong> {t('goes with “{asked}” in {collection}', { asked: each.asked, collection: each.collection })}
                {each.together !== undefined ? `, ${tn('{n} time together', '{n} times together', each.together)}` : ''}
              </li>
            ))}
          </ul>
        </section>
      )}
      {neighbours.length > 0 && (
        <section>
          <h3>{t('Items that it is like')}</h3>
          <ul class="strip small-strip">
            {neighbours.slice(0, 3).map((each) => (
              <li key={`${each.collection}/${each.id}`}>
                <ItemCard collection={each.collection} id={each.id}>{each.asked?.length ? <span class="quiet">{t('has {tags}', { tags: listed(each.asked) })}</span> : null}</ItemCard>
              </li>
            ))}
          </ul>
        </section>
      )}
      {topics.length > 0 && (
        <section>
          <h3>{t('Topics')}</h3>
          <ul>
            {topics.map((each) => (
              <li key={each.topic}>
                <span dir="auto">{(each.terms?.length ? each.terms.slice(0, 6) : [each.topic]).join(', ')}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {words.length + meanings.length + associations.length + neighbours.length + topics.length === 0 && (
        <p>{t('It only meets what was demanded; nothing else speaks for it.')}</p>
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
    <Panel title={t('Why this?')} close={props.close} taken={props.taken}
      backTo={`[data-index="${props.taken}"] [data-focus]`}>
      <p><button type="button" class="link" onClick={props.open}>{props.title}</button></p>
      {answer.loading && <Loading what={t('the reasons')} />}
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {hit && !answer.loading && (
        hit.why && <Reasons why={hit.why} />
      )}
    </Panel>
  );
}

import { Fragment } from 'preact';
import * as api from '../../api/api';
import type { Topic } from '../../api/types';
import { useAnswer } from '../../components/hooks';
import { ItemCard } from '../../components/item_card';
import { Failure, Loading } from '../../components/view';
import { listed, percent } from '../../format';
import { modelsOf } from '../../state/library';
import { address, changed, replaceAddress, route } from '../../state/route';
import { t } from '../../words/say';

const MOST = 12;

function TopicCard(props: { topic: Topic; target: string }) {
  const { topic } = props;
  return (
    <li class="card topic">
      <p>
        {topic.terms.map((term, index) => (
          <Fragment key={term}>{index > 0 ? ', ' : ''}<a href={address('search', [], { q: term })}>{term}</a></Fragment>
        ))}
      </p>
      <ul class="strip">
        {topic.examples.map((each) => (
          <li key={`${each.collection}/${each.id}`}>
            <ItemCard collection={each.collection} id={each.id} />
          </li>
        ))}
      </ul>
      <p class="quiet">
        {`In ${listed(topic.collections)}${topic.share > 0 ? `; ${percent(topic.share)} of what ${props.target} is about` : ''}.`}
      </p>
    </li>
  );
}

/** What the collections are about, as the search models found it: somewhere to begin without a question. */
export function Topics() {
  const open = route.value.query.get('topics') === '1';
  const answer = useAnswer((signal) => (open ? api.topics(undefined, MOST, signal) : undefined), [open]);
  const learned = modelsOf('search');
  if (learned.length === 0) return null;
  return (
    <details class="topics" open={open}
      onToggle={(event) => replaceAddress(changed({ topics: event.currentTarget.open }))}>
      <summary>{t('Topics')}</summary>
      {open && answer.loading && <Loading what={t('the topics')} />}
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {answer.value?.models.map((each) => (
        <section key={each.model} aria-label={`Topics of ${each.model}`}>
          <h2>{each.model}</h2>
          <ul class="plain topic-list">{each.topics.map((topic) => (
            <TopicCard key={topic.topic} topic={topic} target={learned.find((model) => model.name === each.model)?.collection ?? 'it'} />
          ))}</ul>
        </section>
      ))}
    </details>
  );
}

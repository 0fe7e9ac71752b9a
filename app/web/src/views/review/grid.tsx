import { useState } from 'preact/hooks';
import * as api from '../../api/api';
import { GuessGrid, guessKey } from '../../components/guess_grid';
import { useAnswer } from '../../components/hooks';
import { Failure, Loading } from '../../components/view';
import { count } from '../../format';
import { report } from '../../state/alerts';
import { changed } from '../../state/route';
import { showChange } from '../../state/toast';
import { t, tn } from '../../words/say';

const MANY = 40;

interface Props {
  collection: string;
  model?: string;
  tag: string;
  order: string;
  /** Something was stored. */
  answered: () => void;
}

/** Many items of one suggested tag: the wrong ones are clicked, the others are accepted together. */
export function ReviewGrid(props: Props) {
  const { collection, model, tag, order } = props;
  const [round, setRound] = useState(0);
  const answer = useAnswer(
    () => api.review({ collection, model, tag, order, offset: 0, limit: MANY }), [collection, model, tag, order, round]);
  const [sending, setSending] = useState(false);
  const entries = answer.loading ? [] : answer.value?.entries ?? [];
  const again = () => { setRound((before) => before + 1); props.answered(); };
  const accept = (wrong: Set<string>) => {
    setSending(true);
    const decisions = entries.map((each) => ({ item: each.id, tag: each.tag, verdict: wrong.has(guessKey(each)) ? 'rejected' as const : 'accepted' as const }));
    const no = wrong.size;
    const yes = entries.length - no;
    api.decide(collection, decisions).then((stored) => {
      setSending(false);
      again();
      showChange(no > 0 ? t('“{tag}”: {yes} accepted, {no} rejected.', { tag, yes, no }) : tn('“{tag}”: {n} accepted.', '“{tag}”: {n} accepted.', yes, { tag }),
        stored, again);
    }, (error: unknown) => {
      setSending(false);
      report(error, () => accept(wrong));
    });
  };

  if (answer.error !== undefined) return <Failure error={answer.error} again={answer.again} />;
  if (answer.loading && !answer.value) return <Loading what={t('the questions')} />;
  if (!answer.loading && entries.length === 0) {
    return <p>{t('There is nothing left to ask about {tag}.', { tag })} <a href={changed({ tag: undefined, many: undefined })}>{t('All tags')}</a></p>;
  }
  const right = entries.reduce((sum, each) => sum + each.confidence, 0);
  return (
    <GuessGrid label={t('Is this {tag}?', { tag })} collection={collection} guesses={entries} round={`${round}/${tag}`} busy={sending} done={accept}
      action={(wrong) => (wrong > 0 ? t('Accept {yes}, reject {no}', { yes: entries.length - wrong, no: wrong }) : tn('Accept {n}', 'Accept all {n}', entries.length))}
      head={(
        <>
          <h2>{t('Which of these are not')} <em dir="auto">{tag}</em>?</h2>
          <p class="quiet" role="status">
            {tn('{n} of {left}; about {right} are expected to be right.', '{n} of {left}; about {right} are expected to be right.',
              entries.length, { left: count(answer.value?.left ?? 0), right: Math.round(right) })}
          </p>
        </>
      )} />
  );
}

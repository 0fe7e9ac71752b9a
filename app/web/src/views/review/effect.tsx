import { useState } from 'preact/hooks';
import * as api from '../../api/api';
import { Reliability } from '../../components/chart';
import { useAnswer, useDelayed } from '../../components/hooks';
import { Failure, Loading } from '../../components/view';
import { count, percent } from '../../format';
import { isMissing, messageOf } from '../../state/alerts';
import { storedCount } from '../../state/decisions';
import { t } from '../../words/say';
import { MeasuredOverTime } from './measured';

/** Whether the machine is as right as it says. */
export function ReviewEffectPanel(props: { collection: string; model?: string; }) {
  const stored = useDelayed(storedCount.value, 300);
  const [open, setOpen] = useState(() => innerWidth > 700);
  const answer = useAnswer(
    () => (open ? api.reviewEffect(props.collection, props.model) : undefined), [props.collection, props.model, stored, open]);
  const effect = answer.value;
  const held = effect?.held_out;
  return (
    <section class="card">
      <h2>{t('What the decisions say')}</h2>
      {answer.loading && !effect && <Loading what={t('what the decisions say')} />}
      {answer.error !== undefined && (isMissing(answer.error)
        ? <p>{messageOf(answer.error)}</p> : <Failure error={answer.error} again={answer.again} />)}
      {!open && <button type="button" onClick={() => setOpen(true)}>{t('Show it')}</button>}
      {effect && (
        <>
          <p>{t('{yes} suggestions were accepted, {no} rejected.', { yes: effect.decided.accepted, no: effect.decided.rejected })}
            {typeof effect.expected === 'number' && typeof effect.right === 'number'
              ? ` ${t('{expected} were expected to be right, {right} were.', { expected: percent(effect.expected), right: percent(effect.right) })}` : ''}</p>
          {effect.by_tag.length > 0 && (
            <details>
              <summary>{t('By tag')}</summary>
              <table>
                <thead><tr><th scope="col">{t('Tag')}</th><th scope="col">{t('Yes')}</th><th scope="col">{t('No')}</th></tr></thead>
                <tbody>
                  {effect.by_tag.slice(0, 50).map((each) => (
                    <tr key={each.tag}><td>{each.tag}</td><td class="figure">{count(each.accepted)}</td><td class="figure">{count(each.rejected)}</td></tr>
                  ))}
                </tbody>
              </table>
            </details>
          )}
          {held && (
            <details>
              <summary>{t('On items held out')}</summary>
              <p>
                {t('Of {n} items held out when it was learned, the first suggestion was right for {first}, and {five} of the first five. Its confidence is off by {off} on average.', { n: held.items, first: percent(held['precision@1']), five: percent(held['precision@5']), off: percent(held.calibration_error, 1) })}
              </p>
              {held.reliability.length > 0 && <Reliability bins={held.reliability} />}
            </details>
          )}
          <MeasuredOverTime collection={props.collection} done={answer.again} />
        </>
      )}
    </section>
  );
}

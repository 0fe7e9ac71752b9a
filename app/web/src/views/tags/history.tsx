import { useAnswer } from '../../components/hooks';
import { Failure } from '../../components/view';
import { time } from '../../format';
import { readOnly } from '../../state/library';
import { vocabularyHistory } from '../../api/vocabulary';
import { changeCount } from '../../state/toast';
import { t } from '../../words/say';
import { doAgain, said, takeBack } from './steps';

const MOST = 100;

/** What was done to tags, newest first; any of it can be taken back, also after what came later. */
export function TagHistory() {
  const answer = useAnswer((signal) => vocabularyHistory(MOST, signal), [changeCount.value]);
  const steps = answer.value?.changes ?? [];
  return (
    <details class="tag-history">
      <summary>{t('What was changed')}</summary>
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {answer.value && steps.length === 0 && <p class="quiet">{t('Nothing yet.')}</p>}
      <ol class="plain">
        {steps.map((each) => (
          <li key={each.change}>
            <span class={each.undone ? 'undone' : ''} dir="auto">{said(each)}</span>{' '}
            <span class="quiet">{[time(each.time), each.who].filter((one) => one).join(' · ')}</span>{' '}
            {!readOnly.value && (each.undone
              ? <button type="button" class="small" onClick={() => void doAgain(each)}>{t('Do it again')}</button>
              : <button type="button" class="small" onClick={() => void takeBack([each])}>{t('Take back')}</button>)}
          </li>
        ))}
      </ol>
    </details>
  );
}

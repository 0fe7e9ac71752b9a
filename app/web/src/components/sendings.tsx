import { count, seconds } from '../format';
import { giveUp, pause, resume, sendings, type Sending } from '../state/uploads';
import { t } from '../words/say';

function left(sending: Sending): string {
  const took = (performance.now() - sending.began) / 1000;
  const came = sending.sent - sending.from;
  if (sending.state !== 'sending' || took < 1 || came <= 0) return '';
  return t('about {time} left', { time: seconds(((sending.bytes - sending.sent) / came) * took) });
}

function Line({ sending }: { sending: Sending }) {
  const { number, state } = sending;
  const title = t('Sending to {collection}', { collection: sending.collection });
  const said = state === 'paused' ? t('paused') : state === 'waiting' ? t('waits for the server') : left(sending);
  return (
    <div class="sending">
      <strong dir="auto">{title}</strong>
      <progress aria-label={title} value={sending.bytes > 0 ? sending.sent / sending.bytes : 1} max={1} />
      <span class="quiet">{[t('{done} of {total} files', { done: count(sending.done), total: count(sending.files.length) }), said].filter((each) => each).join(', ')}</span>
      <span class="buttons">
        {state === 'paused'
          ? <button type="button" class="small" onClick={() => resume(number)}>{t('Go on')}</button>
          : <button type="button" class="small" onClick={() => pause(number)}>{t('Pause')}</button>}
        <button type="button" class="small" onClick={() => giveUp(number)}>{t('Give up')}</button>
      </span>
    </div>
  );
}

/** What is on its way into the library, on every view. */
export function Sendings() {
  if (sendings.value.length === 0) return null;
  return <section class="sendings" aria-label={t('Sending files')}>{sendings.value.map((each) => <Line key={each.number} sending={each} />)}</section>;
}

import { useEffect, useRef, useState } from 'preact/hooks';
import { giveToken, tokenWanted, tokenWrong, unreachable } from '../api/http';
import { alerts, announcement, dismiss, type Alert } from '../state/alerts';
import { discardFirst, send, sendingError, unsent } from '../state/decisions';
import { percent } from '../format';
import { jobs } from '../state/job_list';
import { jobTitle } from '../state/jobs';
import { address } from '../state/route';
import { loadLibrary } from '../state/library';
import { upkeep, upkeepWork } from '../state/upkeep';
import { t, tn } from '../words/say';
import { Said } from './view';

/** So long a message stays, unless somebody is reading it. */
const STAYS = 30_000;

function AlertLine({ alert }: { alert: Alert }) {
  const held = useRef(false);
  useEffect(() => {
    const timer = setInterval(() => { if (!held.current) dismiss(alert.number); }, STAYS);
    return () => clearInterval(timer);
  }, [alert.number]);
  const hold = (on: boolean) => () => { held.current = on; };
  return (
    <div class="alert" onMouseEnter={hold(true)} onMouseLeave={hold(false)} onFocusIn={hold(true)} onFocusOut={hold(false)}>
      <div class="alert-text"><Said saying={alert} /></div>
      {alert.retry && (
        <button type="button" onClick={() => { dismiss(alert.number); alert.retry?.(); }}>{t('Try again')}</button>
      )}
      <button type="button" onClick={() => dismiss(alert.number)} aria-label={t('Close this message')}>{t('Close')}</button>
    </div>
  );
}

/** The region at the top that says what went wrong. */
export function Alerts() {
  const waiting = unsent.value.length;
  return (
    <div class="alerts">
      <div role="alert">
        {alerts.value.map((each) => <AlertLine key={each.number} alert={each} />)}
        {sendingError.value && waiting > 0 && (
          <div class="alert">
            <p>{tn('{n} decision could not be stored yet.', '{n} decisions could not be stored yet.', waiting)} {sendingError.value}</p>
            <button type="button" onClick={() => void send()}>{t('Send again')}</button>
            <button type="button" onClick={discardFirst}>{t('Give up the first of them')}</button>
          </div>
        )}
        {unreachable.value && alerts.value.length === 0 && !sendingError.value && (
          <div class="alert">
            <p>{t('The server does not answer. What is shown may be out of date.')}</p>
            <button type="button" onClick={() => void loadLibrary()}>{t('Try again')}</button>
          </div>
        )}
      </div>
      <div class="unseen" aria-live="polite">{announcement.value}</div>
    </div>
  );
}

/** What is being worked on, wherever one is; it leads to what is ready and what comes next. */
export function RunningJob() {
  const job = jobs.value.find((each) => each.state === 'running');
  const work = upkeep.value?.working ? upkeepWork(upkeep.value) : undefined;
  if (!job && !work) return null;
  const [title, share] = job ? [jobTitle(job), job.total ? (job.done ?? 0) / job.total : undefined] : [work!.title, work!.share];
  return <a class="running" href={address('library')}><span class="running-title">{title}</span>{share === undefined ? '' : <span>{`, ${percent(Math.min(1, share))}`}</span>}</a>;
}

export function TokenDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const wanted = tokenWanted.value;
  useEffect(() => {
    if (wanted && !dialog.current?.open) dialog.current?.showModal();
  }, [wanted]);
  if (!wanted) return null;
  const give = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    dialog.current?.close();
    giveToken(text.trim());
    setText('');
  };
  return (
    <dialog ref={dialog} aria-labelledby="token-title" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={give}>
        <h2 id="token-title">{t('This library asks for a token')}</h2>
        {tokenWrong.value && <p class="failed" role="alert">{t('This token is wrong.')}</p>}
        <p>{t('It is the one that the server was started with. It is kept until this tab is closed.')}</p>
        <label class="field">
          <span class="field-label">{t('Token')}</span>
          <input type="password" autocomplete="off" value={text}
            onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <div class="buttons"><button type="submit" class="primary">{t('Go on')}</button></div>
      </form>
    </dialog>
  );
}

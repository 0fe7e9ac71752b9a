import { useEffect, useRef, useState } from 'preact/hooks';
import { giveToken, tokenWanted, unreachable } from '../api/http';
import { alerts, announcement, dismiss } from '../state/alerts';
import { discardFirst, send, sendingError, unsent } from '../state/decisions';
import { counted, percent } from '../format';
import { jobs } from '../state/job_list';
import { jobTitle } from '../state/jobs';
import { address } from '../state/route';
import { loadLibrary } from '../state/library';

/** The region at the top that says what went wrong. */
export function Alerts() {
  const waiting = unsent.value.length;
  return (
    <div class="alerts">
      <div role="alert">
        {alerts.value.map((each) => (
          <div key={each.number} class="alert">
            <p>{each.text}</p>
            {each.retry && (
              <button type="button" onClick={() => { dismiss(each.number); each.retry?.(); }}>Try again</button>
            )}
            <button type="button" onClick={() => dismiss(each.number)} aria-label="Dismiss this message">
              Dismiss
            </button>
          </div>
        ))}
        {sendingError.value && waiting > 0 && (
          <div class="alert">
            <p>{`${counted(waiting, 'decision')} could not be stored yet. ${sendingError.value}`}</p>
            <button type="button" onClick={() => void send()}>Send again</button>
            <button type="button" onClick={discardFirst}>Give up the first of them</button>
          </div>
        )}
        {unreachable.value && alerts.value.length === 0 && !sendingError.value && (
          <div class="alert">
            <p>The server does not answer. What is shown may be out of date.</p>
            <button type="button" onClick={() => void loadLibrary()}>Try again</button>
          </div>
        )}
      </div>
      <div class="unseen" aria-live="polite">{announcement.value}</div>
    </div>
  );
}

/** What is being worked on, wherever one is; it leads to the jobs. */
export function RunningJob() {
  const job = jobs.value.find((each) => each.state === 'running');
  if (!job) return null;
  const share = job.total ? `, ${percent(Math.min(1, (job.done ?? 0) / job.total))}` : '';
  return <a class="running" href={address('library')}>{`${jobTitle(job)}${share}`}</a>;
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
        <h2 id="token-title">This library asks for a token</h2>
        <p>It is the one that the server was started with. It is kept until this tab is closed.</p>
        <label class="field">
          <span class="field-label">Token</span>
          <input type="password" autocomplete="off" value={text}
            onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <div class="buttons"><button type="submit" class="primary">Go on</button></div>
      </form>
    </dialog>
  );
}

import { useRef } from 'preact/hooks';
import { count, percent, seconds } from '../format';
import { BEGIN, forwarded } from '../state/forward';
import { isOver, jobTitle } from '../state/jobs';
import type { Job } from '../api/types';
import { sayingOfJob } from '../words/problems';
import { t } from '../words/say';
import { Said } from './view';

const STATES: Record<Job['state'], () => string> = {
  waiting: () => t('waits for its turn'),
  running: () => t('is running'),
  done: () => t('is done'),
  failed: () => t('failed'),
  cancelled: () => t('was stopped'),
};

/** About how long the stage takes still; nothing before that can be told. */
function left(job: Job): string {
  const share = job.total ? (job.done ?? 0) / job.total : 0;
  if (share < 0.02 || !job.seconds || job.seconds < 2) return '';
  return t('about {time} left', { time: seconds((job.seconds * (1 - share)) / share) });
}

export function JobProgress(props: { job: Job; cancel?: (job: Job) => void }) {
  const { job } = props;
  const forward = useRef({ id: job.id, at: BEGIN });
  if (forward.current.id !== job.id) forward.current = { id: job.id, at: BEGIN };
  const share = job.total ? Math.min(1, (job.done ?? 0) / job.total) : undefined;
  if (share !== undefined) forward.current.at = forwarded(forward.current.at, job.stage ?? 'work', share);
  const title = jobTitle(job);
  return (
    <div class={`job job-${job.state}`}>
      <div class="job-line">
        <strong>{title}</strong>
        <span class="quiet">
          {STATES[job.state]()}
          {job.state === 'running' && job.stage ? `: ${job.stage}` : ''}
          {job.seconds !== undefined ? `, ${seconds(job.seconds)}` : ''}
        </span>
        {props.cancel && !isOver(job) && (
          <button type="button" class="small" onClick={() => props.cancel?.(job)}
            aria-label={t('Stop: {what}', { what: title })}>{t('Stop')}</button>
        )}
      </div>
      {!isOver(job) && (
        <progress aria-label={title} value={job.state === 'waiting' ? 0 : forward.current.at.share || undefined} max={1} />
      )}
      {job.state === 'running' && job.total ? (
        <span class="quiet">{[t('{done} of {total} {unit}', { done: count(job.done ?? 0), total: count(job.total), unit: job.unit ?? '' }).trim(), left(job)].filter((each) => each).join(', ')}</span>
      ) : null}
      {job.state === 'failed' && <div class="failed"><Said saying={sayingOfJob(title, job.error)} /></div>}
    </div>
  );
}

/** A share as a bar with its figure beside it. */
export function Confidence(props: { share: number; label: string }) {
  const text = percent(props.share);
  return (
    <span class="confidence" role="img" aria-label={`${props.label} ${text}`}>
      <span class="confidence-bar"><span style={{ width: `${100 * Math.max(0, Math.min(1, props.share))}%` }} /></span>
      <span class="figure">{text}</span>
    </span>
  );
}

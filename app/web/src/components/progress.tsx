import { count, percent, seconds } from '../format';
import { isOver, jobTitle } from '../state/jobs';
import type { Job } from '../api/types';

const STATES: Record<Job['state'], string> = {
  waiting: 'waits for its turn',
  running: 'is running',
  done: 'is done',
  failed: 'failed',
  cancelled: 'was cancelled',
};

export function JobProgress(props: { job: Job; cancel?: (job: Job) => void }) {
  const { job } = props;
  const share = job.total ? Math.min(1, (job.done ?? 0) / job.total) : undefined;
  const title = jobTitle(job);
  return (
    <div class={`job job-${job.state}`}>
      <div class="job-line">
        <strong>{title}</strong>
        <span class="quiet">
          {STATES[job.state]}
          {job.state === 'running' && job.stage ? `: ${job.stage}` : ''}
          {job.seconds !== undefined ? `, ${seconds(job.seconds)}` : ''}
        </span>
        {props.cancel && !isOver(job) && (
          <button type="button" class="small" onClick={() => props.cancel?.(job)}
            aria-label={`Cancel: ${title}`}>Cancel</button>
        )}
      </div>
      {!isOver(job) && (
        <progress aria-label={title} value={job.state === 'waiting' ? 0 : share} max={1} />
      )}
      {job.state === 'running' && job.total ? (
        <span class="quiet">{`${count(job.done ?? 0)} of ${count(job.total)} ${job.unit ?? ''}`}</span>
      ) : null}
      {job.state === 'failed' && job.error && <p class="failed">{job.error}</p>}
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

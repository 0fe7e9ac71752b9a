import * as api from '../api/api';
import type { Job } from '../api/types';
import { t } from '../words/say';

export function isOver(job: Job): boolean {
  return job.state === 'done' || job.state === 'failed' || job.state === 'cancelled';
}

/**
 * Tells of a job at each change until it is over; returns what stops the telling. Where the stream of
 * events breaks, the job is asked for again and again.
 */
export function watch(id: number, changed: (job: Job) => void): () => void {
  let stopped = false;
  let timer = 0;
  const events = new EventSource(api.jobEventsAddress(id));
  const take = (event: Event) => {
    if (stopped) return;
    const job = JSON.parse((event as MessageEvent<string>).data) as Job;
    if (isOver(job)) stop();
    changed(job);
  };
  const poll = async () => {
    if (stopped) return;
    try {
      const job = await api.job(id);
      if (stopped) return;
      if (isOver(job)) stop();
      changed(job);
    } catch {
      // The page says elsewhere that the server does not answer; this goes on asking.
    }
    if (!stopped) timer = window.setTimeout(() => void poll(), 1500);
  };
  events.addEventListener('progress', take);
  events.addEventListener('end', take);
  events.onerror = () => {
    events.close();
    if (!stopped) timer = window.setTimeout(() => void poll(), 300);
  };
  const stop = () => {
    stopped = true;
    events.close();
    clearTimeout(timer);
  };
  return stop;
}

/** The job's end as a promise; `changed` hears of the way there. */
export function finish(start: Job, changed: (job: Job) => void): Promise<Job> {
  changed(start);
  if (isOver(start)) return Promise.resolve(start);
  return new Promise((resolve) => {
    watch(start.id, (job) => {
      changed(job);
      if (isOver(job)) resolve(job);
    });
  });
}

/** What is done, to `about`. */
function named(task: string, about: string): string {
  switch (task) {
    case 'add': return t('Adding {about}', { about });
    case 'features': return t('Looking at {about}', { about });
    case 'learn-search': return t('Learning search for {about}', { about });
    case 'learn-suggest': return t('Learning to suggest for {about}', { about });
    case 'learn-detect': return t('Learning to detect in {about}', { about });
    case 'learn-relate': return t('Learning what belongs together');
    case 'apply': return t('Tagging {about}', { about });
    case 'duplicates': return t('Looking for duplicates');
    case 'bridges': return t('Ranking bridges to {about}', { about });
    case 'distances': return t('Measuring distances');
    case 'transfer': return t('Transferring labels to {about}', { about });
    case 'evaluate-search': return t('Measuring search in {about}', { about });
    case 'evaluate-suggest': return t('Measuring suggestions for {about}', { about });
    case 'evaluate-detect': return t('Measuring detection in {about}', { about });
    case 'evaluate-relate': return t('Measuring relations');
    default: return `${task} ${about}`.trim();
  }
}

export function jobTitle(job: Job): string {
  return named(job.task, (job.about ?? '').replace(/[[\]"]/g, '').replace(/,/g, ', '));
}

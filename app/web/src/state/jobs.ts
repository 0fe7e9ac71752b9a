import * as api from '../api/api';
import type { Job } from '../api/types';

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

const NAMES: Record<string, string> = {
  add: 'Adding',
  features: 'Making features of',
  'learn-search': 'Learning search for',
  'learn-suggest': 'Learning to suggest for',
  'learn-detect': 'Learning to detect in',
  'learn-relate': 'Learning to relate',
  apply: 'Writing machine tags to',
  bridges: 'Ranking bridges to',
  distances: 'Measuring distances',
  transfer: 'Transferring labels to',
  'evaluate-search': 'Measuring search in',
  'evaluate-suggest': 'Measuring suggestions for',
  'evaluate-detect': 'Measuring detection in',
  'evaluate-relate': 'Measuring relations',
};

export function jobTitle(job: Job): string {
  const about = (job.about ?? '').replace(/[[\]"]/g, '').replace(/,/g, ', ');
  return `${NAMES[job.task] ?? job.task}${about ? ` ${about}` : ''}`;
}

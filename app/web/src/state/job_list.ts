import { signal } from '@preact/signals';
import * as api from '../api/api';
import type { Job } from '../api/types';
import { sayingOfJob } from '../words/problems';
import { t } from '../words/say';
import { alertOf, announce, report } from './alerts';
import { isOver, jobTitle, watch } from './jobs';
import { loadLibrary } from './library';
import { tell } from './toast';

export const jobs = signal<Job[]>([]);

const watched = new Map<number, () => void>();

function take(job: Job): void {
  const others = jobs.value.filter((each) => each.id !== job.id);
  jobs.value = [job, ...others].sort((a, b) => b.id - a.id);
  if (!isOver(job)) return;
  watched.delete(job.id);
  const title = jobTitle(job);
  if (job.state === 'failed') alertOf(sayingOfJob(title, job.error));
  else if (job.state === 'done') tell(t('{what}: done.', { what: title }));
  else announce(t('{what}: stopped.', { what: title }));
  void loadLibrary();
  follow();
}

/** One stream at a time: only one job runs, and a browser has few connections to a server. */
function follow(): void {
  if (watched.size > 0) return;
  const active = jobs.value.filter((each) => !isOver(each));
  const next = active.find((each) => each.state === 'running') ?? active[active.length - 1];
  if (next) watched.set(next.id, watch(next.id, take));
}

export async function loadJobs(): Promise<void> {
  try {
    jobs.value = (await api.jobs()).jobs;
    follow();
  } catch (error) {
    report(error, () => void loadJobs());
  }
}

export async function start(request: api.JobRequest): Promise<Job | undefined> {
  try {
    const job = await api.startJob(request);
    jobs.value = [job, ...jobs.value.filter((each) => each.id !== job.id)];
    announce(`${jobTitle(job)}: started.`);
    follow();
    return job;
  } catch (error) {
    report(error);
    return undefined;
  }
}

export async function cancel(job: Job): Promise<void> {
  try {
    take(await api.cancelJob(job.id));
  } catch (error) {
    report(error);
  }
}

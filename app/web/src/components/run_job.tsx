import { useState } from 'preact/hooks';
import * as api from '../api/api';
import type { Job } from '../api/types';
import { report } from '../state/alerts';
import { jobs, start } from '../state/job_list';
import { isOver } from '../state/jobs';
import { JobProgress } from './progress';

/** A button that has something done, and how far it is. */
export function RunJob(props: { request: api.JobRequest; title: string; primary?: boolean; done?: () => void }) {
  const [id, setId] = useState<number>();
  const [told, setTold] = useState(false);
  const mine: Job | undefined = jobs.value.find((each) => each.id === id)
    ?? jobs.value.find((each) => !isOver(each) && each.task === props.request.task && (each.about ?? '') === (props.request['collection'] ?? ''));
  if (mine && isOver(mine) && mine.state === 'done' && !told) {
    setTold(true);
    props.done?.();
  }
  const run = () => {
    setTold(false);
    void start(props.request).then((job) => setId(job?.id));
  };
  if (mine && !isOver(mine)) {
    return <div role="status"><JobProgress job={mine} cancel={(job) => void api.cancelJob(job.id).catch(report)} /></div>;
  }
  return <button type="button" class={props.primary ? 'primary' : ''} onClick={run}>{props.title}</button>;
}

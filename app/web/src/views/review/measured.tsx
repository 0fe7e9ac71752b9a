import { useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { Evaluation, Job } from '../../api/types';
import { useAnswer } from '../../components/hooks';
import { JobProgress } from '../../components/progress';
import { percent, time } from '../../format';
import { report } from '../../state/alerts';
import { finish, isOver } from '../../state/jobs';
import { readOnly } from '../../state/library';
import { t } from '../../words/say';

interface Measured { 'precision@1'?: number; 'precision@5'?: number; calibration_error?: number }

/** What was measured of our own method, the first of those that were compared. */
function measuresOf(evaluation: Evaluation): Measured | undefined {
  return (evaluation.result as { methods?: Measured[] } | null)?.methods?.[0];
}

const share = (value?: number) => (value === undefined ? '' : percent(value, 1));

/** What decisions change on items held out: each measuring learns without them and asks for their tags. */
export function MeasuredOverTime({ collection, done }: { collection: string; done: () => void }) {
  const answer = useAnswer(() => api.evaluations(), [collection]);
  const [job, setJob] = useState<Job>();
  const all = (answer.value?.evaluations ?? [])
    .filter((each) => each.verb === 'suggest' && each.collection === collection && measuresOf(each))
    .sort((a, b) => (a.created ?? '').localeCompare(b.created ?? ''));
  const measure = async () => {
    try {
      await finish(await api.startJob({ task: 'evaluate-suggest', collection, methods: 'combined' }), setJob);
      answer.again();
      done();
    } catch (error) {
      report(error, () => void measure());
    }
  };
  return (
    <>
      {all.length > 0 && (
        <table>
          <caption>{t('Measured on items held out')}</caption>
          <thead>
            <tr><th scope="col">{t('When')}</th><th scope="col">{t('First is right')}</th><th scope="col">{t('Of five')}</th><th scope="col">{t('Confidence off by')}</th></tr>
          </thead>
          <tbody>
            {all.slice(-10).map((each) => (
              <tr key={each.id}>
                <th scope="row">{each.created ? time(each.created) : each.id}</th>
                <td class="figure">{share(measuresOf(each)?.['precision@1'])}</td>
                <td class="figure">{share(measuresOf(each)?.['precision@5'])}</td>
                <td class="figure">{share(measuresOf(each)?.calibration_error)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {job && !isOver(job) && <JobProgress job={job} />}
      {job?.state === 'failed' && <p class="failed">{job.error}</p>}
      {!readOnly.value && (
        <button type="button" class="small" disabled={job !== undefined && !isOver(job)} onClick={() => void measure()}>
          {t('Measure on items held out')}
        </button>
      )}
    </>
  );
}

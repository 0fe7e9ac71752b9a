import { useEffect } from 'preact/hooks';
import { JobResult } from '../../components/job_result';
import { JobProgress } from '../../components/progress';
import { Ready } from '../../components/ready';
import { View } from '../../components/view';
import { count, time } from '../../format';
import { cancel, jobs, loadJobs } from '../../state/job_list';
import { isOver } from '../../state/jobs';
import { collections, links, models, readOnly } from '../../state/library';
import { address, route } from '../../state/route';
import { watchUpkeep } from '../../state/upkeep';
import { t, tn } from '../../words/say';
import { AddForm } from './add';
import { LearnForms } from './learn';

export function JobList() {
  useEffect(() => void loadJobs(), []);
  const open = jobs.value.filter((each) => !isOver(each));
  const past = jobs.value.filter(isOver);
  if (open.length + past.length === 0) return null;
  return (
    <section class="card" aria-label={t('Work')}>
      <h2>{t('Work')}</h2>
      {open.map((each) => <JobProgress key={each.id} job={each} cancel={readOnly.value ? undefined : (job) => void cancel(job)} />)}
      {past.length > 0 && (
        <details open={past[0]?.state === 'failed'}>
          <summary>{tn('{n} before', '{n} before', past.length)}</summary>
          {past.slice(0, 20).map((each) => (
            <div key={each.id}><JobProgress job={each} /><JobResult result={each.result} /></div>
          ))}
        </details>
      )}
    </section>
  );
}

/** Of each what one may want to know of it; tables are for those who ask. */
function Collections() {
  return (
    <section class="card">
      <h2>{t('Collections')}</h2>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t('Collections')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('Name')}</th><th scope="col">{t('Items')}</th><th scope="col">{t('Has')}</th>
              <th scope="col">{t('Where it is from')}</th><th scope="col">{t('Changed')}</th>
            </tr>
          </thead>
          <tbody>
            {collections.value.map((each) => (
              <tr key={each.name}>
                <th scope="row" dir="auto"><a href={address('search', [], { collection: [each.name] })}>{each.name}</a></th>
                <td class="figure">{count(each.items)}</td>
                <td>{[each.pictures ? t('pictures') : '', each.places ? t('places') : '', (each.label_fields ?? []).length > 0 ? t('labels') : ''].filter((has) => has).join(', ')}</td>
                <td class="source" dir="auto">{each.source}</td>
                <td>{time(each.changed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {links.value.length > 0 && (
        <p class="quiet">{links.value.map((each) => tn('{from} leads to {to} {n} time', '{from} leads to {to} {n} times', each.links, { from: each.from, to: each.to })).join(', ')}.</p>
      )}
    </section>
  );
}

function Models() {
  return (
    <section class="card">
      <h2>{t('Models')}</h2>
      {models.value.length === 0 ? <p class="quiet">{t('Nothing is learned yet.')}</p> : (
        <ul class="plain">
          {models.value.map((each) => (
            <li key={each.name}>
              <strong>{each.name}</strong>
              <span class="quiet">{` ${each.kind}${each.collection ? ` · ${each.collection}` : ''}${each.created ? ` · ${time(each.created)}` : ''}`}</span>
            </li>
          ))}
        </ul>
      )}
      <p><a href={address('quality')}>{t('How good they are')}</a></p>
    </section>
  );
}

/** What the library has, what is ready of it, and what comes next. */
export function LibraryView() {
  useEffect(watchUpkeep, []);
  const wanted = route.value.query.get('learn');
  return (
    <View title={t('Library')}>
      {!readOnly.value && <AddForm />}
      <div class="card"><h2>{t('What is ready')}</h2><Ready /></div>
      <JobList />
      <Collections />
      <details class="advanced" open={wanted !== null}>
        <summary><h2 class="in-line">{t('Advanced')}</h2></summary>
        <Models />
        {!readOnly.value && <LearnForms />}
      </details>
    </View>
  );
}

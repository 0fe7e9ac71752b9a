import { useEffect } from 'preact/hooks';
import { JobResult } from '../../components/job_result';
import { JobProgress } from '../../components/progress';
import { View } from '../../components/view';
import { count, time } from '../../format';
import { cancel, jobs, loadJobs } from '../../state/job_list';
import { isOver } from '../../state/jobs';
import { collections, links, models, readOnly } from '../../state/library';
import { address } from '../../state/route';
import { AddForm } from './add';
import { LearnForms } from './learn';

export function JobList() {
  useEffect(() => void loadJobs(), []);
  const open = jobs.value.filter((each) => !isOver(each));
  const past = jobs.value.filter(isOver);
  return (
    <section class="card">
      <h2>Jobs</h2>
      {open.length === 0 && <p class="quiet">Nothing is running.</p>}
      {open.map((each) => <JobProgress key={each.id} job={each} cancel={readOnly.value ? undefined : (job) => void cancel(job)} />)}
      {past.length > 0 && (
        <details open={past[0]?.state === 'failed'}>
          <summary>{`${count(past.length)} before`}</summary>
          {past.slice(0, 20).map((each) => (
            <div key={each.id}><JobProgress job={each} /><JobResult result={each.result} /></div>
          ))}
        </details>
      )}
    </section>
  );
}

function Collections() {
  return (
    <section class="card">
      <h2>Collections</h2>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Collections">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th><th scope="col">Items</th><th scope="col">Format</th><th scope="col">Has</th>
              <th scope="col">Features</th><th scope="col">Label fields</th><th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {collections.value.map((each) => (
              <tr key={each.name}>
                <th scope="row"><a href={address('search', [], { collection: [each.name] })}>{each.name}</a></th>
                <td class="figure">{count(each.items)}</td>
                <td title={each.source}>{each.format}</td>
                <td>{[each.pictures ? 'pictures' : '', each.places ? 'places' : ''].filter((has) => has).join(', ')}</td>
                <td>{(each.features ?? []).join(', ')}</td>
                <td>{(each.label_fields ?? []).join(', ')}</td>
                <td>{time(each.changed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {links.value.length > 0 && (
        <p class="quiet">
          {`Links: ${links.value.map((each) => `${each.from} to ${each.to} ${count(each.links)}`).join(', ')}.`}
        </p>
      )}
    </section>
  );
}

function Models() {
  return (
    <section class="card">
      <h2>Models</h2>
      {models.value.length === 0 ? <p class="quiet">Nothing is learned yet.</p> : (
        <ul class="plain">
          {models.value.map((each) => (
            <li key={each.name}>
              <strong>{each.name}</strong>
              <span class="quiet">{` ${each.kind}${each.collection ? ` for ${each.collection}` : ''}${each.created ? `, ${time(each.created)}` : ''}`}</span>
            </li>
          ))}
        </ul>
      )}
      <p><a href={address('quality')}>How good they are</a></p>
    </section>
  );
}

export function LibraryView() {
  return (
    <View title="Library">
      <Collections />
      <JobList />
      <div class="cards">
        {!readOnly.value && <AddForm />}
        <Models />
      </div>
      {!readOnly.value && <LearnForms />}
    </View>
  );
}

import { figures } from './measures';
import { number, words } from '../format';

/** What came of a job, by its numbers. */
export function JobResult(props: { result: unknown }) {
  const found = figures(props.result).slice(0, 12);
  if (found.length === 0) return null;
  return (
    <details>
      <summary>What came of it</summary>
      <dl class="pairs">
        {found.map(([name, measure]) => (
          <div key={name}><dt>{words(name)}</dt><dd>{number(measure.value)}</dd></div>
        ))}
      </dl>
    </details>
  );
}

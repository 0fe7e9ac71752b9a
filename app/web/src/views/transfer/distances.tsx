import type { Distances } from '../../api/types';
import { number, percent } from '../../format';
import { t } from '../../words/say';

/** In words how far apart two collections are: 0 if they cannot be told apart, 2 if they always can. */
function alikeness(distance: number, shared: number): string {
  if (shared < 0.01) return t('share next to nothing');
  return distance < 0.7 ? t('are much alike') : distance < 1.4 ? t('are somewhat alike') : t('are hardly alike');
}

/** Which collections are alike, in sentences first; those of the target if there is one. */
export function CollectionDistances(props: { distances: Distances; target: string }) {
  const sorted = [...props.distances.pairs].sort((a, b) => a.distance - b.distance);
  const ofTarget = sorted.filter((each) => each.first === props.target || each.second === props.target);
  return (
    <section class="card distances">
      <h2>{t('How alike they are')}</h2>
      <ul>
        {(ofTarget.length > 0 ? ofTarget : sorted).slice(0, 4).map((each) => (
          <li key={`${each.first}/${each.second}`}>
            {t('{first} and {second} {are}.', { first: each.first, second: each.second, are: alikeness(each.distance, each.shared) })}
          </li>
        ))}
      </ul>
      <details>
        <summary>{t('Details')}</summary>
        <p class="quiet">{t('0 means that two collections cannot be told apart, 2 that they always can.')}</p>
        <table>
          <thead><tr>{[t('First'), t('Second'), t('Distance'), t('Shared')].map((each) => <th key={each} scope="col">{each}</th>)}</tr></thead>
          <tbody>
            {sorted.map((each) => (
              <tr key={`${each.first}/${each.second}`}>
                <td>{each.first}</td><td>{each.second}</td>
                <td class="figure">{number(each.distance, 2)}</td><td class="figure">{percent(each.shared)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

import type { Collection, Distances } from '../../api/types';
import { count, number, percent } from '../../format';
import { layout, type Spring } from './force_layout';

const WIDTH = 520;
const HEIGHT = 340;
/** Above this many collections only the edges at the chosen ones are named. */
const MANY = 7;

/** The collections as a graph; near means alike. */
export function CollectionGraph(props: {
  collections: Collection[];
  distances?: Distances;
  sources: string[];
  target: string;
  through: string[];
  clicked: (name: string) => void;
}) {
  const names = props.collections.map((each) => each.name);
  const place = new Map(names.map((name, index) => [name, index]));
  const pairs = (props.distances?.pairs ?? []).filter((each) => place.has(each.first) && place.has(each.second));
  const springs: Spring[] = pairs.map((each) => ({
    first: place.get(each.first)!, second: place.get(each.second)!, length: 0.25 + 0.35 * Math.min(2, each.distance),
  }));
  const places = layout(names.length, springs);
  const x = (index: number) => 70 + places[index]!.x * (WIDTH - 140);
  const y = (index: number) => 36 + places[index]!.y * (HEIGHT - 80);
  const most = Math.max(...props.collections.map((each) => each.items), 1);
  const chosen = new Set([...props.sources, props.target, ...props.through]);
  const roleOf = (name: string) =>
    props.sources.includes(name) ? 'source' : name === props.target ? 'target' : props.through.includes(name) ? 'through' : '';
  const named = (first: string, second: string) => names.length <= MANY || chosen.has(first) || chosen.has(second);
  return (
    <section class="card">
      <h2>Collections</h2>
      <div class="graph" role="group" aria-label="Collections as a graph. A first choice is the source, the next the target.">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
          {pairs.map((each) => {
            const [a, b] = [place.get(each.first)!, place.get(each.second)!];
            return (
              <g key={`${each.first}/${each.second}`} class={named(each.first, each.second) ? 'edge' : 'edge faint'}>
                <line x1={x(a)} y1={y(a)} x2={x(b)} y2={y(b)} stroke-width={0.8 + 3 * Math.max(0, 1 - each.distance / 2)}
                  stroke-dasharray={each.shared < 0.01 ? '4 4' : undefined} />
                {named(each.first, each.second) && (
                  <text x={(x(a) + x(b)) / 2} y={(y(a) + y(b)) / 2 - 3} text-anchor="middle">{number(each.distance, 2)}</text>
                )}
              </g>
            );
          })}
        </svg>
        {props.collections.map((each, index) => {
          const size = 16 + 22 * Math.sqrt(each.items / most);
          const role = roleOf(each.name);
          return (
            <button key={each.name} type="button" class={`node ${role}`} aria-pressed={role !== ''}
              aria-label={`${each.name}, ${count(each.items)} items${role ? `, ${role}` : ''}`}
              style={{ '--half': `${size / 2 + 2}px`, left: `${(100 * x(index)) / WIDTH}%`, top: `${(100 * y(index)) / HEIGHT}%` }}
              onClick={() => props.clicked(each.name)}>
              <span class="node-dot" style={{ width: `${size}px`, height: `${size}px` }} />
              <span class="node-name">{each.name}{role ? ` (${role})` : ''}</span>
            </button>
          );
        })}
      </div>
      {pairs.length === 0 ? <p class="quiet">Distances are not measured yet.</p> : (
        <details>
          <summary>Distances as a table</summary>
          <table>
            <thead><tr><th scope="col">First</th><th scope="col">Second</th><th scope="col">Distance</th><th scope="col">Shared</th></tr></thead>
            <tbody>
              {[...pairs].sort((a, b) => a.distance - b.distance).map((each) => (
                <tr key={`${each.first}/${each.second}`}>
                  <td>{each.first}</td><td>{each.second}</td>
                  <td class="figure">{number(each.distance, 2)}</td><td class="figure">{percent(each.shared)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
      <p class="quiet">0 means that two collections cannot be told apart, 2 that they always can. A broken line: they share next to nothing.</p>
    </section>
  );
}

import { chosenModel, modelsOf } from '../state/library';
import { changed, replaceAddress, route } from '../state/route';
import { Select } from './view';

/** Which model answers, where there are several. */
export function ModelSelect(props: { kind: string; collection?: string }) {
  const chosen = chosenModel(props.kind, props.collection, route.value.query.get('model'));
  if (chosen === undefined) return null;
  const names = modelsOf(props.kind)
    .filter((each) => props.collection === undefined || each.collection === props.collection).map((each) => each.name);
  return <Select label="Model" value={chosen} options={names} changed={(model) => replaceAddress(changed({ model }))} />;
}

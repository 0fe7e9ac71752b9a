import { useState } from 'preact/hooks';
import * as api from '../../api/api';
import { Combobox } from '../../components/combobox';
import { useAnswer } from '../../components/hooks';
import { ModelSelect } from '../../components/model_select';
import { NoModel } from '../../components/no_model';
import { Failure, Loading, Note, Select, View } from '../../components/view';
import { count, counted } from '../../format';
import { chosenModel, collectionsWith, hasModel } from '../../state/library';
import { address, go, replaceAddress, route } from '../../state/route';
import { Lesson } from './lesson';

function Choose(props: { collection: string; model?: string }) {
  const answer = useAnswer(() => api.concepts(props.collection, props.model), [props.collection, props.model]);
  const [name, setName] = useState('');
  const known = answer.value?.concepts ?? [];
  const begin = (concept: string) => {
    if (concept.trim()) go(address('teach', [], { collection: props.collection, model: props.model, concept: concept.trim() }));
  };
  const choices = async (text: string) => {
    const asked = text.trim().toLowerCase();
    return known.filter((each) => each.concept.toLowerCase().includes(asked)).slice(0, 10)
      .map((each) => ({ text: each.concept }));
  };
  return (
    <>
      <form class="search-line" onSubmit={(event) => { event.preventDefault(); begin(name); }}>
        <Combobox label="What shall it learn to find?" value={name} changed={setName} choices={choices}
          placeholder="sunset" chosen={(choice) => begin(choice.text)} entered={begin} />
        <button type="submit" class="primary" disabled={!name.trim()}>Begin</button>
      </form>
      <p class="quiet">Name something new, or choose what it has learned already. Then show it a few pictures that have
        it and a few that do not; all others are ranked by them at once.</p>
      <h2>Concepts</h2>
      {answer.loading && !answer.value && <Loading what="concepts" />}
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {answer.value && known.length === 0 && <p>There are none yet.</p>}
      {known.length > 0 && (
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Concepts">
          <table>
            <thead>
              <tr><th scope="col">Concept</th><th scope="col">Tagged</th><th scope="col">Shown as yes</th><th scope="col">Shown as no</th></tr>
            </thead>
            <tbody>
              {known.slice(0, 300).map((each) => (
                <tr key={each.concept}>
                  <td><a href={address('teach', [], { collection: props.collection, model: props.model, concept: each.concept })}>{each.concept}</a></td>
                  <td class="figure">{typeof each.tagged === 'number' ? count(each.tagged) : each.tagged ? 'yes' : ''}</td>
                  <td class="figure">{count(each.shown)}</td>
                  <td class="figure">{count(each.not_shown)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {known.length > 300 && <p class="quiet">{`${counted(known.length - 300, 'more concept')} can be found by name above.`}</p>}
    </>
  );
}

/** Concepts from a few examples. */
export function TeachView() {
  const { query } = route.value;
  const names = collectionsWith('detect');
  const collection = query.get('collection') ?? names[0] ?? '';
  const concept = query.get('concept') ?? '';
  const model = chosenModel('detect', collection, query.get('model'));
  if (names.length === 0) {
    return (
      <View title="Teach">
        <Note>
          <p>There is no model yet that can be taught. <a href={address('library')}>Make features of a collection and
            learn to detect</a>; then a few examples are enough to find all pictures that show something.</p>
        </Note>
      </View>
    );
  }
  if (!hasModel('detect', collection)) {
    return (
      <View title="Teach">
        <Select label="Collection" value={collection} options={[collection, ...names]}
          changed={(value) => replaceAddress(address('teach', [], { collection: value }))} />
        <Note><NoModel kind="detect" collection={collection} /></Note>
      </View>
    );
  }
  if (concept) {
    return (
      <View title={`Teach: ${concept}`} name={`teach/${collection}/${concept}`}>
        <Lesson key={`${collection}/${concept}`} collection={collection} model={model} concept={concept} />
      </View>
    );
  }
  return (
    <View title="Teach">
      <div class="row">
        <Select label="Collection" value={collection} options={names}
          changed={(value) => replaceAddress(address('teach', [], { collection: value }))} />
        <ModelSelect kind="detect" collection={collection} />
      </div>
      <Choose key={collection} collection={collection} model={model} />
    </View>
  );
}

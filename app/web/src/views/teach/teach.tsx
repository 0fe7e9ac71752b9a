import { useState } from 'preact/hooks';
import * as api from '../../api/api';
import { Combobox } from '../../components/combobox';
import { useAnswer } from '../../components/hooks';
import { ModelSelect } from '../../components/model_select';
import { NoModel } from '../../components/no_model';
import { TagCover } from '../../components/tag_cover';
import { Failure, Loading, Note, Select, View } from '../../components/view';
import { chosenModel, collectionsWith, hasModel } from '../../state/library';
import { address, go, replaceAddress, route } from '../../state/route';
import { t, tn } from '../../words/say';
import { Lesson } from './lesson';

const MOST = 300;

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
        <Combobox label={t('What shall it learn to find?')} value={name} changed={setName} choices={choices}
          placeholder={t('sunset')} chosen={(choice) => begin(choice.text)} entered={begin} />
        <button type="submit" class="primary" disabled={!name.trim()}>{t('Begin')}</button>
      </form>
      <p class="quiet">{t('Name something new, or choose what it has learned already. Then show it a few pictures that have it and a few that do not; all others are ranked by them at once.')}</p>
      <h2>{t('Concepts')}</h2>
      {answer.loading && !answer.value && <Loading what={t('the concepts')} />}
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {answer.value && known.length === 0 && <p>{t('There are none yet.')}</p>}
      {known.length > 0 && (
        <ul class="concepts">
          {known.slice(0, MOST).map((each) => (
            <li key={each.concept}>
              <a href={address('teach', [], { collection: props.collection, model: props.model, concept: each.concept })}>
                <TagCover tag={each.concept} />
                <span dir="auto">{each.concept}</span>
                <span class="quiet">{[
                  typeof each.tagged === 'number' && each.tagged > 0 ? tn('{n} tagged', '{n} tagged', each.tagged) : '',
                  each.shown + each.not_shown > 0 ? t('{yes} yes, {no} no', { yes: each.shown, no: each.not_shown }) : '',
                ].filter((one) => one).join(' · ')}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {known.length > MOST && <p class="quiet">{tn('{n} more can be found by name above.', '{n} more can be found by name above.', known.length - MOST)}</p>}
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
      <View title={t('Teach')}>
        <Note>
          <p>{t('Nothing can be taught here yet: the pictures have to be looked at first.')} <a href={address('library')}>{t('See what is ready')}</a></p>
        </Note>
      </View>
    );
  }
  if (!hasModel('detect', collection)) {
    return (
      <View title={t('Teach')}>
        <Select label={t('Collection')} value={collection} options={[collection, ...names]}
          changed={(value) => replaceAddress(address('teach', [], { collection: value }))} />
        <Note><NoModel kind="detect" collection={collection} /></Note>
      </View>
    );
  }
  if (concept) {
    return (
      <View title={t('Teach: {concept}', { concept })} name={`teach/${collection}/${concept}`}>
        <Lesson key={`${collection}/${concept}`} collection={collection} model={model} concept={concept} />
      </View>
    );
  }
  return (
    <View title={t('Teach')}>
      <div class="row">
        <Select label={t('Collection')} value={collection} options={names}
          changed={(value) => replaceAddress(address('teach', [], { collection: value }))} />
        <ModelSelect kind="detect" collection={collection} />
      </div>
      <Choose key={collection} collection={collection} model={model} />
    </View>
  );
}

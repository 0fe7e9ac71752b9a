import { useEffect, useState } from 'preact/hooks';
import * as api from '../../api/api';
import { useAnswer } from '../../components/hooks';
import { Failure, Loading, Note, View } from '../../components/view';
import { address, changed, replaceAddress, route } from '../../state/route';
import { t, tn } from '../../words/say';
import { guessable, guessPlaces, type PlaceGuess } from './guesses';

const NONE: PlaceGuess[] = [];

/** Where the results are from. The map is fetched when somebody comes here. */
export function PlacesView() {
  const { query } = route.value;
  const q = query.get('q') ?? '';
  const collection = query.getAll('collection');
  const answer = useAnswer((signal) => api.places({ q, collection }, signal), [q, collection.join('\u0000')]);
  const [drawn, setDrawn] = useState<typeof import('./world') | undefined>();
  const [failed, setFailed] = useState<unknown>();
  useEffect(() => { import('./world').then(setDrawn, setFailed); }, []);
  const found = answer.value?.points.id.length ?? 0;
  const guessing = query.get('guess') === '1';
  const able = guessable(collection).length > 0;
  const guesses = useAnswer((signal) => (guessing ? guessPlaces(q, collection, signal) : undefined), [guessing, q, collection.join('\u0000')]);
  const guessed = (guessing && guesses.value) || NONE;
  return (
    <View title={t('Places')} class="bleed" quiet>
      <div class="tools">
        <p class="quiet" role="status">
          {answer.value && tn('{n} of {total} items has a place.', '{n} of {total} items have a place.', found, { total: answer.value.total })}
        </p>
        {able && answer.value && found < answer.value.total && (
          <button type="button" class="small" aria-pressed={guessing} onClick={() => replaceAddress(changed({ guess: !guessing }))}>{t('Guess where others are from')}</button>
        )}
        {guessing && (
          <p class="quiet" role="status">
            {guesses.loading ? t('Guessing …') : tn('{n} guessed: the thicker the cloud, the likelier.', '{n} guessed: the thicker the cloud, the likelier.', guessed.length)}
          </p>
        )}
        <span class="push" />
        <a href={address('search', [], { q, collection })}>{t('Show as pictures')}</a>
      </div>
      {failed !== undefined && <Failure error={failed} />}
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {answer.value && found === 0 && <Note><p>{t('Nothing that was found has a place. Photos have one where the camera or a program wrote it into the file.')}</p></Note>}
      {(!drawn || !answer.value) && answer.error === undefined && failed === undefined && <Loading what={t('the map')} />}
      {guessing && guesses.error !== undefined && <Failure error={guesses.error} again={guesses.again} />}
      {drawn && answer.value && <drawn.PlacesMap places={answer.value} guesses={guessed} q={q} collection={collection} />}
    </View>
  );
}

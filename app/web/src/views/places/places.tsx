import { useEffect, useState } from 'preact/hooks';
import * as api from '../../api/api';
import { useAnswer } from '../../components/hooks';
import { Failure, Loading, Note, View } from '../../components/view';
import { address, route } from '../../state/route';
import { t, tn } from '../../words/say';

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
  return (
    <View title={t('Places')} class="bleed" quiet>
      <div class="tools">
        <p class="quiet" role="status">
          {answer.value && tn('{n} of {total} items has a place.', '{n} of {total} items have a place.', found, { total: answer.value.total })}
        </p>
        <span class="push" />
        <a href={address('search', [], { q, collection })}>{t('Show as pictures')}</a>
      </div>
      {failed !== undefined && <Failure error={failed} />}
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {answer.value && found === 0 && <Note><p>{t('Nothing that was found has a place. Photos have one where the camera or a program wrote it into the file.')}</p></Note>}
      {(!drawn || !answer.value) && answer.error === undefined && failed === undefined && <Loading what={t('the map')} />}
      {drawn && answer.value && <drawn.PlacesMap places={answer.value} q={q} collection={collection} />}
    </View>
  );
}

import { View } from '../../components/view';
import { address, route } from '../../state/route';
import { t } from '../../words/say';
import { DuplicatesList } from './duplicates';
import { SameTags } from './same';

/** What makes a library better a bit at a time. */
export function CleanupView() {
  const what = route.value.query.get('what') === 'same' ? 'same' : 'duplicates';
  return (
    <View title={t('Clean up')} name={`cleanup/${what}`} class="bleed" quiet>
      <nav class="modes scroll-x" aria-label={t('What to clean up')}>
        <a href={address('cleanup')} aria-current={what === 'duplicates' ? 'true' : undefined}>{t('Duplicates')}</a>
        <a href={address('cleanup', [], { what: 'same' })} aria-current={what === 'same' ? 'true' : undefined}>{t('Same tags')}</a>
        <a href="#/search?q=is:untagged">{t('Untagged')}</a>
        <a href="#/review?many=1">{t('To review')}</a>
      </nav>
      {what === 'same' ? <SameTags /> : <DuplicatesList />}
    </View>
  );
}

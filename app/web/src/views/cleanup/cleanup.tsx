import { View } from '../../components/view';
import { t } from '../../words/say';
import { DuplicatesList } from './duplicates';

/** What makes a library better a bit at a time. */
export function CleanupView() {
  return (
    <View title={t('Clean up')} class="bleed" quiet>
      <nav class="modes" aria-label={t('What to clean up')}>
        <a href="#/cleanup" aria-current="true">{t('Duplicates')}</a>
        <a href="#/search?q=is:untagged">{t('Untagged')}</a>
        <a href="#/review?many=1">{t('To review')}</a>
      </nav>
      <DuplicatesList />
    </View>
  );
}

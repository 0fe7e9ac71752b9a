import { View } from '../../components/view';
import { address, route } from '../../state/route';
import { t } from '../../words/say';
import { AuditGrid } from './audit';
import { DuplicatesList } from './duplicates';
import { SameTags } from './same';

const QUEUES: [string, () => string][] = [
  ['duplicates', () => t('Duplicates')], ['same', () => t('Same tags')], ['wrong', () => t('Probably wrong')], ['missing', () => t('Probably missing')],
];

/** What makes a library better a bit at a time. */
export function CleanupView() {
  const asked = route.value.query.get('what');
  const what = QUEUES.find(([name]) => name === asked)?.[0] ?? 'duplicates';
  return (
    <View title={t('Clean up')} name={`cleanup/${what}`} class="bleed" quiet>
      <nav class="modes scroll-x" aria-label={t('What to clean up')}>
        {QUEUES.map(([name, text]) => <a key={name} href={address('cleanup', [], { what: name, collection: route.value.query.get('collection') ?? undefined })} aria-current={name === what ? 'true' : undefined}>{text()}</a>)}
        <a href="#/search?q=is:untagged">{t('Untagged')}</a>
        <a href="#/review?many=1">{t('To review')}</a>
      </nav>
      {what === 'duplicates' && <DuplicatesList />}
      {what === 'same' && <SameTags />}
      {(what === 'wrong' || what === 'missing') && <AuditGrid key={what} kind={what} />}
    </View>
  );
}

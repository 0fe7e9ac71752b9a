import { readOnly } from '../state/library';
import { upkeep } from '../state/upkeep';
import { address } from '../state/route';
import { t } from '../words/say';

/** Says that nothing is ready yet that could answer here, and what is missing. */
export function NoModel(props: { kind: 'suggest' | 'detect' | 'relate'; collection: string }) {
  const { kind, collection } = props;
  const said = {
    suggest: t('No tags are suggested for {collection} yet: it takes about twenty items with tags to learn from.', { collection }),
    detect: t('Nothing can be taught in {collection} yet: its pictures have to be looked at first.', { collection }),
    relate: t('What belongs together in {collection} is not known yet.', { collection }),
  }[kind];
  return (
    <p>
      {said}{' '}
      {upkeep.value?.kept ? <a href={address('library')}>{t('See what is ready')}</a>
        : !readOnly.value && <a href={address('library', [], { learn: `learn-${kind}`, collection })}>{t('Learn it now')}</a>}
    </p>
  );
}

import { useState } from 'preact/hooks';
import * as api from '../../api/api';
import { audit } from '../../api/audit';
import type { AuditEntry, Fault } from '../../api/types';
import { GuessGrid, guessKey } from '../../components/guess_grid';
import { useAnswer } from '../../components/hooks';
import { RunJob } from '../../components/run_job';
import { Tag } from '../../components/tag';
import { Failure, Loading } from '../../components/view';
import { percent, time } from '../../format';
import { report } from '../../state/alerts';
import { collections, readOnly } from '../../state/library';
import { changed, replaceAddress, route } from '../../state/route';
import { changeCount, showChange } from '../../state/toast';
import { t, tn } from '../../words/say';

const MANY = 40;

/** Tags that are probably wrong, or probably missing: what is as it should be is clicked, and Enter mends the rest. */
export function AuditGrid({ kind }: { kind: Fault }) {
  const names = collections.value.map((each) => each.name);
  const asked = route.value.query.get('collection') ?? '';
  const collection = names.includes(asked) ? asked : names[0] ?? '';
  const answer = useAnswer((signal) => audit({ collection, kind, offset: 0, limit: MANY }, signal), [collection, kind, changeCount.value]);
  const [sending, setSending] = useState(false);
  const entries: AuditEntry[] = answer.loading ? [] : answer.value?.entries ?? [];
  const mend = (kept: Set<string>) => {
    setSending(true);
    const decisions = entries.map((each) => ({
      item: each.id, tag: each.tag, verdict: (kind === 'wrong') === kept.has(guessKey(each)) ? 'accepted' as const : 'rejected' as const,
    }));
    const n = entries.length - kept.size;
    api.decide(collection, decisions).then((stored) => {
      setSending(false);
      showChange(kind === 'wrong' ? tn('{n} wrong tag removed.', '{n} wrong tags removed.', n) : tn('{n} missing tag given.', '{n} missing tags given.', n), stored);
    }, (error: unknown) => {
      setSending(false);
      report(error, () => mend(kept));
    });
  };
  const look = (title: string, primary: boolean) => (readOnly.value ? null
    : <RunJob key={collection} request={{ task: 'audit', collection }} title={title} primary={primary} done={answer.again} />);
  const none = answer.value?.audited === '';
  return (
    <>
      <div class="tools">
        {names.length > 1 && (
          <label class="tool-select"><span class="unseen">{t('Collection')}</span>
            <select value={collection} onChange={(event) => replaceAddress(changed({ collection: event.currentTarget.value }))}>
              {names.map((each) => <option key={each} value={each} selected={each === collection}>{each}</option>)}
            </select></label>
        )}
        {answer.value && !none && <p class="quiet">{t('Looked through {time}', { time: time(answer.value.audited) })}</p>}
        <span class="push" />
        {answer.value && !none && look(t('Look again'), false)}
      </div>
      {answer.error !== undefined && !none && <Failure error={answer.error} again={answer.again} />}
      {none && (
        <div class="nothing">
          <p>{t('Each tag is told from the other items, and compared with what is there: what fits badly and what is lacking is shown.')}</p>
          {look(t('Look through the tags'), true)}
        </div>
      )}
      {answer.loading && !answer.value && !none && <Loading what={t('the tags')} />}
      {answer.value && !none && !answer.loading && entries.length === 0 && (
        <div class="nothing"><p role="status">{kind === 'wrong' ? t('No tag seems to be wrong.') : t('No tag seems to be missing.')}</p></div>
      )}
      {entries.length > 0 && (
        <GuessGrid label={kind === 'wrong' ? t('Probably wrong') : t('Probably missing')} collection={collection} guesses={entries} round={`${collection}/${kind}`} busy={sending} done={mend}
          action={(kept) => (kind === 'wrong' ? tn('Remove {n} tag', 'Remove {n} tags', entries.length - kept) : tn('Give {n} tag', 'Give {n} tags', entries.length - kept))}
          caption={(each) => (
            <span class="guess-caption">
              <Tag name={each.tag} machine={kind === 'missing'} />
              <span class="quiet" title={each.reason}>{t('{share}; usually {usual}', { share: percent(each.confidence), usual: percent(each.usual) })}</span>
            </span>
          )}
          head={(
            <>
              <h2>{kind === 'wrong' ? t('Which of these tags are right?') : t('Which of these tags are not missing?')}</h2>
              <p class="quiet" role="status">{tn('{n} of {left}', '{n} of {left}', entries.length, { left: answer.value?.left ?? 0 })}</p>
            </>
          )} />
      )}
    </>
  );
}

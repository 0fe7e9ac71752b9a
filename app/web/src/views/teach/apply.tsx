import { useEffect, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { Brief, Detected } from '../../api/types';
import { report } from '../../state/alerts';
import { readOnly } from '../../state/library';
import type { PagedList } from '../../state/paged_list';
import { changeCount, show } from '../../state/toast';
import { t, tn } from '../../words/say';
import { expectedRight } from './expected';

const MOST = 500;

interface Props {
  collection: string;
  model?: string;
  concept: string;
  list: PagedList<Brief & Partial<Detected>>;
  /** Stores the examples that are not kept yet, so that the ranking is the one that is shown. */
  keep: () => Promise<boolean>;
}

/** How many of the first are expected to be right, and the button that makes them tags. */
export function TeachApply(props: Props) {
  const { collection, model, concept, list } = props;
  const most = Math.min(MOST, list.total);
  const [n, setN] = useState(Math.min(12, most));
  const [sure, setSure] = useState<number[]>([]);
  const [busy, setBusy] = useState(false);
  const many = Math.min(n, most);
  useEffect(() => {
    let current = true;
    list.range(0, most - 1).then((entries) => {
      if (current) setSure(entries.map((each) => (each.taught === 'yes' ? 1 : each.taught === 'no' ? 0 : each.confidence ?? NaN)));
    }, () => undefined);
    return () => { current = false; };
  }, [list, most]);
  const expected = expectedRight(sure.slice(0, many));
  const tag = async () => {
    setBusy(true);
    try {
      if (!(await props.keep())) return;
      const answer = await api.tagConcept(concept, collection, model, many);
      changeCount.value += 1;
      show(tn('{n} item is tagged “{concept}” automatically.', '{n} items are tagged “{concept}” automatically.', answer.tagged, { concept }),
        () => void api.tagConcept(concept, collection, model, answer.before).then(() => {
          changeCount.value += 1;
          show(t('“{concept}”: taken back.', { concept }));
        }, report));
    } catch (error) {
      report(error);
    } finally {
      setBusy(false);
    }
  };
  if (readOnly.value || most === 0) return null;
  return (
    <div class="teach-apply" role="group" aria-label={t('Make tags of the first')}>
      <label class="teach-range">
        <span>{tn('The first {n}', 'The first {n}', many)}</span>
        <input type="range" min={1} max={most} value={many} onInput={(event) => setN(Number(event.currentTarget.value))} />
      </label>
      <span class="quiet" role="status">
        {expected ? t('About {right} of {n} are expected to be right ({low} to {high}).', { ...expected, n: many }) : t('How many of them are right cannot be told yet.')}
      </span>
      <button type="button" class="primary" disabled={busy} onClick={() => void tag()}>{tn('Tag this {n}', 'Tag these {n}', many)}</button>
    </div>
  );
}

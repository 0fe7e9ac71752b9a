import { useRef, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { ChangeAnswer, Duplicate, DuplicateGroup } from '../../api/types';
import { useAnswer, useKeys } from '../../components/hooks';
import { Thumbnail } from '../../components/picture';
import { RunJob } from '../../components/run_job';
import { Tag } from '../../components/tag';
import { Failure, Legend, Loading } from '../../components/view';
import { bytes, time, titleOf } from '../../format';
import { report } from '../../state/alerts';
import { collections, loadLibrary, readOnly } from '../../state/library';
import { itemAddress } from '../../state/route';
import { show, showChange } from '../../state/toast';
import { t, tn } from '../../words/say';
import { handled, isHandled, setHandled } from './handled';

const MOST = 1000;
const DRAWN = 30;

function isWords(is: Duplicate['is']): string {
  switch (is) {
    case 'same file': return t('the same file');
    case 'copy': return t('a copy');
    case 'smaller': return t('smaller');
    case 'larger': return t('larger');
    case 'crop': return t('a part of it');
    case 'edited': return t('edited');
    case 'same text': return t('the same text');
    case 'similar text': return t('nearly the same text');
    case 'same address': return t('the same address');
    case 'by way of another': return t('like another of them');
    default: return '';
  }
}

/** Keeps one: it gets the tags of the others, and those are hidden. All of it is taken back by one Undo. */
async function keep(group: DuplicateGroup, best: number): Promise<ChangeAnswer[]> {
  const chosen = group.items[best]!;
  const has = new Set(chosen.tags.map((each) => each.toLowerCase()));
  const gets = [...new Map(group.items.flatMap((each) => each.tags).filter((each) => !has.has(each.toLowerCase()) && each.toLowerCase() !== 'hidden')
    .map((each) => [each.toLowerCase(), each])).values()];
  const answers: ChangeAnswer[] = [];
  if (gets.length > 0) {
    answers.push(await api.change({ items: [{ collection: chosen.collection, id: chosen.id }] }, gets.map((tag) => ({ do: 'add' as const, tag }))));
  }
  const others = group.items.filter((_, index) => index !== best).map(({ collection, id }) => ({ collection, id }));
  answers.push(await api.change({ items: others }, [{ do: 'add', tag: 'hidden' }]));
  return answers;
}

function Copy(props: { item: Duplicate; kept: boolean; number: number; choose: () => void; name: string }) {
  const { item } = props;
  const pictures = collections.value.find((each) => each.name === item.collection)?.pictures ?? false;
  const facts = [item.width && item.height ? `${item.width} × ${item.height}` : '', item.format ?? '', pictures && item.bytes ? bytes(item.bytes) : '', time(item.time)];
  return (
    <li class={`copy ${props.kept ? 'kept' : ''}`}>
      <label>
        <input type="radio" name={props.name} checked={props.kept} onChange={props.choose} />
        <span class={pictures ? 'copy-picture' : 'copy-picture words'}><Thumbnail item={{ ...item, image: pictures }} size={256} alt="" /></span>
        <span class="copy-says">
          <span><kbd>{props.number}</kbd> <strong>{props.kept ? t('Kept') : item.best ? t('the best') : isWords(item.is)}</strong></span>
          <span class="quiet">{facts.filter((each) => each).join(' · ')}</span>
        </span>
      </label>
      <a class="copy-name" dir="auto" href={itemAddress(item.collection, item.id)}>{titleOf(item)}</a>
      <span class="tags">{item.tags.slice(0, 6).map((each) => <Tag key={each} name={each} />)}</span>
    </li>
  );
}

export function DuplicatesList() {
  const answer = useAnswer((signal) => api.duplicates(0, MOST, signal), []);
  const [best, setBest] = useState<Record<string, number>>({});
  const [at, setAt] = useState(0);
  const [busy, setBusy] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const found = answer.value;
  void handled.value;
  const open = (found?.groups ?? []).filter((each) => !isHandled(found!.job, each));
  const shown = open.slice(0, DRAWN);
  const current = Math.min(at, shown.length - 1);
  const keyOf = (group: DuplicateGroup) => `${group.items[0]!.collection}/${group.items[0]!.id}`;
  const bestOf = (group: DuplicateGroup) => best[keyOf(group)] ?? Math.max(0, group.items.findIndex((each) => each.best));

  const focus = (index: number) => {
    const to = Math.max(0, Math.min(shown.length - 1, index));
    setAt(to);
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>(':scope > li')[to]?.focus());
  };
  const decide = async (groups: DuplicateGroup[]) => {
    if (busy || readOnly.value || groups.length === 0) return;
    setBusy(true);
    const { job } = found!;
    const answers: ChangeAnswer[] = [];
    const done: DuplicateGroup[] = [];
    try {
      for (const group of groups) {
        answers.push(...await keep(group, bestOf(group)));
        done.push(group);
      }
    } catch (error) {
      report(error);
    }
    setBusy(false);
    for (const group of done) setHandled(job, group, true);
    if (answers.length === 0) return;
    const hidden = done.reduce((sum, each) => sum + each.items.length - 1, 0);
    showChange(tn('{n} duplicate hidden.', '{n} duplicates hidden.', hidden), answers, () => {
      for (const group of done) setHandled(job, group, false);
      void loadLibrary();
    });
    void loadLibrary();
    focus(current);
  };
  const differ = (group: DuplicateGroup) => {
    const { job } = found!;
    setHandled(job, group, true);
    show(t('They stay as they are.'), () => { setHandled(job, group, false); });
    focus(current);
  };
  useKeys((key) => {
    const group = shown[current];
    if (!group) return false;
    if (key === 'ArrowDown' || key === 'j') focus(current + 1);
    else if (key === 'ArrowUp' || key === 'k') focus(current - 1);
    else if (/^[1-9]$/.test(key) && group.items[Number(key) - 1]) setBest({ ...best, [keyOf(group)]: Number(key) - 1 });
    else if (key === 'Enter' && !(document.activeElement instanceof HTMLButtonElement || document.activeElement instanceof HTMLAnchorElement)) void decide([group]);
    else if (key === 'x') differ(group);
    else return false;
    return true;
  }, ['ArrowDown', 'ArrowUp', 'j', 'k']);

  const look = (title: string, primary: boolean) => (readOnly.value ? null
    : <RunJob request={{ task: 'duplicates' }} title={title} primary={primary} done={answer.again} />);
  if (found?.job === 0) {
    return (
      <div class="nothing">
        <p>{t('Pictures in other sizes, crops and edits, texts of the same words, addresses of the same page: all are found and shown side by side.')}</p>
        {look(t('Look for duplicates'), true)}
      </div>
    );
  }
  if (answer.error !== undefined) return <Failure error={answer.error} again={answer.again} />;
  if (!found) return <Loading what={t('the duplicates')} />;
  if (open.length === 0) return <div class="nothing"><p role="status">{t('Nothing is there twice.')}</p>{look(t('Look again'), false)}</div>;
  return (
    <section aria-label={t('Duplicates')}>
      <div class="tools">
        <p role="status">{tn('{n} group', '{n} groups', found.total - (found.groups.length - open.length))}</p>
        <span class="push" />
        {!readOnly.value && open.length > 1 && (
          <button type="button" disabled={busy} onClick={() => void decide(open)}>{tn('Keep the best of all {n}', 'Keep the best of all {n}', open.length)}</button>
        )}
        {look(t('Look again'), false)}
      </div>
      <ol ref={list} class="copy-groups">
        {shown.map((group, index) => (
          <li key={keyOf(group)} tabIndex={index === current ? 0 : -1} onFocusIn={() => setAt(index)} class={index === current ? 'current' : ''}
            aria-label={tn('{n} that are the same', '{n} that are the same', group.items.length)}>
            <ul class="copies">
              {group.items.map((each, i) => (
                <Copy key={`${each.collection}/${each.id}`} item={each} number={i + 1} name={keyOf(group)} kept={i === bestOf(group)}
                  choose={() => setBest({ ...best, [keyOf(group)]: i })} />
              ))}
            </ul>
            {!readOnly.value && (
              <div class="buttons">
                <button type="button" class="primary" disabled={busy} onClick={() => void decide([group])}>{t('Keep this one, hide the others')}</button>
                <button type="button" disabled={busy} onClick={() => differ(group)}>{t('Keep all')}</button>
              </div>
            )}
          </li>
        ))}
      </ol>
      <Legend keys={[['↑ ↓', t('another group')], ['1 2 3', t('which one to keep')], ['Enter', t('keep it')], ['x', t('keep all')]]} />
    </section>
  );
}

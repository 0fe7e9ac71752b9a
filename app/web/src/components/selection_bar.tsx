import { useEffect, useState } from 'preact/hooks';
import * as api from '../api/api';
import type { Brief, TagChange } from '../api/types';
import { report } from '../state/alerts';
import { loadLibrary, readOnly } from '../state/library';
import { noteTag, recentTags } from '../state/recent_tags';
import { allSelected, clearSelection, pickedItems, selectedCount, selectedItems } from '../state/selection';
import { showChange } from '../state/toast';
import { address, go } from '../state/route';
import { count } from '../format';
import { t, tn } from '../words/say';
import type { Choice } from './combobox';
import { Icon } from './icon';
import { useKeys } from './hooks';
import { TagPicker } from './tag_picker';

interface Props {
  /** Of all results, for the button that takes them all. */
  total: number;
  selectAll: () => void;
  /** The tags of all results with how many have them, where all are selected. */
  commonest: () => Promise<Choice[]>;
  /** Whether the search demands this tag. */
  isAsked: (tag: string) => boolean;
  /** The change was stored: what is shown may follow. */
  changed: (change: TagChange[], undone: boolean) => void;
}

/** What was asked for stands first: it is what somebody came to change. */
function askedFirst(choices: Choice[], isAsked: (tag: string) => boolean): Choice[] {
  return [...choices.filter((each) => isAsked(each.text)), ...choices.filter((each) => !isAsked(each.text))];
}

function commonestOf(items: Brief[]): Choice[] {
  const counts = new Map<string, number>();
  for (const item of items) for (const tag of item.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([text, items_]) => ({ text, detail: count(items_) }));
}

const SAID: Record<TagChange['do'], (n: number, tag: string) => string> = {
  add: (n, tag) => tn('“{tag}” added to {n} item.', '“{tag}” added to {n} items.', n, { tag }),
  remove: (n, tag) => tn('“{tag}” removed from {n} item.', '“{tag}” removed from {n} items.', n, { tag }),
  accept: (n) => tn('{n} automatic tag accepted.', '{n} automatic tags accepted.', n),
  reject: (n) => tn('{n} automatic tag rejected.', '{n} automatic tags rejected.', n),
};

/** What can be done with what is selected. */
export function SelectionBar(props: Props) {
  const [picking, setPicking] = useState<'add' | 'remove' | 'export' | 'teach'>();
  const [commonest, setCommonest] = useState<Choice[]>([]);
  const n = selectedCount.value;
  useEffect(() => { if (n === 0) setPicking(undefined); }, [n === 0]);

  const apply = (changes: TagChange[], said?: string): Promise<void> => {
    setPicking(undefined);
    return selectedItems().then((selected) => api.change(selected, changes)).then((answer) => {
      const tag = changes[0]!.tag ?? '';
      const text = said ?? SAID[changes[0]!.do](answer.stored, tag);
      props.changed(changes, false);
      showChange(text, answer, () => props.changed(changes, true));
    }, (error: unknown) => report(error, () => void apply(changes, said)));
  };
  const pick = (what: 'add' | 'remove' | 'export' | 'teach') => {
    if (readOnly.value && what !== 'export') return;
    if (what === 'remove') {
      const take = (found: Choice[]) => setCommonest(askedFirst(found, props.isAsked));
      take(commonestOf(pickedItems.value));
      if (pickedItems.value.length === 0) props.commonest().then(take, report);
    }
    setPicking(picking === what ? undefined : what);
  };
  const add = (tag: string) => {
    noteTag(tag);
    void apply([{ do: 'add', tag }]);
  };
  const hide = () => {
    void apply([{ do: 'add', tag: 'hidden' }], tn('{n} item hidden.', '{n} items hidden.', n)).then(() => {
      clearSelection();
      return loadLibrary();
    });
  };
  const save = (format: 'jsonl' | 'csv' | 'bookmarks') => {
    setPicking(undefined);
    selectedItems().then((selected) => api.exported(selected, format)).then((file) => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(file);
      link.download = `items.${format === 'bookmarks' ? 'html' : format}`;
      link.click();
      URL.revokeObjectURL(link.href);
    }, report);
  };
  const teach = (concept: string) => {
    const items = pickedItems.value;
    clearSelection();
    go(address('teach', [], { concept, collection: items[0]?.collection, yes: items.map((each) => each.id) }));
  };
  useKeys((key) => {
    if (selectedCount.value === 0) return false;
    if (key === 't') pick('add');
    else if (key === '-') pick('remove');
    else if (key === 'a' && !readOnly.value) void apply([{ do: 'accept' }]);
    else if (key === 'r' && !readOnly.value) void apply([{ do: 'reject' }]);
    else if (key === 'e') pick('export');
    else if (key === 'Escape') clearSelection();
    else return false;
    return true;
  });
  if (n === 0) return null;
  const collections = new Set(pickedItems.value.map((each) => each.collection));
  return (
    <div class="selection-bar" role="toolbar" aria-label={t('What is selected')}>
      <button type="button" class="round" aria-label={t('Select nothing')} title={`${t('Select nothing')} (Esc)`} onClick={clearSelection}><Icon name="close" /></button>
      <strong class="selection-count">{tn('{n} selected', '{n} selected', n)}</strong>
      {!allSelected.value && n < props.total && (
        <button type="button" class="text-button" onClick={props.selectAll} title="Ctrl+A">{tn('All {n} result', 'All {n} results', props.total)}</button>
      )}
      <span class="push" />
      {!readOnly.value && (
        <>
          <span class="with-picker">
            <button type="button" aria-expanded={picking === 'add'} title="t" onClick={() => pick('add')}>{t('Add tag')}</button>
            {picking === 'add' && (
              <TagPicker label={t('Tag to add')} offered={recentTags.value.map((text) => ({ text }))} chosen={add} close={() => setPicking(undefined)} />
            )}
          </span>
          <span class="with-picker">
            <button type="button" aria-expanded={picking === 'remove'} title="-" onClick={() => pick('remove')}>{t('Remove tag')}</button>
            {picking === 'remove' && (
              <TagPicker label={t('Tag to remove')} offered={commonest} others={false} close={() => setPicking(undefined)}
                chosen={(tag) => void apply([{ do: 'remove', tag }])} />
            )}
          </span>
          <button type="button" title={`${t('Make automatic tags yours')} (a)`} onClick={() => void apply([{ do: 'accept' }])}>{t('Accept')}</button>
          <button type="button" title={`${t('Remove automatic tags')} (r)`} onClick={() => void apply([{ do: 'reject' }])}>{t('Reject')}</button>
          {collections.size === 1 && (
            <span class="with-picker">
              <button type="button" aria-expanded={picking === 'teach'} onClick={() => pick('teach')}>{t('Teach with these')}</button>
              {picking === 'teach' && (
                <TagPicker label={t('What do they show?')} offered={recentTags.value.map((text) => ({ text }))} chosen={teach} close={() => setPicking(undefined)} />
              )}
            </span>
          )}
          <button type="button" onClick={hide}>{t('Hide')}</button>
        </>
      )}
      <span class="with-picker">
        <button type="button" aria-expanded={picking === 'export'} title="e" onClick={() => pick('export')}>{t('Export')}</button>
        {picking === 'export' && (
          <span class="menu">
            <button type="button" onClick={() => save('csv')}>{t('Spreadsheet (CSV)')}</button>
            <button type="button" onClick={() => save('jsonl')}>JSON Lines</button>
            <button type="button" onClick={() => save('bookmarks')}>{t('Bookmarks (HTML)')}</button>
          </span>
        )}
      </span>
    </div>
  );
}

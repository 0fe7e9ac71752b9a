import { useEffect, useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { TagNode, VocabularyEdit } from '../../api/types';
import { useAnswer } from '../../components/hooks';
import { Thumbnail } from '../../components/picture';
import { Tag } from '../../components/tag';
import { Check } from '../../components/view';
import { readOnly } from '../../state/library';
import { itemAddress, tagQuery, tagSearchAddress } from '../../state/route';
import { chooseHue, colourOfHue, hueOf, rootOf } from '../../state/tag_colours';
import { changeCount } from '../../state/toast';
import { t, tn } from '../../words/say';

/** So many pictures of a tag are shown beside the tree. */
const COVERS = 6;

function Covers({ tag }: { tag: string }) {
  const ask = (q: string, signal: AbortSignal) => api.search({ q, collection: [], offset: 0, limit: COVERS, words_only: true }, signal);
  const found = useAnswer((signal) => Promise.all([ask(tagQuery(tag), signal), ask(`${tagQuery(tag)} is:picture`, signal)]), [tag, changeCount.value]);
  const [all, pictured] = found.value ?? [];
  const hits = (pictured?.hits.length ? pictured : all)?.hits ?? [];
  if (hits.length === 0) return null;
  return (
    <ul class="strip small-strip tag-covers" aria-label={t('Some that have it')}>
      {hits.map((each) => <li key={`${each.collection}/${each.id}`}><a class="item-card" href={itemAddress(each.collection, each.id)}><Thumbnail item={each} size={128} /></a></li>)}
    </ul>
  );
}

/** What can be said of a tag: a description, a colour for all below its root, and what machines may do with it. */
function Described(props: { entry: TagNode; change: (edits: VocabularyEdit[], text?: string) => Promise<boolean> }) {
  const { entry } = props;
  const { tag } = entry;
  const [text, setText] = useState(entry.description);
  useEffect(() => setText(entry.description), [tag, entry.description]);
  const describe = (what: { description?: string; colour?: string; manual?: boolean; hidden?: boolean }, said: string) => void props.change([{ do: 'describe', tag, ...what }], said);
  const keep = () => { if (text.trim() !== entry.description) describe({ description: text.trim() }, t('The description of “{tag}” is kept.', { tag })); };
  const root = rootOf(tag);
  return (
    <div class="tag-described">
      <label class="field">
        <span class="field-label">{t('Description')}</span>
        <textarea rows={2} dir="auto" value={text} disabled={readOnly.value} onInput={(event) => setText(event.currentTarget.value)} onBlur={keep}
          onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) keep(); }} />
      </label>
      {!readOnly.value && (
        <>
          <label class="field">
            <span class="field-label">{tag.includes('/') ? t('Colour of “{tag}” and all below it', { tag: root }) : t('Colour')}</span>
            <input class="hue" type="range" min={0} max={359} value={hueOf(tag)} onInput={(event) => chooseHue(tag, event.currentTarget.valueAsNumber)}
              onChange={(event) => void props.change([{ do: 'describe', tag: tag.split('/')[0]!, colour: colourOfHue(event.currentTarget.valueAsNumber) }], t('The colour of “{tag}” is kept.', { tag: root }))} />
          </label>
          <Check label={t('Only people give it')} checked={entry.manual} changed={(manual) => describe({ manual }, manual ? t('Machines never give “{tag}”.', { tag }) : t('Machines may give “{tag}”.', { tag }))} />
          <Check label={t('Not shown among others')} checked={entry.hidden} changed={(hidden) => describe({ hidden }, hidden ? t('“{tag}” is not shown among others.', { tag }) : t('“{tag}” is shown among others.', { tag }))} />
        </>
      )}
    </div>
  );
}

/** All about the tag that the tree stands at. */
export function TagPanel(props: { name: string; entry?: TagNode; within: number; change: (edits: VocabularyEdit[], text?: string) => Promise<boolean> }) {
  const { name, entry, within } = props;
  const own = entry?.items ?? 0;
  return (
    <section aria-labelledby="tag-panel-name" class="tag-panel">
      <h2 id="tag-panel-name"><Tag name={name} plain /></h2>
      <p class="quiet">
        <a href={tagSearchAddress(name)}>{tn('{n} item', '{n} items', within)}</a>
        {within > own && ` · ${tn('{n} of them below it', '{n} of them below it', within - own)}`}
        {(entry?.machine ?? 0) > 0 && ` · ${tn('{n} by a machine alone', '{n} by a machine alone', entry!.machine)}`}
      </p>
      <Covers tag={name} />
      {entry && entry.also.length > 0 && <p class="quiet">{t('Also called')} {entry.also.map((each) => <Tag key={each} name={each} plain />)}</p>}
      {entry && <Described entry={entry} change={props.change} />}
    </section>
  );
}

import * as api from '../../api/api';
import { useAnswer } from '../../components/hooks';
import { Thumbnail } from '../../components/picture';
import { Tag } from '../../components/tag';
import { itemAddress, tagQuery, tagSearchAddress } from '../../state/route';
import { chooseHue, hueOf, rootOf } from '../../state/tag_colours';
import { changeCount } from '../../state/toast';
import { t, tn } from '../../words/say';

/** So many pictures of a tag are shown beside the tree. */
const COVERS = 6;

/** All about the tag that the tree stands at: some that have it, how many, and the colour of its root. */
export function TagPanel(props: { name: string; own: number; within: number }) {
  const { name, own } = props;
  const ask = (q: string, signal: AbortSignal) => api.search({ q, collection: [], offset: 0, limit: COVERS, words_only: true }, signal);
  const found = useAnswer((signal) => Promise.all([ask(tagQuery(name), signal), ask(`${tagQuery(name)} is:picture`, signal)]), [name, changeCount.value]);
  const [all, pictured] = found.value ?? [];
  const hits = (pictured?.hits.length ? pictured : all)?.hits ?? [];
  const within = all?.total ?? props.within;
  return (
    <section aria-labelledby="tag-panel-name" class="tag-panel">
      <h2 id="tag-panel-name"><Tag name={name} plain /></h2>
      <p class="quiet">
        <a href={tagSearchAddress(name)}>{tn('{n} item', '{n} items', within)}</a>
        {within > own && ` · ${tn('{n} of them only below it', '{n} of them only below it', within - own)}`}
      </p>
      {hits.length > 0 && (
        <ul class="strip small-strip tag-covers" aria-label={t('Some that have it')}>
          {hits.map((each) => <li key={`${each.collection}/${each.id}`}><a class="item-card" href={itemAddress(each.collection, each.id)}><Thumbnail item={each} size={128} /></a></li>)}
        </ul>
      )}
      <label class="field">
        <span class="field-label">{name.includes('/') ? t('Colour of “{tag}” and all below it', { tag: rootOf(name) }) : t('Colour')}</span>
        <input class="hue" type="range" min={0} max={359} value={hueOf(name)} onInput={(event) => chooseHue(name, event.currentTarget.valueAsNumber)} />
      </label>
    </section>
  );
}
